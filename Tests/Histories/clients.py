"""Users of a realm: they sign in with right, wrong, early, late and used codes, at several verifiers at once.

Administrators revoke users and hosts, and unlock users.
"""

import os
import random
import threading
import time

from conversations import ALLOW, PASS, PERIOD, Host, HostRefused, Refused, change, code, enrol, join, sign_in
from history import UNKNOWN
from verifiers import INTERVALS

# How long a client waits for a sign-in: longer than a service may take for one commit.
PATIENCE = 9
# The host of the administrator, which is not revoked.
ADMINISTRATION = "admin.example.org"
HOSTS = ("web1.example.org", "web2.example.org", "web3.example.org")


class User:
    """A user, with the factor that was enrolled last."""

    def __init__(self, number, is_attacked):
        self.name = b"user%02d" % number
        self.number = 2000 + number
        # Of an attacked user, only wrong codes are tried, so that no success clears the failures.
        self.is_attacked = is_attacked
        self.secret = self.factor = None
        # The step that was accepted last, and the monotonic time until which codes are certainly refused.
        self.accepted, self.refused_until = -1, 0.0
        self.changing = threading.Lock()

    @property
    def text(self):
        return self.name.decode()


class Clients:
    """The threads that act, until they are stopped."""

    def __init__(self, verifiers, history, seed, users=36, attacked=4, threads=6):
        self.verifiers, self.history, self.seed = verifiers, history, seed
        self.users = [User(number, number < attacked) for number in range(users)]
        self.hosts = {}
        self.joining, self.rejoining = threading.Lock(), threading.Lock()
        self.last_serial = 0
        self.stopping = threading.Event()
        self.threads = [threading.Thread(target=self.act, args=(number,), daemon=True) for number in range(threads)]
        self.threads.append(threading.Thread(target=self.administer, daemon=True))
        self.failures = []

    # --- Setting up ---

    def join(self, name, verifier):
        """Has a host join. Returns whether that worked."""
        with self.joining:
            self.last_serial += 1
            serial = bytes([1]) + self.last_serial.to_bytes(3, "big")
        ticket = verifier.administer("ticket", name, "--group", "all", seconds=8)
        if ticket is None:
            return False
        number = self.history.invoke("join", host=name, serial=serial.hex(), verifier=verifier.name)
        try:
            join(verifier.path, ticket.encode(), serial, PATIENCE)
        except (OSError, Refused, AssertionError):
            self.history.finish(number, UNKNOWN)
            return False
        self.history.finish(number, "done")
        self.hosts[name] = serial
        return True

    def enrol(self, user, verifier):
        """Enrols a factor of a user. Returns whether that worked."""
        host, serial = self.host(random.choice(HOSTS))
        number = self.history.invoke("enrol", user=user.text, verifier=verifier.name)
        try:
            secret, factor = enrol(verifier.path, Host(host, serial), user.name, user.number,
                                   verifier.decision_time(), PATIENCE)
        except (OSError, Refused, AssertionError) as error:
            self.history.finish(number, UNKNOWN, reason=repr(error))
            return False
        user.secret, user.factor, user.accepted = secret, factor, -1
        self.history.finish(number, "done", factor=factor)
        return True

    def host(self, name):
        return name, self.hosts[name]

    # --- Sign-ins ---

    def sign_in(self, user, chosen, verifier, host, nonce):
        """Signs in once. `chosen` is the answer, with its step and factor, or None for a wrong code."""
        answer, step, factor = chosen
        name, serial = self.host(host)
        begin = time.monotonic()
        number = self.history.invoke("sign-in", user=user.text, host=name, serial=serial.hex(), nonce=nonce.hex(),
                                     verifier=verifier.name, step=step, factor=factor)
        reason = None
        try:
            verdict, line = sign_in(verifier.path, Host(name, serial), user.name, user.number, answer, nonce,
                                    PATIENCE)
            result = outcome(verdict, line)
            reason = line.get("reason")
        except (OSError, AssertionError) as error:
            result, reason = UNKNOWN, repr(error)
        slow, fast = verifier.offsets_since(begin)
        self.history.finish(number, result, slow=slow, fast=fast, reason=reason)
        if result == "accepted":
            user.accepted = max(user.accepted, step or 0)
        elif result == "throttled":
            user.refused_until = time.monotonic() + int(line["wait"])
        return result

    def choose(self, user, verifier, source):
        """Returns a code for a user: right, early, late, wrong, or what a clock that is ahead would accept."""
        step = int(source.choice((verifier.decision_time, verifier.decision_time, verifier.now))()) // PERIOD
        secret, factor = user.secret, user.factor
        if user.is_attacked or source.random() < 0.06:
            near = {code(secret, near) for near in range(step - 20, step + 21)}
            while True:
                answer = b"%06d" % source.randrange(10 ** 6)
                if answer not in near:
                    return answer, None, factor
        step += source.choice((0, 0, 0, 0, INTERVALS, -INTERVALS))
        return code(secret, step), step, factor

    def act(self, number):
        source = random.Random("%d client %d" % (self.seed, number))
        while not self.stopping.is_set():
            try:
                self.act_once(source)
            except Exception as error:  # pylint: disable=broad-except
                self.failures.append(error)
                raise
            time.sleep(source.uniform(0, 0.1))

    def act_once(self, source):
        user = source.choice(self.users)
        verifier = source.choice(self.verifiers)
        # Most attempts are those that could be accepted.
        if source.random() < 0.9 and (user.refused_until > time.monotonic() or
                                      user.accepted >= int(time.time()) // PERIOD):
            return
        if user.factor is None:
            if user.changing.acquire(blocking=False):
                try:
                    self.enrol(user, verifier)
                finally:
                    user.changing.release()
            return
        chosen, host = self.choose(user, verifier, source), source.choice(HOSTS)
        nonce = os.urandom(16)
        if source.random() < 0.3 and not user.is_attacked:
            # The same code at other hosts and verifiers at the same time.
            rivals = [threading.Thread(target=self.sign_in, args=(
                user, chosen, source.choice(self.verifiers), source.choice(HOSTS), os.urandom(16)), daemon=True)
                for _ in range(2)]
            for rival in rivals:
                rival.start()
            result = self.sign_in(user, chosen, verifier, host, nonce)
            for rival in rivals:
                rival.join()
        else:
            result = self.sign_in(user, chosen, verifier, host, nonce)
        if result in (UNKNOWN, "error") and source.random() < 0.6 or result == "accepted" and source.random() < 0.1:
            # The relay asks another verifier with the same nonce.
            result = self.sign_in(user, chosen, source.choice(self.verifiers), host, nonce)
        if result == "accepted" and source.random() < 0.3:
            self.sign_in(user, chosen, source.choice(self.verifiers), source.choice(HOSTS), os.urandom(16))
        if result == "not-enrolled":
            user.factor = None
        elif result == "refused":
            self.rejoin(host, verifier)

    def rejoin(self, host, verifier):
        """Has a host join again that a verifier refuses: it was revoked, or its joining was lost.

        A verifier also refuses a host while it cannot reach the database.
        """
        if self.rejoining.acquire(blocking=False):
            try:
                self.join(host, verifier)
            finally:
                self.rejoining.release()

    # --- Administration ---

    def administer(self):
        source = random.Random("%d administrator" % self.seed)
        while not self.stopping.is_set():
            verifier = source.choice(self.verifiers)
            choice = source.random()
            user = source.choice(self.users)
            if choice < 0.45:
                self.change("revoke-user", verifier, user=user.text)
            elif choice < 0.75:
                self.change("unlock", verifier, user=user.text)
            elif choice < 0.85:
                self.change("revoke-host", verifier, host=source.choice(HOSTS))
            self.stopping.wait(source.uniform(0.5, 2.5))

    def change(self, operation, verifier, **subject):
        """Carries out a command about a user or a host, as an administrator on a host does."""
        if ADMINISTRATION not in self.hosts and not self.join(ADMINISTRATION, verifier):
            return False
        number = self.history.invoke(operation, verifier=verifier.name, **subject)
        try:
            changed = change(verifier.path, Host(*self.host(ADMINISTRATION)), operation, *subject.values(), 20)
        except (OSError, Refused, AssertionError) as error:
            self.history.finish(number, UNKNOWN)
            if isinstance(error, HostRefused):
                # A failover has lost the joining.
                self.rejoin(ADMINISTRATION, verifier)
            return False
        # What changed nothing has no line in the audit log.
        self.history.finish(number, "done" if changed else "unchanged")
        return True

    # --- Threads ---

    def start(self):
        for thread in self.threads:
            thread.start()

    def stop(self):
        self.stopping.set()
        for thread in self.threads:
            thread.join(120)


def outcome(verdict, line):
    """Returns the result of a sign-in, from its verdict and its line for the log."""
    result = line.get("result")
    if verdict == ALLOW:
        return "accepted"
    if verdict is None:
        return UNKNOWN
    if verdict == PASS:
        return "passed"
    if line.get("counted") == "no":
        # The same answer again, which was neither compared nor counted.
        return "repeated"
    if result in ("wrong", "replayed", "throttled", "locked"):
        return result
    if result == "enrollment-required":
        return "not-enrolled"
    # Without a line, the service has refused the host. An error may have come after a commit.
    return "refused" if result is None else "error"
