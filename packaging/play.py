#!/usr/bin/env python3
"""Plays a person at a terminal, for packaging/try: enrols, signs in, tries what must be refused.

    play.py log SOCKET FILE     collects what is sent to the system log, until killed
    play.py --port PORT --user NAME --known-hosts FILE --log FILE
                                plays; the account's password is read from standard input

Everything goes through real terminals, the way it does for a person: the key is read off the
screen and given to `oathtool`, which is the authenticator app here.
"""

import argparse
import os
import pty
import re
import select
import signal
import socket
import subprocess
import sys
import time

# How long anything may take before it counts as stuck, in seconds.
PATIENCE = 30
PERIOD = 30


class Failure(Exception):
    """Something that a person would have seen and should not have, or the other way round."""


class Terminal:
    """A program in a terminal of its own."""

    def __init__(self, arguments, columns=100, rows=60):
        self.seen = ""
        self.position = 0
        self.identifier, self.descriptor = pty.fork()
        if self.identifier == 0:
            try:
                set_size(0, rows, columns)
                environment = {
                    "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
                    "TERM": "xterm-256color",
                    "LANG": "C.UTF-8",
                    "HOME": "/",
                }
                os.execvpe(arguments[0], arguments, environment)
            finally:
                os._exit(127)

    def read(self, deadline):
        """Reads what there is. False at the end."""
        ready, _, _ = select.select([self.descriptor], [], [], max(0, deadline - time.monotonic()))
        if not ready:
            raise Failure("nothing more appeared on the screen for %d s" % PATIENCE)
        try:
            data = os.read(self.descriptor, 65536)
        except OSError:
            data = b""
        self.seen += data.decode("utf-8", "replace")
        return bool(data)

    def expect(self, *patterns):
        """Waits for the first of the patterns; returns its number and match."""
        deadline = time.monotonic() + PATIENCE
        while True:
            for number, pattern in enumerate(patterns):
                match = re.compile(pattern).search(self.seen, self.position)
                if match:
                    self.position = match.end()
                    return number, match
            if not self.read(deadline):
                raise Failure("it ended where it should have said: " + " or ".join(patterns))

    def answer(self, text, what):
        os.write(self.descriptor, text.encode() + b"\n")
        note("types " + what)

    def finish(self):
        """Reads to the end; returns the exit status."""
        deadline = time.monotonic() + PATIENCE
        while self.read(deadline):
            pass
        return os.waitstatus_to_exitcode(os.waitpid(self.identifier, 0)[1])

    def show(self):
        """Prints what the person saw."""
        for line in re.split(r"[\r\n]+", self.seen.strip("\r\n")):
            print("    | " + line)
        sys.stdout.write("\x1b[0m" if "\x1b" in self.seen else "")
        sys.stdout.flush()

    def close(self):
        try:
            os.kill(self.identifier, signal.SIGKILL)
            os.waitpid(self.identifier, 0)
        except (ProcessLookupError, ChildProcessError):
            pass
        os.close(self.descriptor)


def set_size(descriptor, rows, columns):
    import fcntl
    import struct
    import termios

    fcntl.ioctl(descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


def step(text):
    print("\n==> " + text, flush=True)


def note(text):
    print("    the person " + text, flush=True)


def code_now(key):
    """What the authenticator app shows. The key goes in by a pipe: never as an argument."""
    shown = subprocess.run(
        ["oathtool", "--base32", "--totp", "-"],
        input=key + "\n", capture_output=True, text=True, check=True, timeout=PATIENCE,
    )
    return shown.stdout.strip()


def wait_for_next(key, used):
    """Waits, as the person does, until the app shows another code than the used one."""
    left = PERIOD - time.time() % PERIOD
    if code_now(key) == used:
        note("waits %d s, until the app shows the next code" % (left + 1))
        while code_now(key) == used:
            time.sleep(0.5)
    return code_now(key)


def wrong_code(right):
    """A code that is none of those near the right one, except by a chance of one in 100,000."""
    return "%06d" % ((int(right) + 123457) % 1000000)


class Play:
    def __init__(self, options, password):
        self.options = options
        self.password = password
        self.key = ""
        self.used = ""

    def as_user(self, *arguments):
        user = self.options.user
        home = os.path.expanduser("~" + user)
        return Terminal(
            ["runuser", "-u", user, "--", "env", "HOME=" + home, "USER=" + user, *arguments])

    def ssh(self):
        options = self.options
        return Terminal([
            "ssh", "-F", "/dev/null", "-p", str(options.port),
            "-o", "UserKnownHostsFile=" + options.known_hosts,
            "-o", "StrictHostKeyChecking=yes",
            "-o", "PreferredAuthentications=keyboard-interactive",
            "-o", "NumberOfPasswordPrompts=1",
            options.user + "@127.0.0.1", "echo signed in as $(id -un)",
        ])

    def enrol(self):
        step("%s enrols: mfa-enroll enroll --name phone" % self.options.user)
        terminal = self.as_user("mfa-enroll", "enroll", "--name", "phone")
        try:
            terminal.expect("Password: ")
            terminal.answer(self.password, "the password")
            _, key = terminal.expect(r"key: ([A-Z2-7 ]+)")
            terminal.expect("Code from the app: ")
            self.key = key.group(1).replace(" ", "")
            self.used = code_now(self.key)
            terminal.answer(self.used, "the code that the app shows, " + self.used)
            status = terminal.finish()
        finally:
            terminal.show()
            terminal.close()
        if status != 0:
            raise Failure("mfa-enroll ended with status %d" % status)

    def list(self):
        step("%s looks: mfa-enroll list" % self.options.user)
        terminal = self.as_user("mfa-enroll", "list")
        try:
            status = terminal.finish()
        finally:
            terminal.show()
            terminal.close()
        if status != 0 or "phone" not in terminal.seen:
            raise Failure("the factor that was enrolled is not in the list")

    def sign_in(self, title, password, code, what):
        """Signs in by ssh. Returns whether that worked, and whether a code was asked for."""
        step(title)
        asked = False
        terminal = self.ssh()
        try:
            terminal.expect("Password: ")
            terminal.answer(password, "the password" if password == self.password
                            else "a wrong password")
            number, _ = terminal.expect("One-time code: ", "Permission denied|Connection closed",
                                        "signed in as")
            if number == 0:
                asked = True
                terminal.answer(code, what)
            status = terminal.finish()
        finally:
            terminal.show()
            terminal.close()
        worked = status == 0 and "signed in as " + self.options.user in terminal.seen
        return worked, asked

    def must_work(self, title):
        code = wait_for_next(self.key, self.used)
        worked, asked = self.sign_in(title, self.password, code, "the code " + code)
        self.used = code
        if not asked:
            raise Failure("no code was asked for")
        if not worked:
            raise Failure("the right password and code did not sign in")

    def must_fail(self, title, code, what):
        worked, asked = self.sign_in(title, self.password, code, what)
        if worked:
            raise Failure("that signed in, and must not")
        if not asked:
            raise Failure("no code was asked for, so that nothing was tried")

    def logged(self):
        """What the module wrote to the system log so far."""
        with open(self.options.log, encoding="utf-8", errors="replace") as file:
            return [line.rstrip("\n") for line in file if "result=" in line]

    def run(self):
        user = self.options.user
        self.enrol()
        self.list()
        self.must_work("%s signs in by ssh with password and code" % user)
        self.must_fail("the same code again: it was used, and must be refused",
                       self.used, "the used code " + self.used)
        wrong = wrong_code(code_now(self.key))
        self.must_fail("a wrong code: it must be refused", wrong, "a wrong code, " + wrong)
        worked, asked = self.sign_in("a wrong password: no code may be asked for",
                                     "not the password", "", "")
        if worked or asked:
            raise Failure("a wrong password led further than it may")
        self.must_work("the next code: mistakes have locked nobody out")

        step("what the system log says of it (authpriv)")
        lines = self.logged()
        for line in lines:
            print("    | " + line)
        results = [re.search(r"result=(\S+)", line).group(1) for line in lines
                   if "service=sshd" in line]
        expected = ["accepted", "replayed", "wrong", "accepted"]
        if results != expected:
            raise Failure("the log should tell of %s, and tells of %s"
                          % (", ".join(expected), ", ".join(results) or "nothing"))


def collect_log(path, file_name):
    """Stands in for the system log: one line of the file for each message."""
    if os.path.exists(path):
        os.unlink(path)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    listener.bind(path)
    os.chmod(path, 0o666)
    with open(file_name, "a", encoding="utf-8") as file:
        while True:
            message = listener.recv(65536).decode("utf-8", "replace")
            file.write(re.sub(r"^<\d+>", "", message).rstrip("\n\0") + "\n")
            file.flush()


def main():
    if sys.argv[1:2] == ["log"] and len(sys.argv) == 4:
        collect_log(sys.argv[2], sys.argv[3])
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--user", required=True)
    parser.add_argument("--known-hosts", required=True)
    parser.add_argument("--log", required=True)
    options = parser.parse_args()
    try:
        Play(options, sys.stdin.readline().rstrip("\n")).run()
    except Failure as failure:
        print("\nplay: error: %s" % failure, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
