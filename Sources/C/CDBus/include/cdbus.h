// One call to the desktop portal over D-Bus, by libsystemd (sd-bus). The first call loads the
// library, which is never unloaded.
#pragma once

#include <stdint.h>

#pragma clang assume_nonnull begin

enum {
  cdbus_opened = 0,
  cdbus_no_library = 1,
  cdbus_no_bus = 2,
  cdbus_no_portal = 3,
  cdbus_no_handler = 4,
  cdbus_cancelled = 5,
  cdbus_timed_out = 6,
};

// Asks org.freedesktop.portal.OpenURI to open `uri`, and waits at most `seconds` for its response.
// `token` is an element of an object path that no other request of this process uses. The message
// with the URI is wiped after use if libsystemd is 248 or later.
int cdbus_open_uri(const uint8_t *uri, const char *token, uint32_t seconds);

#pragma clang assume_nonnull end
