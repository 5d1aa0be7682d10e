"""Tests of sign-ins at a host whose verifiers do not answer. The decision service gives permits; see `run`."""

import base64
import contextlib
import hashlib
import hmac
import os
import signal
import socket
import struct
import subprocess
import time

from decisions import LONGEST, Reply, call, text, verdict

TESTS = []
PROMPT = b"Offline recovery code: "
UNCERTAIN = b"Try again in a few seconds"
RECOVERY, REMEMBERED, BREAK_GLASS = 1, 2, 4
DAY = 86400
# Accounts that every Debian has: a permit is kept only for an account that exists.
ALICE, BOB, CAROL = b"daemon", b"bin", b"sys"
# The numbers of languages in a permit.
SPANISH, UNKNOWN = 2, 0xFF
# The offsets in the queue file.
HEADER, CHAIN = 128, 32


def test(function):
    TESTS.append(function)
    return function


def wait_for(condition, seconds=180.0):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return
        time.sleep(0.05)
    raise AssertionError("nothing happened for too long")


def short(value):
    return bytes([len(value)]) + value


class Codes:
    """Offline recovery codes of a user."""

    def __init__(self, count=3, set_id=b"set-id-1"):
        self.plain = [os.urandom(10) for _ in range(count)]
        self.salt, self.set_id = os.urandom(16), set_id

    def typed(self, number):
        digits = base64.b32encode(self.plain[number]).decode().lower()
        return "-".join(digits[index:index + 4] for index in range(0, 16, 4)).encode()

    def encoded(self):
        hashes = [hashlib.scrypt(code, salt=self.salt, n=1 << 14, r=8, p=1, maxmem=1 << 26, dklen=32)
                  for code in self.plain]
        return self.set_id + self.salt + bytes([14, len(hashes)]) + b"".join(
            bytes([number]) + value for number, value in enumerate(hashes))


def permit(user, methods, codes=None, signed_in=0, expires=DAY, services=None, hours=1, language=UNKNOWN):
    """Returns a permit of a verifier. The times are relative to now."""
    now = int(time.time())
    names = b"\xff" if services is None else bytes([len(services)]) + b"".join(map(short, services))
    body = b"\1" + short(user) + bytes([language]) + struct.pack(">qqq", now, now + signed_in, now + expires)
    body += b"\1" + bytes([methods]) + struct.pack(">q", hours * 3600) + names
    return body + (b"\0" if codes is None else b"\1" + codes.encoded()) + text(user)


def begin(relay, user, name="root", **fields):
    """Sends a request of the module. Each request has a connection of its own."""
    connection = relay.connect(name)
    connection.settimeout(180)
    connection.send(call(user, **fields))
    return connection


def receive(connection):
    """Returns the next packet. An end of the connection is an empty one."""
    try:
        return connection.recv(LONGEST)
    except ConnectionError:
        return b""


class Outage:
    """A relay that keeps permits, and its only verifier, which ends later."""

    def __init__(self, realm, permits):
        self.realm = realm
        self.verifier = realm.verifier("a")
        self.service = self.verifier.service
        self.service.permits.update(permits)
        self.folder = realm.folder / "offline"
        self.folder.mkdir(mode=0o700)
        self.relay = realm.relay([self.verifier], settings=f"offline_folder = {self.folder}")

    def sign_in(self, user, **options):
        """Signs in while the verifier answers, and waits for the permit."""
        before = self.relay.state().get("permits", "0")
        packets = self.attempt(user, b"right", prompt=b"Code at a: ", **options)
        assert packets[-1] == verdict(1), packets
        wait_for(lambda: self.relay.state().get("permits", "0") != before)

    def begin(self):
        """Ends the verifier, and waits until the relay decides by itself."""
        self.verifier.kill()
        self.wait()

    def wait(self):
        def is_offline():
            packet = self.packet(b"nobody")
            return UNCERTAIN not in b" ".join(packet.split()) and self.relay.state().get("state") == "offline"
        wait_for(is_offline)

    def end(self):
        self.verifier.begin()
        wait_for(lambda: self.relay.state().get("state") == "online")

    def attempt(self, user, *codes, prompt=PROMPT, **options):
        """Returns the packets of a sign-in with these answers."""
        packets = [self.packet(user, **options)]
        for code in codes:
            asked = Reply(packets[-1]) if packets[-1] else None
            if not asked or asked.prompt != prompt:
                break
            packets.append(self.packet(user, continuation=asked.continuation, answer=code, **options))
        return packets

    def packet(self, user, **options):
        """Returns the reply to one request."""
        connection = begin(self.relay, user, **options)
        packet = receive(connection)
        connection.close()
        return packet

    def allows(self, user, *codes, **options):
        return Reply(self.attempt(user, *codes, **options)[-1]).verdict == 1

    def records(self):
        """The kinds of the records of all reports, with their users."""
        records = []
        for report in self.service.reports:
            for record in report if report != "damaged" else []:
                length = record[17]
                records.append((record[16], record[18:18 + length]))
        return records


@test
def offline_with_codes(realm):
    codes, others = Codes(), Codes(set_id=b"set-id-2")
    outage = Outage(realm, {ALICE: permit(ALICE, RECOVERY, codes, services=[b"sudo"]),
                            BOB: permit(BOB, RECOVERY, others),
                            CAROL: permit(CAROL, RECOVERY, Codes(), expires=-1, language=SPANISH)})
    # Right after the verifier has ended, the relay waits for it.
    for user in (ALICE, BOB, CAROL):
        outage.sign_in(user)
    outage.verifier.kill()
    packet = outage.attempt(ALICE)[0]
    assert UNCERTAIN in b" ".join(packet.split()) and Reply(packet).verdict == 0, packet
    outage.wait()
    packets = outage.attempt(ALICE, codes.typed(0))
    assert b"cannot be reached. Enter an offline recovery code" in b" ".join(packets[0].split()), packets
    assert Reply(packets[1]).verdict == 1 and b"You have 2 left" in b" ".join(packets[1].split()), packets
    # The code once more, the code of another user, what is no code, and another service.
    assert not outage.allows(ALICE, codes.typed(0))
    assert not outage.allows(BOB, codes.typed(1))
    packets = outage.attempt(ALICE, b"123456", b"hello", b"")
    assert b"is not an offline recovery code" in packets[1] and Reply(packets[-1]).verdict == 0, packets
    assert not outage.allows(ALICE, codes.typed(1), service=b"login")
    # Without a permit, with one that has expired, with a policy of the host's own, and for another user's program.
    assert not outage.allows(b"games", codes.typed(1))
    assert b"fue hace demasiado tiempo" in b" ".join(outage.attempt(CAROL)[0].split())
    assert not outage.allows(ALICE, codes.typed(1), arguments=[b"config=/tmp/x"])
    # The account line of the same sign-in, and the one of another user.
    assert outage.allows(ALICE, line=2, note=b"a" + ALICE)
    assert not outage.allows(BOB, line=2, note=b"a" + BOB)
    assert outage.allows(ALICE, codes.typed(1))
    # Reported once after the verifier answers again.
    outage.end()
    wait_for(lambda: outage.relay.state().get("queued") == "0")
    expected = [(1, ALICE), (2, ALICE), (1, ALICE), (1, BOB), (1, ALICE), (2, ALICE)]
    assert outage.records() == expected, outage.records()
    outage.relay.kill()
    outage.relay.start()
    outage.begin()
    # The verifier gave a permit that still has the codes.
    assert not outage.allows(ALICE, codes.typed(0)) and not outage.allows(ALICE, codes.typed(1))
    assert outage.allows(ALICE, codes.typed(2))
    assert outage.service.position[0] == len(expected)


@test
def offline_throttle(realm):
    codes = Codes()
    outage = Outage(realm, {ALICE: permit(ALICE, RECOVERY, codes)})
    outage.sign_in(ALICE)
    outage.begin()
    wrong = b"aaaa-aaaa-aaaa-aaaa"
    assert Reply(outage.attempt(ALICE, wrong, wrong, wrong)[-1]).verdict == 0
    packet = outage.attempt(ALICE, codes.typed(0))[-1]
    assert b"Too many wrong codes. Try again in" in packet, packet
    # A new process of the relay does not forget.
    outage.relay.kill()
    outage.relay.start()
    outage.wait()
    packet = outage.attempt(ALICE, codes.typed(0))[-1]
    assert b"Too many wrong codes. Try again in" in packet, packet


@test
def offline_remembered(realm):
    outage = Outage(realm, {ALICE: permit(ALICE, REMEMBERED),
                            BOB: permit(BOB, REMEMBERED, signed_in=-7200)})
    outage.sign_in(ALICE, source=b"192.0.2.7")
    outage.sign_in(BOB, source=b"192.0.2.7")
    outage.begin()
    assert outage.allows(ALICE, source=b"192.0.2.7")
    assert not outage.allows(ALICE, source=b"192.0.2.8")
    assert not outage.allows(ALICE, source=b"host.example.org") and not outage.allows(ALICE)
    assert not outage.allows(BOB, source=b"192.0.2.7")
    outage.end()
    wait_for(lambda: outage.relay.state().get("queued") == "0")
    assert outage.records() == [(3, ALICE)], outage.records()


@test
def offline_remembered_key(realm):
    outage = Outage(realm, {ALICE: permit(ALICE, REMEMBERED)})
    options = {"service": b"sshd", "source": b"2001:db8::1"}
    outage.sign_in(ALICE, methods=b"publickey ssh-ed25519 AAAA", **options)
    outage.begin()
    assert outage.allows(ALICE, methods=b"publickey ssh-ed25519 AAAA", **options)
    assert not outage.allows(ALICE, methods=b"publickey ssh-ed25519 BBBB", **options)
    assert not outage.allows(ALICE, methods=None, **options)


@test
def offline_break_glass(realm):
    outage = Outage(realm, {ALICE: permit(ALICE, BREAK_GLASS), BOB: permit(BOB, 0)})
    outage.sign_in(ALICE)
    outage.sign_in(BOB)
    outage.begin()
    packet = outage.attempt(ALICE)[0]
    assert Reply(packet).verdict == 1 and b"This sign-in is reported" in b" ".join(packet.split()), packet
    assert not outage.allows(BOB)
    outage.end()
    wait_for(lambda: outage.relay.state().get("queued") == "0")
    assert outage.records() == [(4, ALICE)], outage.records()


@test
def report_put_off(realm):
    outage = Outage(realm, {ALICE: permit(ALICE, BREAK_GLASS)})
    outage.sign_in(ALICE)
    outage.begin()
    assert outage.allows(ALICE)
    outage.service.put_off = [1, 2]
    outage.end()
    wait_for(lambda: outage.relay.state().get("queued") == "0")
    assert not outage.service.put_off and outage.records() == [(4, ALICE)], outage.records()
    # The queue stays while reports are put off or refused, and permits are renewed.
    for seconds in (3600, 0):
        outage.begin()
        assert outage.allows(ALICE)
        outage.service.put_off = [seconds]
        del outage.service.permits[ALICE]
        outage.end()
        wait_for(lambda: outage.relay.state().get("permits") == "0")
        assert outage.relay.state().get("queued") == "1" and not outage.service.put_off
        outage.service.permits[ALICE] = permit(ALICE, BREAK_GLASS)
        outage.relay.kill()
        outage.relay.start()
        wait_for(lambda: outage.relay.state().get("queued") == "0")
        outage.sign_in(ALICE)


@test
def offline_for_users(realm):
    realm.folder.chmod(0o711)
    outage = Outage(realm, {b"nobody": permit(b"nobody", BREAK_GLASS)})
    outage.sign_in(b"nobody")
    outage.begin()
    assert outage.allows(b"nobody")
    script = ("import os, sys; sys.path.insert(0, sys.argv[1]); import socket, offline\n"
              "os.setgid(65534); os.setuid(65534)\n"
              "class Relay:\n    def connect(self, name):\n"
              "        c = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET); c.connect(sys.argv[2]); return c\n"
              "packet = offline.receive(offline.begin(Relay(), b'nobody'))\n"
              "sys.exit(0 if offline.Reply(packet).verdict == 0 else 1)\n")
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    subprocess.run(["python3", "-c", script, os.path.dirname(os.path.abspath(__file__)),
                    str(outage.relay.folder / "users")], check=True, timeout=120, env=environment)


@test
def killed_between_mark_and_answer(realm):
    codes = Codes(4)
    outage = Outage(realm, {ALICE: permit(ALICE, RECOVERY, codes)})
    outage.sign_in(ALICE)
    outage.verifier.kill()
    outage.relay.kill()
    # The first two waits for the disk record the attempt, the others the use of the code.
    for number in (1, 2):
        trace = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=fdatasync",
                 "-e", f"inject=fdatasync:signal=KILL:when={number + 1}"]
        outage.relay.start(*trace)
        outage.wait()
        packets = outage.attempt(ALICE, codes.typed(number))
        assert Reply(packets[0]).prompt == PROMPT and packets[-1] == b"", packets
        outage.relay.process.wait(60)
        outage.relay.start()
        outage.wait()
        is_used = number >= 2
        assert outage.allows(ALICE, codes.typed(number)) != is_used, number
        outage.relay.kill()


def header(queue, latest):
    """Returns the content of a queue with another latest time."""
    covered = queue[:88] + struct.pack(">q", latest)
    return covered + hmac.digest(bytes(CHAIN), covered, "sha256") + queue[HEADER:]


@test
def offline_queue_is_changed(realm):
    codes = Codes()
    outage = Outage(realm, {ALICE: permit(ALICE, RECOVERY, codes)})
    outage.sign_in(ALICE)
    outage.begin()
    assert outage.allows(ALICE, codes.typed(0))
    outage.relay.kill()
    file = outage.folder / "queue"
    whole = file.read_bytes()
    last = HEADER + 2 + struct.unpack(">H", whole[HEADER:HEADER + 2])[0] + CHAIN
    changed = bytearray(whole)
    changed[last + 40] ^= 1
    later = int(time.time()) + DAY
    for content in (whole[:last], bytes(changed), None, header(whole, later)):
        if content is None:
            file.unlink()
        else:
            file.write_bytes(content)
        outage.relay.start()
        outage.wait()
        for code in (codes.typed(0), codes.typed(1)):
            assert b"this host cannot decide" in b" ".join(outage.attempt(ALICE, code)[0].split()), content
        is_sound = content is not None and len(content) == len(whole) and bytes(content[HEADER:]) == whole[HEADER:]
        assert outage.relay.state()["queue"] == ("sound" if is_sound else "damaged"), content
        outage.relay.kill()
    # A verifier is told, and the host begins anew, without a permit.
    file.write_bytes(whole[:last])
    outage.relay.start()
    outage.end()
    wait_for(lambda: outage.relay.state().get("queue") == "sound")
    assert outage.service.reports == ["damaged"], outage.service.reports
    assert outage.relay.state()["permits"] == "0"
    outage.begin()
    assert not outage.allows(ALICE, codes.typed(1))
