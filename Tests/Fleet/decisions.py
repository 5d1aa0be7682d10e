"""A decision service for the tests: it answers with recorded packets, as the name of the user says."""

import hmac
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


# The kinds of the packets of the front and of an administrator (Sources/Realm/Realm/PROTOCOL.md).
FRONT, ADMINISTRATOR, TO_FRONT, TO_ADMINISTRATOR = 0x43, 0x44, 0x83, 0x84


def message(kind, number, body=b""):
    """A message of one of several forms."""
    return bytes([kind, 1, number]) + body


def to_front(number, body=b""):
    return message(TO_FRONT, number, body)


def answered(typed):
    """What a user typed, or that there is no answer."""
    return b"\0" if typed is None else b"\1" + text(typed)


def call(user, service=b"sudo", line=1, *, source=None, arguments=(), note=None, methods=b"", has_facts=False,
         continuation=b"", answer=None):
    """A request of the module (Sources/Wire/Wire/SignInCall.swift)."""
    body = bytes([line]) + text(user) + text(service) + optional(source) + optional(None)
    body += bytes([len(arguments)]) + b"".join(map(text, arguments)) + b"\1\1" + struct.pack(">I", 0)
    body += optional(note) + optional(methods) + answered(None) + (b"\1" + bytes(5) if has_facts else b"\0")
    return b"\x41\1" + body + text(continuation) + answered(answer)


def question(prompt, continuation=b"asked"):
    """A reply with a question."""
    return b"\x81\1\0\2" + text(prompt) + b"\0" + text(continuation)


def verdict(number):
    """A reply with a verdict."""
    return b"\x81\1\0\1" + bytes([number])


# The reply to a user with too many connections.
BUSY = b"\x81\1\0\4"


def administer(command=b"\1", administrator=b"carol"):
    """The packet of an administrator. The command is its number and its fields."""
    return bytes([ADMINISTRATOR, 1]) + text(administrator) + text(b"pts/3") + command


def failed(reason):
    """The reply to an administrator whose request was not carried out."""
    return message(TO_ADMINISTRATOR, 1, bytes([reason]) + text(b""))


def manage(body, continuation=b"", result=255):
    """A request of the helper (Sources/Wire/Wire/ManagementCall.swift)."""
    return b"\x42\1" + optional(None) + optional(None) + b"\0" + text(continuation) + text(body) + bytes([result])


def managed(frames):
    """The reply to a request of the helper, after which the helper ends."""
    return b"\x82\1" + text(frames) + text(b"") + b"\2" + bytes(4)


class Reader:
    """Reads fields."""

    def __init__(self, fields):
        self.rest = fields

    def take(self, count):
        value, self.rest = self.rest[:count], self.rest[count:]
        assert len(value) == count
        return value

    def number(self, count):
        return int.from_bytes(self.take(count), "big")

    def text(self):
        return self.take(self.number(2))

    def optional(self):
        return self.text() if self.number(1) else None


class Fields(Reader):
    """Reads the fields of a message of version 1, after its kind."""

    def __init__(self, packet, kind):
        super().__init__(packet[2:])
        assert packet[:2] == bytes([kind, 1]), packet


class Call(Reader):
    """A request of the module."""

    def __init__(self, packet):
        super().__init__(packet[2:])
        assert packet[:2] == b"\x41\1"
        self.line, self.user, self.service = self.number(1), self.text(), self.text()
        self.source, self.terminal = self.optional(), self.optional()
        self.arguments = [self.text() for _ in range(self.number(1))]
        self.take(6)
        self.note, self.methods = self.optional(), self.optional()
        # What was typed for an earlier module, and facts about the process, are not in these tests.
        assert self.take(2) == b"\0\0"
        self.continuation = self.text()
        self.answer = self.text() if self.number(1) == 1 else None
        assert not self.rest


class Reply(Reader):
    """A reply to the module (Sources/Wire/Wire/SignInReply.swift)."""

    TELL, LOG, AUDIT, NOTE, FORWARD, FAILURE_TEXT, CONFIRM, CLOSING_PROMPT = range(1, 9)

    def __init__(self, packet):
        super().__init__(packet[2:])
        assert packet[:2] == b"\x81\1", packet
        # The kind, the text and the continuation of each effect.
        self.effects = []
        for _ in range(self.number(1)):
            kind = self.number(1)
            self.take(2)
            self.effects.append((kind, self.text(), self.text()))
        end = self.number(1)
        self.verdict = self.number(1) if end == 1 else None
        self.prompt, self.continuation = None, b""
        if end == 2:
            self.prompt = self.text()
            self.take(1)
            self.continuation = self.text()
        self.asks_for_facts, self.is_busy = end == 3, end == 4
        assert not self.rest

    def texts(self, kind):
        return [content for found, content, _ in self.effects if found == kind]


class DecisionService:
    """Listens at a path. Each conversation is recorded in `seen`."""

    def __init__(self, path, name, days=30):
        self.name = name.encode()
        self.days = days
        self.seen = []
        self.tickets = {b"AAAA-BBBB": b"web7.example.org"}
        # The permits by the names of users, the reports, and how far the realm has the queue of the host.
        self.permits = {}
        self.reports = []
        self.position = (0, bytes(32))
        # The answers to the next reports: seconds after which the host may report again, or 0 to refuse.
        self.put_off = []
        self.ended = threading.Semaphore(0)
        # While it is not set, reports of hosts get no answer.
        self.answers_reports = threading.Event()
        self.answers_reports.set()
        # Whether it says that it works.
        self.answers_pings = True
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
        fields = Fields(first, FRONT)
        number = fields.number(1)
        if number == 4:
            if not self.answers_pings:
                connection.recv(LONGEST)
                return
            connection.send(to_front(4))
        elif number == 5:
            # The counters in their order, and the distributions of loads and commits.
            numbers = range(1, 60)
            timings = [0] * 26
            connection.send(to_front(5, struct.pack(">H59Q", 59, *numbers) + struct.pack(">H26Q", 26, *timings)))
        elif number == 2:
            ticket, serial = fields.text(), fields.text()
            self.seen.append({"ticket": ticket, "serial": serial})
            name = self.tickets.pop(ticket, None)
            connection.send(to_front(3) if name is None else
                            to_front(1, text(name) + struct.pack(">H", self.days)))
        elif number == 3:
            record = {"host": fields.text(), "present": fields.text(), "next": fields.text()}
            self.seen.append(record)
            connection.send(to_front(2, struct.pack(">H", self.days)))
        elif number == 6:
            self.seen.append({"seen": fields.text(), "serial": fields.text(), "version": fields.text(),
                              "end": fields.number(8), "verifier": fields.text()})
            self.answers_reports.wait(60)
            connection.send(to_front(4))
        elif number == 7:
            connection.send(self.answer_offline(fields))
        elif number == 1:
            record = {"host": fields.text(), "serial": fields.text(), "nonce": fields.text(),
                      "facts": fields.text(), "packet": connection.recv(LONGEST)}
            self.seen.append(record)
            self.converse(connection, record)

    def answer_offline(self, fields):
        """Answers a host about the time in which no verifier answers."""
        host, _, subject = fields.text(), fields.text(), fields.number(1)
        if subject == 1:
            nonce, facts = fields.text(), fields.text()
            self.seen.append({"offline": host, "nonce": nonce, "facts": facts})
            found = [permit for user, permit in self.permits.items() if text(user) in facts]
            return to_front(6, b"\1\1" + text(found[0] if found else b""))
        if subject == 2:
            # The token is the name of the user.
            users = [fields.text() for _ in range(fields.number(1))]
            permits = b"".join(text(self.permits.get(user, b"")) for user in users)
            return to_front(6, bytes([1, len(users)]) + permits)
        report = fields.text()
        assert report[0] == 1
        if self.put_off:
            seconds = self.put_off.pop(0)
            return to_front(3) if seconds == 0 else to_front(6, b"\3" + struct.pack(">I", seconds))
        if report[1] == 0:
            number, chain = struct.unpack(">Q", report[2:10])[0], report[10:42]
            (count,) = struct.unpack(">H", report[42:44])
            rest, records = report[44:], []
            for _ in range(count):
                (length,) = struct.unpack(">H", rest[:2])
                record, rest = rest[2:2 + length], rest[2 + length:]
                records.append(record)
                number, chain = number + 1, hmac.digest(chain, record, "sha256")
                assert record[:8] == struct.pack(">Q", number)
            self.reports.append(records)
            self.position = (number, chain)
        else:
            self.reports.append("damaged")
        return to_front(6, b"\2" + struct.pack(">Q", self.position[0]) + text(self.position[1]))

    def converse(self, connection, record):
        packet = record["packet"]
        if packet[0] == ADMINISTRATOR:
            # The administrator: the name says how the request ends.
            fields = Fields(packet, ADMINISTRATOR)
            if not fields.text().startswith(b"crash"):
                connection.send(message(TO_ADMINISTRATOR, 5, text(b"1:00000000 " + self.name)))
            return
        if packet[0] == 0x42:
            connection.send(managed(b"frames of " + self.name))
            return
        call = Call(packet)
        if call.user.startswith(b"silent") and call.user not in {b"silent-a", b"silent-b"} - {b"silent-" + self.name}:
            # Ends with the connection.
            record["end"] = connection.recv(LONGEST)
            return
        if call.user.startswith(b"crash-" + self.name):
            return
        if call.user.startswith(b"slow-"):
            self.wait(int(call.user[5:]))
        elif call.user.startswith(b"slow"):
            self.wait(1)
        if not call.continuation:
            connection.send(question(b"Code at " + self.name + b": "))
            return
        record["answer"] = call.answer
        if call.user.startswith(b"end"):
            return
        if call.user.startswith(b"hang-" + self.name):
            self.wait(30)
            return
        connection.send(verdict(0 if call.answer == b"123456" else 1))

    @staticmethod
    def wait(seconds):
        threading.Event().wait(seconds)
