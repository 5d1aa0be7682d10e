"""A decision service for the tests: it answers with recorded packets, as the name of the user says."""

import os
import socket
import struct
import threading

LONGEST = 65536


def text(value):
    """A field of bytes."""
    return struct.pack(">H", len(value)) + value


def optional(value):
    return b"\0" if value is None else b"\1" + text(value)


def message(kind, body=b""):
    return bytes([kind]) + text(body)


def start(user, service=b"sudo", line=1):
    """The first packet of the module."""
    body = bytes([1, 2, line, 1]) + struct.pack(">I", 0) + text(user) + text(service)
    body += optional(None) * 3 + b"\0\0" + bytes([1, 0])
    return message(0x01, body)


def ask(prompt, number=0):
    return message(0x83, bytes([0, number]) + text(prompt))


def verdict(number):
    return message(0x81, bytes([number]))


def reply(answer):
    return message(0x02, b"\1" + text(answer))


def administer(command=b"\1", administrator=b"carol"):
    """The packet of an administrator. The command is its number and its fields."""
    return message(0x21, b"\1" + text(administrator) + text(b"pts/3") + command)


def failed(reason):
    """The reply to an administrator whose request was not carried out."""
    return message(0xA1, bytes([reason]) + text(b""))


def manage():
    return message(0x11, bytes([1, 2]) + optional(None))


class Fields:
    """Reads the fields of a message."""

    def __init__(self, packet):
        self.kind = packet[0]
        (length,) = struct.unpack(">H", packet[1:3])
        self.rest = packet[3:]
        assert len(self.rest) == length

    def take(self, count):
        value, self.rest = self.rest[:count], self.rest[count:]
        assert len(value) == count
        return value

    def number(self, count):
        return int.from_bytes(self.take(count), "big")

    def text(self):
        return self.take(self.number(2))


class DecisionService:
    """Listens at a path. Each conversation is recorded in `seen`."""

    def __init__(self, path, name, days=30):
        self.name = name.encode()
        self.days = days
        self.seen = []
        self.tickets = {b"AAAA-BBBB": b"web7.example.org"}
        self.ended = threading.Semaphore(0)
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.listener.bind(path)
        self.listener.listen(4096)
        self.path = path
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def close(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        os.unlink(self.path)

    def serve(self, connection):
        try:
            self.decide(connection)
        except (OSError, AssertionError) as error:
            self.seen.append({"error": repr(error)})
        finally:
            connection.close()
            self.ended.release()

    def decide(self, connection):
        first = connection.recv(LONGEST)
        if not first:
            return
        fields = Fields(first)
        version = fields.number(1)
        assert version == 1
        if fields.kind == 4:
            connection.send(message(0x84))
        elif fields.kind == 2:
            ticket, serial = fields.text(), fields.text()
            self.seen.append({"ticket": ticket, "serial": serial})
            name = self.tickets.pop(ticket, None)
            connection.send(message(0x83) if name is None else
                            message(0x81, text(name) + struct.pack(">H", self.days)))
        elif fields.kind == 3:
            record = {"host": fields.text(), "present": fields.text(), "next": fields.text()}
            self.seen.append(record)
            connection.send(message(0x82, struct.pack(">H", self.days)))
        elif fields.kind == 0x10:
            self.seen.append({"seen": fields.text(), "serial": fields.text(), "version": fields.text(),
                              "end": fields.number(8), "verifier": fields.text()})
            connection.send(message(0x84))
        elif fields.kind == 1:
            record = {"host": fields.text(), "serial": fields.text(), "nonce": fields.text(),
                      "facts": fields.text(), "packet": connection.recv(LONGEST)}
            self.seen.append(record)
            self.converse(connection, record)

    def converse(self, connection, record):
        packet = record["packet"]
        if packet[0] == 0x21:
            # The administrator: the name says how the request ends.
            fields = Fields(packet)
            fields.take(1)
            if not fields.text().startswith(b"crash"):
                connection.send(message(0xA5, text(b"1:00000000 " + self.name)))
            return
        if packet[0] == 0x11:
            # The helper: two packets without an answer, then a request.
            connection.send(message(0x92, text(b"one")))
            connection.send(message(0x92, text(b"two")))
            connection.send(message(0x91, struct.pack(">I", 10)))
            record["reply"] = connection.recv(LONGEST)
            connection.send(message(0x92, text(b"three")))
            return
        user = Fields(packet)
        user.take(8)
        user = user.text()
        if user.startswith(b"silent"):
            # Ends with the connection.
            connection.recv(LONGEST)
            return
        if user.startswith(b"crash-" + self.name):
            return
        if user.startswith(b"suspend"):
            connection.send(ask(b"Code: ", 1))
            return
        if user.startswith(b"unread"):
            connection.send(ask(b"Code: ", 1))
            self.wait(1)
            return
        connection.send(ask(b"Code at " + self.name + b": ", 0))
        record["reply"] = connection.recv(LONGEST)
        if user.startswith(b"end"):
            return
        if user.startswith(b"hang"):
            self.wait(30)
            return
        connection.send(verdict(0 if record["reply"] == reply(b"123456") else 1))

    @staticmethod
    def wait(seconds):
        threading.Event().wait(seconds)
