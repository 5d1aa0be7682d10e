#!/usr/bin/env python3
"""A stand-in for the desktop portal, on the session bus.

    portal.py RESPONSE

Answers OpenURI with a request whose response is RESPONSE: 0 opened, 1 cancelled, 2 failed, or `none` for no
response. Prints "ready", and then each URI that it was asked to open. Speaks D-Bus by libsystemd.
"""

import ctypes
import sys

systemd = ctypes.CDLL("libsystemd.so.0")
HANDLER = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
bus = ctypes.c_void_p()


def check(result):
    if result < 0:
        sys.exit(f"portal.py: error {-result}")
    return result


def text(value):
    return ctypes.c_char_p(value.encode())


def answer(message, _data, _error):
    message = ctypes.c_void_p(message)
    if systemd.sd_bus_message_is_method_call(message, text("org.freedesktop.portal.OpenURI"), text("OpenURI")) <= 0:
        return 0
    window, uri, key, token = (ctypes.c_char_p() for _ in range(4))
    check(systemd.sd_bus_message_read(message, text("ss"), ctypes.byref(window), ctypes.byref(uri)))
    check(systemd.sd_bus_message_read(message, text("a{sv}"), 1, ctypes.byref(key), text("s"), ctypes.byref(token)))
    assert (window.value, key.value) == (b"", b"handle_token"), (window.value, key.value)
    systemd.sd_bus_message_get_sender.restype = ctypes.c_char_p
    sender = systemd.sd_bus_message_get_sender(message).decode()[1:].replace(".", "_")
    path = f"/org/freedesktop/portal/desktop/request/{sender}/{token.value.decode()}"
    print(uri.value.decode(), flush=True)
    check(systemd.sd_bus_reply_method_return(message, text("o"), text(path)))
    if sys.argv[1] != "none":
        check(systemd.sd_bus_emit_signal(
            bus, text(path), text("org.freedesktop.portal.Request"), text("Response"), text("ua{sv}"),
            ctypes.c_uint32(int(sys.argv[1])), 0))
    return 1


handler = HANDLER(answer)
check(systemd.sd_bus_open_user(ctypes.byref(bus)))
check(systemd.sd_bus_add_filter(bus, None, handler, None))
check(systemd.sd_bus_request_name(bus, text("org.freedesktop.portal.Desktop"), ctypes.c_uint64(0)))
print("ready", flush=True)
while True:
    if check(systemd.sd_bus_process(bus, None)) == 0:
        check(systemd.sd_bus_wait(bus, ctypes.c_uint64(2**64 - 1)))
