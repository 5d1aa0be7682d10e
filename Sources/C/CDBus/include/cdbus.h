// One call to an app over D-Bus, by libsystemd (sd-bus). The first call loads the library, which is
// never unloaded.
#pragma once

#include <stdint.h>

#pragma clang assume_nonnull begin

enum {
  cdbus_opened = 0,
  cdbus_no_library = 1,
  cdbus_no_bus = 2,
  cdbus_no_app = 3,
  cdbus_timed_out = 4,
};

// Asks the app with a name on the session bus to open `uri`, and waits for its reply. The bus starts
// the app if it is not running. `path` is the app's object path
// (https://specifications.freedesktop.org/desktop-entry-spec/1.5/dbus.html). The message with the URI
// is wiped after use if libsystemd is 248 or later.
int cdbus_open_uri(const char *app, const char *path, const uint8_t *uri, uint64_t microseconds);

#pragma clang assume_nonnull end
