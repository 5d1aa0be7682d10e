"""The decision services, each on a machine of its own, and what an administrator does there."""

import os
import pathlib
import pwd
import shutil
import signal
import struct
import subprocess
import time

from fleet import Machine, run, wait_for
from postgresql import send, tree

ADDRESSES = {"verifier1": "10.77.0.21", "verifier2": "10.77.0.22", "verifier3": "10.77.0.23"}
# The policy. Waits are short, so that a run has many.
INTERVALS = 1
THROTTLE = {"after": 4, "first": 1, "longest": 8, "locked": 60}
PROGRAM = "/usr/sbin/mfa-verifier"
# By how many seconds the clock of a verifier may be ahead of the database's.
TOLERANCE = 5
CLOCK = "/usr/lib/mfa-test-clock.so"
SOURCE = pathlib.Path(__file__).resolve().parent / "clock.c"


class Verifier(Machine):
    """A machine with a decision service, whose clock can be wrong."""

    def __init__(self, name, address, key, database):
        super().__init__(name, address)
        (self.configuration / "mfa.conf").write_text(
            "[project]\nenrollment = required\nadjacent_intervals = %d\nthrottle_after = %d\n"
            "throttle_first_wait = %ds\nthrottle_longest_wait = %ds\ndisable_after = %d\n"
            % (INTERVALS, THROTTLE["after"], THROTTLE["first"], THROTTLE["longest"], THROTTLE["locked"]))
        self.connect(database)
        (self.configuration / "key").write_bytes(key)
        mfa = pwd.getpwnam("mfa")
        os.chown(self.configuration / "key", mfa.pw_uid, mfa.pw_gid)
        (self.configuration / "key").chmod(0o400)
        self.socket = self.folder / "run-mfa-verifier" / "front"
        self.socket.parent.chmod(0o755)
        shutil.chown(self.socket.parent, "mfa")
        self.clock = self.folder / "clock"
        # How far the clock is ahead, in seconds, and from when on.
        self.offsets = [(0.0, 0)]
        self.jump(0)

    def connect(self, database):
        """Configures the database, with its lines of verifier.conf, for programs that are started later."""
        (self.configuration / "verifier.conf").write_text(
            "%sfront_user = root\nprocesses = 14\n\n[hosts all]\nenrolling = on\nadministering = on\nfailures_hourly = 10000\n"
            % database)

    @property
    def path(self):
        return str(self.socket)

    def start(self):
        self.socket.unlink(missing_ok=True)
        self.service = self.spawn("env", "LD_PRELOAD=" + CLOCK, "MFA_TEST_CLOCK=%s" % self.clock, PROGRAM, "serve",
                                  "--listen", "/run/mfa-verifier/front", user="mfa")
        wait_for("mfa-verifier", self.socket.exists)

    def running(self):
        return tree(self.service.pid)

    def workers(self):
        return self.running()[1:]

    def kill(self):
        """Kills the supervisor and the processes that it started."""
        send(signal.SIGKILL, self.running())
        self.service.wait()

    def restart_if_ended(self):
        send(signal.SIGCONT, self.running())
        if self.service.poll() is not None:
            self.start()

    def jump(self, seconds):
        """Sets the clock of the service, and of nothing else, ahead by a number of seconds."""
        self.offsets.append((time.monotonic(), seconds))
        with open(self.clock, "r+b" if self.clock.exists() else "wb") as file:
            file.write(struct.pack("=q", seconds))

    def offsets_since(self, begin):
        """Returns how far the times of decisions can be ahead since a moment, at least and at most.

        A process may use the time a little later than it read the clock. The database's clock, which is right, limits
        the times, and counts whole seconds.
        """
        seen = [offset for number, (_, offset) in enumerate(self.offsets)
                if number + 1 == len(self.offsets) or self.offsets[number + 1][0] > begin - 0.5]
        return min(*seen, TOLERANCE - 2), min(max(seen), TOLERANCE)

    def now(self):
        """Returns the time by the clock of the service."""
        return time.time() + self.offsets[-1][1]

    def decision_time(self):
        """Returns the time that the service uses for a decision."""
        return time.time() + min(self.offsets[-1][1], TOLERANCE)

    def administer(self, *arguments, seconds=20):
        """Runs a command of mfa-verifier. Returns its output, or None if it failed or took too long."""
        try:
            ended = subprocess.run(self.command(PROGRAM, *arguments, user="mfa"), capture_output=True, text=True,
                                   timeout=seconds, check=False)
        except subprocess.TimeoutExpired:
            return None
        return ended.stdout.strip() if ended.returncode == 0 else None


def set_up_clock():
    """Builds the library that gives a service a clock of its own."""
    run("cc", "-shared", "-fPIC", "-O", "-Wall", "-Wextra", "-Werror", "-o", CLOCK, SOURCE)


def set_up_accounts():
    for name in ("mfa", "postgres"):
        if subprocess.run(["id", name], capture_output=True, check=False).returncode != 0:
            run("useradd", "--system", "--no-create-home", name)
