"""Speaks with the decision service of a verifier as its network front does (Sources/Realm/Realm/PROTOCOL.md)."""

import hashlib
import hmac
import os
import pathlib
import socket
import struct
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Fleet"))
from decisions import (  # noqa: E402
    FRONT, LONGEST, TO_ADMINISTRATOR, TO_FRONT, Fields, Reader, Reply, administer, call, manage, message, text)

# The period of the factors, in seconds: the shortest that the service allows, for many codes in a short run.
PERIOD = 15
DIGITS = 6
ALLOW, PASS, TOO_MANY_ATTEMPTS = 1, 2, 3


def code(secret, step):
    """Returns the TOTP code of a time step (RFC 6238), with SHA-1."""
    digest = hmac.new(secret, struct.pack(">Q", step), hashlib.sha1).digest()
    offset = digest[-1] & 15
    number = int.from_bytes(digest[offset:offset + 4], "big") & 0x7FFFFFFF
    return b"%0*d" % (DIGITS, number % 10 ** DIGITS)


class Refused(Exception):
    """The service refused a request. The message says what it answered."""


class HostRefused(Refused):
    """The service refused the host that an administrator acts on."""


class Host:
    """A host as the network front names it, with the serial number of its certificate."""

    def __init__(self, name, serial):
        self.name, self.serial = name.encode(), serial


# The kind and the version of the facts about a host.
FACTS = b"\x31\1"


def account(name, number):
    return text(name) + struct.pack(">I", number)


def facts(user, number, is_helper):
    """The facts of a host about a user: at a sign-in through sshd, or in a conversation with mfa-helper."""
    # The groups are known, and there are none; the entry in the directory is not known.
    own = b"\1" + account(user, number) + b"\1\0\0\1"
    root = b"\1" + account(b"root", 0) + b"\1\0\0\1"
    body = struct.pack(">I", number) + own + b"\0" if is_helper else struct.pack(">I", 0) + root + own
    body += b"\1" + (b"\0" if is_helper else b"\1\1" + account(user, number))
    body += b"\1\1" + text(b"sshd") + b"\0" + b"\1" + struct.pack(">Q", 120) + b"\1" + b"\1" + struct.pack(">Q", 10)
    return FACTS + body


class Conversation:
    """A connection to the socket of a decision service, with a deadline for the whole conversation."""

    def __init__(self, path, seconds):
        self.end = time.monotonic() + seconds
        self.connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            self.wait()
            self.connection.connect(path)
        except OSError:
            self.connection.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.connection.close()

    def wait(self):
        left = self.end - time.monotonic()
        if left <= 0:
            raise TimeoutError("the conversation took too long")
        self.connection.settimeout(left)

    def send(self, packet):
        self.wait()
        self.connection.send(packet)

    def receive_packet(self):
        """Returns the next packet, or nothing at the end."""
        self.wait()
        return self.connection.recv(LONGEST)

    def receive(self, kind):
        """Returns the fields of the next packet, or None at the end."""
        packet = self.receive_packet()
        return Fields(packet, kind) if packet else None

    def begin(self, host, nonce, content):
        self.send(message(FRONT, 1, text(host.name) + text(host.serial) + text(nonce) + text(content)))


def sign_in(path, host, user, number, answer, nonce, seconds):
    """Signs a user in with a code. Returns the verdict, and the pairs of the line for the system log.

    `answer` is the code, or a function that returns it when the service asks for it. `nonce` is that of the request with
    the answer. The verdict is None if the service ended without one.
    """
    end = time.monotonic() + seconds
    line, fields = {}, {"arguments": [b"tries=1"]}
    while True:
        present = nonce if "answer" in fields else os.urandom(len(nonce))
        with Conversation(path, end - time.monotonic()) as conversation:
            conversation.begin(host, present, facts(user, number, False))
            conversation.send(call(user, b"sshd", **fields))
            packet = conversation.receive_packet()
        if not packet:
            return None, line
        reply = Reply(packet)
        for content in reply.texts(Reply.LOG):
            line.update(pair.split("=", 1) for pair in content.decode().split(" ") if "=" in pair)
        if reply.verdict is not None:
            return reply.verdict, line
        if reply.is_busy:
            return None, {"result": "busy"}
        if reply.asks_for_facts:
            fields["has_facts"] = True
        else:
            fields.update(continuation=reply.continuation, answer=answer() if callable(answer) else answer)


class Helper:
    """What mfa-helper sends for one user: each request has a connection of its own."""

    def __init__(self, path, host, user, number, seconds):
        self.path, self.host, self.seconds = path, host, seconds
        self.facts = facts(user, number, True)
        self.continuation = b""

    def send(self, body, result=255):
        """Sends a request. Returns the last frame of the reply, and whether the account has to be proven."""
        with Conversation(self.path, self.seconds) as conversation:
            conversation.begin(self.host, os.urandom(16), self.facts)
            conversation.send(manage(body, self.continuation, result))
            packet = conversation.receive_packet()
        if not packet:
            raise Refused("the conversation ended")
        reply = Reader(packet)
        if reply.take(2) != b"\x82\1":
            raise Refused("packet %x" % packet[0])
        frames, self.continuation, following = reply.text(), reply.text(), reply.number(1)
        frame = b""
        while frames:
            (length,) = struct.unpack(">I", frames[:4])
            frame, frames = frames[4:4 + length], frames[4 + length:]
        if following == 3:
            raise Refused("the service is busy")
        return frame, following == 1

    def ask(self, kind, *fields, answer):
        """Sends a request of the helper's client and returns the fields of the response.

        The account is proven when the service asks for that.
        """
        frame, must_prove = self.send(bytes([kind]) + b"".join(text(field) for field in fields))
        if must_prove:
            frame, _ = self.send(b"", 1)
        if not frame or frame[0] != answer:
            raise Refused("kind %x, fields %r" % self.response(frame) if frame else "no response")
        return self.response(frame)[1]

    @staticmethod
    def response(frame):
        fields, rest = [], frame[1:]
        while rest:
            (length,) = struct.unpack(">H", rest[:2])
            fields.append(rest[2:2 + length])
            rest = rest[2 + length:]
        return frame[0], fields


def enrol(path, host, user, number, now, seconds):
    """Enrols a factor of a user who has none. Returns the secret and the factor.

    `now` is the time that the verifier uses.
    """
    helper = Helper(path, host, user, number, seconds)
    helper.ask(0x01, b"\1", b"\0", answer=0x81)
    helper.ask(0x02, answer=0x84)
    secret = helper.ask(0x05, b"\1", bytes([DIGITS]), struct.pack(">H", PERIOD), answer=0x85)[0]
    factor = helper.ask(0x06, code(secret, int(now) // PERIOD), b"phone", answer=0x86)[0]
    return secret, factor.hex()


def join(path, ticket, serial, seconds):
    """Has a host join the realm with a ticket. Returns its name."""
    with Conversation(path, seconds) as conversation:
        conversation.send(message(FRONT, 2, text(ticket) + text(serial)))
        answer = conversation.receive(TO_FRONT)
        if not answer or answer.number(1) != 1:
            raise Refused("the ticket was refused" if answer else "the connection ended")
        return answer.text()


def change(path, host, command, subject, seconds):
    """Carries out a command of an administrator on a host, as the relay forwards it from mfa-admin. Returns whether
    something was changed.
    """
    with Conversation(path, seconds) as conversation:
        # The relay tells only that the process acts as root.
        conversation.begin(host, os.urandom(16), FACTS + struct.pack(">I", 0) + b"\0\0\1" + bytes(6))
        conversation.send(administer(COMMANDS[command](text(subject.encode()))))
        answer = conversation.receive(TO_ADMINISTRATOR)
        number = answer.number(1) if answer else None
        if number == 1 and answer.number(1) == 2:
            raise HostRefused("the host was refused")
        if number not in (5, 8):
            raise Refused("the change was refused" if answer else "the connection ended")
        # The checkpoint of the entry in the audit log is the last field, and empty if nothing was changed.
        return answer.rest[-2:] != b"\0\0"


# The numbers and fields of the commands about a user or a host.
COMMANDS = {"revoke-user": lambda user: b"\x08" + user + b"\x04", "unlock": lambda user: b"\x08" + user + b"\x01",
            "revoke-host": lambda host: b"\x04" + host}
