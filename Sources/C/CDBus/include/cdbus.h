// Calls over D-Bus, by libsystemd (sd-bus): to an app of the desktop, and to SSSD. The first call loads the library,
// which is never unloaded.
#pragma once

#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

enum {
  cdbus_done = 0,
  cdbus_no_library = 1,
  cdbus_no_bus = 2,
  cdbus_no_app = 3,
  cdbus_timed_out = 4,
  cdbus_no_account = 5,
  cdbus_no_value = 6,
};

// Asks the app with a name on the session bus to open `uri`, and waits for its reply. The bus starts
// the app if it is not running. `path` is the app's object path
// (https://specifications.freedesktop.org/desktop-entry-spec/1.5/dbus.html). The message with the URI
// is wiped after use if libsystemd is 248 or later.
int cdbus_open_uri(const char *app, const char *path, const uint8_t *uri, uint64_t microseconds);

// Asks SSSD on the system bus for an attribute of an account: GetUserAttr of org.freedesktop.sssd.infopipe
// (sssd-ifp(5)). Writes the value to `value`, with a NUL at its end. Returns `cdbus_no_account` if the directory has no
// such account, and `cdbus_no_value` unless SSSD tells one value that fits. Takes at most `microseconds`.
int cdbus_directory_value(const char *account, const char *attribute, char *value, size_t capacity,
                          uint64_t microseconds);

#pragma clang assume_nonnull end
