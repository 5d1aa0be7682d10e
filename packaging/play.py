#!/usr/bin/env python3
"""Acts as a user at a terminal, for packaging/try: enrols, signs in, tries codes that must fail.

    play.py log SOCKET FILE     collects the messages to the system log, until killed
    play.py --port PORT --user NAME --known-hosts FILE --log FILE
                                acts as the user; the account's password is read from standard input

All programs run in real terminals, as they do for a user: the key is read from the screen and given
to `oathtool`, which acts as the authenticator app.
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

# How long to wait for output before a program counts as stuck, in seconds.
PATIENCE = 120
PERIOD = 30


class Failure(Exception):
    """The user sees something that must not appear, or does not see something that must."""


class Terminal:
    """A program in its own terminal."""

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
        """Reads the available output. Returns False at the end."""
        ready, _, _ = select.select([self.descriptor], [], [], max(0, deadline - time.monotonic()))
        if not ready:
            raise Failure("no output for %d s" % PATIENCE)
        try:
            data = os.read(self.descriptor, 65536)
        except OSError:
            data = b""
        self.seen += data.decode("utf-8", "replace")
        return bool(data)

    def expect(self, *patterns):
        """Waits until one of the patterns matches; returns its number and match."""
        deadline = time.monotonic() + PATIENCE
        while True:
            for number, pattern in enumerate(patterns):
                match = re.compile(pattern).search(self.seen, self.position)
                if match:
                    self.position = match.end()
                    return number, match
            if not self.read(deadline):
                raise Failure("the program ended without this output: " + " or ".join(patterns))

    def answer(self, text, what):
        os.write(self.descriptor, text.encode() + b"\n")
        note("types " + what)

    def press(self, key, what):
        os.write(self.descriptor, key.encode())
        note("presses " + what)

    def finish(self):
        """Reads the output to its end; returns the exit status."""
        deadline = time.monotonic() + PATIENCE
        while self.read(deadline):
            pass
        return os.waitstatus_to_exitcode(os.waitpid(self.identifier, 0)[1])

    def show(self):
        """Prints what the user saw."""
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
    print("    the user " + text, flush=True)


def code_now(key):
    """Returns the current code of the app. The key is passed by a pipe, never as an argument."""
    shown = subprocess.run(
        ["oathtool", "--base32", "--totp", "-"],
        input=key + "\n", capture_output=True, text=True, check=True, timeout=PATIENCE,
    )
    return shown.stdout.strip()


def wait_for_next(key, used):
    """Waits until the app shows a different code from the used one, and returns it."""
    left = PERIOD - time.time() % PERIOD
    if code_now(key) == used:
        note("waits %d s, until the app shows the next code" % (left + 1))
        while code_now(key) == used:
            time.sleep(0.5)
    return code_now(key)


def wrong_code(right):
    """Returns a code other than `right`. The chance that it is right in an adjacent interval is about
    1 in 100,000."""
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
            terminal.expect("Code from the app: ")
            terminal.press("k", "k, for the key in place of the QR code")
            _, key = terminal.expect(r"Key: ([A-Z2-7 ]+)\r")
            terminal.expect("Code from the app: ")
            self.key = key.group(1).replace(" ", "")
            self.used = code_now(self.key)
            terminal.answer(self.used, "the code that the app shows, " + self.used)
            terminal.expect(r"save in a file\): ")
            terminal.answer("", "Enter, when the recovery codes are written down")
            status = terminal.finish()
        finally:
            terminal.show()
            terminal.close()
        if status != 0:
            raise Failure("mfa-enroll ended with status %d" % status)

    def list(self):
        step("%s lists the factors: mfa-enroll list" % self.options.user)
        terminal = self.as_user("mfa-enroll", "list")
        try:
            status = terminal.finish()
        finally:
            terminal.show()
            terminal.close()
        if status != 0 or "phone" not in terminal.seen:
            raise Failure("the enrolled factor is not in the list")

    def sign_in(self, title, password, code, what):
        """Signs in by ssh. Returns whether that succeeded, and whether a code was asked for."""
        step(title)
        asked = False
        terminal = self.ssh()
        try:
            terminal.expect("Password: ")
            terminal.answer(password, "the password" if password == self.password
                            else "a wrong password")
            number, _ = terminal.expect("Verification code: ", "Permission denied|Connection closed",
                                        "signed in as")
            while number in (0, 3):
                # A refused code can be tried again. An empty answer is not counted. The last question says why the
                # sign-in ends.
                terminal.answer("" if asked else code, "nothing" if asked else what)
                asked = True
                number, _ = terminal.expect("Verification code: ", "Permission denied|Connection closed",
                                            "signed in as", "Press Enter: ")
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
            raise Failure("the correct password and code did not sign in")

    def must_fail(self, title, code, what):
        worked, asked = self.sign_in(title, self.password, code, what)
        if worked:
            raise Failure("the sign-in succeeded, but must not")
        if not asked:
            raise Failure("no code was asked for, so none was tried")

    def logged(self):
        """Returns the lines that the module has written to the system log so far."""
        with open(self.options.log, encoding="utf-8", errors="replace") as file:
            return [line.rstrip("\n") for line in file if "result=" in line]

    def run(self):
        user = self.options.user
        self.enrol()
        self.list()
        wrong = wrong_code(code_now(self.key))
        self.must_fail("a wrong code: it must be refused", wrong, "a wrong code, " + wrong)
        worked, asked = self.sign_in("a wrong password: no code must be asked for",
                                     "not the password", "", "")
        if worked or asked:
            raise Failure("a wrong password led to a prompt for a code, or signed in")
        self.must_work("%s signs in by ssh with password and code: the failed attempts have not locked the user out"
                       % user)
        self.must_fail("the same code again: it is used, and must be refused",
                       self.used, "the used code " + self.used)

        step("the lines in the system log (authpriv)")
        lines = self.logged()
        for line in lines:
            print("    | " + line)
        results = [re.search(r"result=(\S+)", line).group(1) for line in lines
                   if "service=sshd" in line]
        # The empty answers that end a refused sign-in are no attempts.
        results = [result for result in results if result != "not-a-code"]
        expected = ["wrong", "accepted", "replayed"]
        if results != expected:
            raise Failure("the log should have the results %s, but has %s"
                          % (", ".join(expected), ", ".join(results) or "nothing"))


def collect_log(path, file_name):
    """Acts as the system log: writes one line to the file for each message."""
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
