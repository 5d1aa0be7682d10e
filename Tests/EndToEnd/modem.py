"""A stand-in for ModemManager with one modem, made with python-dbusmock.

    modem.py FILE [SECONDS]

Appends to FILE what is done with the modem, which it takes SECONDS to find. The text says what happens to a message: `not created`,
`slow` (it is created after a second, and Send has no reply), `fails` (Send), `stays` (Delete).
"""

import sys

import dbus
import dbus.mainloop.glib
import dbus.service
import dbusmock
import dbusmock.mockobject
from gi.repository import GLib

SERVICE = "org.freedesktop.ModemManager1"
ROOT = "/org/freedesktop/ModemManager1"
MESSAGE = ROOT + "/SMS/0"


def record(line):
    with open(sys.argv[1], "a", encoding="utf-8") as file:
        file.write(line + "\n")


def failure():
    return dbus.exceptions.DBusException("no network", name=SERVICE + ".Error")


class Message(dbusmock.mockobject.DBusMockObject):
    """A message in the modem."""

    def __init__(self, name, text):
        super().__init__(name, MESSAGE, SERVICE + ".Sms", {})
        self.text = text

    @dbus.service.method(SERVICE + ".Sms", async_callbacks=("reply", "fail"))
    def Send(self, reply, fail):
        if "slow" in self.text:
            return
        if "fails" in self.text:
            record("no send")
            fail(failure())
        else:
            record("send")
            reply()


class Modem(dbusmock.mockobject.DBusMockObject):
    """The modem. Its messages are objects of their own."""

    message = None

    @dbus.service.method(
        SERVICE + ".Modem.Messaging", in_signature="a{sv}", out_signature="o",
        async_callbacks=("reply", "fail"))
    def Create(self, properties, reply, fail):
        text = str(properties["text"])
        if "not created" in text:
            record("no create")
            fail(failure())
            return
        record("create " + properties["number"] + " " + text)
        self.message = Message(self.bus_name, text)
        if "slow" in text:
            GLib.timeout_add(1500, lambda: reply(MESSAGE))
        else:
            reply(MESSAGE)

    @dbus.service.method(SERVICE + ".Modem.Messaging", in_signature="o")
    def Delete(self, path):
        if self.message is None or path != MESSAGE:
            raise failure()
        is_kept = "stays" in self.message.text
        self.message.remove_from_connection()
        self.message = None
        if is_kept:
            record("no delete")
            raise failure()
        record("delete")


def main():
    dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
    bus = dbus.SystemBus()
    name = dbus.service.BusName(SERVICE, bus, allow_replacement=True, replace_existing=True)
    objects = dbusmock.mockobject.objects
    path = ROOT + "/Modem/0"
    objects[ROOT] = dbusmock.mockobject.DBusMockObject(name, ROOT, SERVICE, {})
    objects[ROOT].AddMethod(
        "org.freedesktop.DBus.ObjectManager", "GetManagedObjects", "", "a{oa{sa{sv}}}",
        f"time.sleep({float((sys.argv + ['0'])[2])})\n"
        f"ret = {{'{path}': {{'{SERVICE}.Modem.Messaging': {{}}}}}}")
    objects[path] = Modem(name, path, SERVICE + ".Modem.Messaging", {})
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        file.write("ready\n")
    GLib.MainLoop().run()


main()
