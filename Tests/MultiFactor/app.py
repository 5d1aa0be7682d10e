#!/usr/bin/env python3
"""An app that opens URLs, on the session bus.

    app.py NAME BEHAVIOUR LOG

Has the name NAME on the bus, and writes each URL that it is asked to open to LOG. BEHAVIOUR is `answer`,
`refuse`, `end` (without a reply) or `none` (no reply). Speaks D-Bus by libsystemd.
"""

import ctypes
import os
import sys

name, behaviour, log = sys.argv[1:]
systemd = ctypes.CDLL("libsystemd.so.0")
HANDLER = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
bus = ctypes.c_void_p()


def check(result):
    if result < 0:
        sys.exit(f"app.py: error {-result}")
    return result


def text(value):
    return ctypes.c_char_p(value.encode())


def answer(message, _data, _error):
    message = ctypes.c_void_p(message)
    if systemd.sd_bus_message_is_method_call(message, text("org.freedesktop.Application"), text("Open")) <= 0:
        return 0
    systemd.sd_bus_message_get_path.restype = ctypes.c_char_p
    path = systemd.sd_bus_message_get_path(message).decode()
    assert path == "/" + name.replace(".", "/").replace("-", "_"), path
    urls = ctypes.POINTER(ctypes.c_char_p)()
    check(systemd.sd_bus_message_read_strv(message, ctypes.byref(urls)))
    check(systemd.sd_bus_message_skip(message, text("a{sv}")))
    assert urls[1] is None
    with open(log, "a") as file:
        file.write(urls[0].decode() + "\n")
    if behaviour == "end":
        os._exit(0)
    if behaviour == "refuse":
        check(systemd.sd_bus_reply_method_errorf(message, text("org.example.Error"), text("refused")))
    if behaviour == "answer":
        check(systemd.sd_bus_reply_method_return(message, text("")))
    return 1


handler = HANDLER(answer)
check(systemd.sd_bus_open_user(ctypes.byref(bus)))
check(systemd.sd_bus_add_filter(bus, None, handler, None))
check(systemd.sd_bus_request_name(bus, text(name), ctypes.c_uint64(0)))
while True:
    if check(systemd.sd_bus_process(bus, None)) == 0:
        check(systemd.sd_bus_wait(bus, ctypes.c_uint64(2**64 - 1)))
