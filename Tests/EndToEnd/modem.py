"""A stand-in for ModemManager with one modem, made with python-dbusmock.

    modem.py FILE

Appends to FILE what is done with the modem. The text `fail` is not sent.
"""

import sys

import dbus
import dbus.mainloop.glib
import dbusmock
import dbusmock.mockobject
from gi.repository import GLib

SERVICE = "org.freedesktop.ModemManager1"
ROOT = "/org/freedesktop/ModemManager1"

CREATE = """
with open(RECORD, "a", encoding="utf-8") as file:
    file.write("create " + args[0]["number"] + " " + args[0]["text"] + "\\n")
path = "/org/freedesktop/ModemManager1/SMS/0"
self.AddObject(path, "org.freedesktop.ModemManager1.Sms", {"Text": args[0]["text"]},
               [("Send", "", "", SEND)])
ret = dbus.ObjectPath(path)
"""
SEND = """
if self.props["org.freedesktop.ModemManager1.Sms"]["Text"] == "fail":
    raise dbus.exceptions.DBusException("no network", name="org.freedesktop.ModemManager1.Error")
with open(RECORD, "a", encoding="utf-8") as file:
    file.write("send\\n")
"""
DELETE = """
with open(RECORD, "a", encoding="utf-8") as file:
    file.write("delete\\n")
self.RemoveObject(args[0])
"""


def main():
    record = repr(sys.argv[1])
    send = SEND.replace("RECORD", record)
    dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
    bus = dbus.SystemBus()
    name = dbus.service.BusName(SERVICE, bus, allow_replacement=True, replace_existing=True)
    manager = dbusmock.mockobject.DBusMockObject(name, ROOT, SERVICE, {}, is_object_manager=True)
    manager.AddObject(
        ROOT + "/Modem/0", SERVICE + ".Modem.Messaging", {},
        [("Create", "a{sv}", "o", CREATE.replace("RECORD", record).replace("SEND", repr(send))),
         ("Delete", "o", "", DELETE.replace("RECORD", record))])
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        file.write("ready\n")
    GLib.MainLoop().run()


main()
