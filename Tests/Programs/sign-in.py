#!/usr/bin/env python3
"""Signs a user in through a program, and prints what happened in one line.

    sign-in.py PROGRAM USER [--code CODE] [--password PASSWORD] [--again [SECONDS]]

PROGRAM is a name of PROGRAMS below; program_password prints a password that it has made for a program. The line is `in` or `refused`, after `code ` if the program asked for a code.
Programs with one field get the code directly after the password. Without --code, the code is made from the secret of the user in
/opt/mfa/secrets; a user who has none gives no code. The password is `open-sesame` by default. With --again, the same
answer is given a second time, in a new sign-in, SECONDS later, and both results are printed.

With SHOW=1 in the environment, what the program printed is on standard error.
"""

import argparse
import base64
import ftplib
import glob
import hashlib
import hmac
import imaplib
import io
import json
import os
import pathlib
import pty
import pwd
import re
import select
import shutil
import signal
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time
import urllib.error
import urllib.request

# The seconds that a sign-in may take.
LIMIT = 60


class Person:
    """A user who signs in, with what the user types."""

    def __init__(self, name, password, code):
        self.name = name
        self.password = password
        self.code = next_code(name) if code is None else code

    @property
    def one_field(self):
        """What the user types where the password and the code have one field."""
        return self.password + self.code


def next_code(user):
    """Returns a code of a user that was not returned before, or an empty text for a user who is not enrolled.

    Codes of later time steps make earlier ones invalid. A code of the fourth step after the present one is accepted.
    """
    secrets = dict(line.split() for line in pathlib.Path("/opt/mfa/secrets").read_text().splitlines())
    if user not in secrets:
        return ""
    last = pathlib.Path(f"/opt/mfa/steps/{user}")
    step = max(int(last.read_text()) + 1 if last.exists() else 0, int(time.time()) // 30)
    time.sleep(max((step - 4) * 30 - time.time(), 0))
    last.write_text(str(step))
    digest = hmac.new(bytes.fromhex(secrets[user]), struct.pack(">Q", step), hashlib.sha1).digest()
    at = digest[-1] & 15
    return "%06d" % ((struct.unpack_from(">I", digest, at)[0] & 0x7FFFFFFF) % 1000000)


def show(text):
    if os.environ.get("SHOW"):
        print(text, file=sys.stderr)


def shown_errors():
    """Returns where errors of a program are written to."""
    return None if os.environ.get("SHOW") else subprocess.DEVNULL


def run(*command, **options):
    """Runs a command, and returns its exit status and output."""
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, timeout=LIMIT, errors="replace", check=False, **options)
    show(done.stdout)
    return done.returncode, done.stdout


def is_in(done):
    return "in" if done else "refused"


def decided(text, success, refusal):
    """Returns the result that a text shows. Ends this program if the text shows neither."""
    if re.search(success, text):
        return "in"
    if re.search(refusal, text):
        return "refused"
    sys.exit(f"neither in nor refused: {text}")


def program_password(user):
    """Makes a password for a program, and returns it."""
    answer = json.dumps({"password": user.password}) + "\n" + json.dumps({"code": user.code}) + "\n"
    done = subprocess.run(["mfa-enroll", "program-password", "--user", user.name, "--json", "Test"], input=answer,
                          stdout=subprocess.PIPE, text=True, timeout=LIMIT, check=False)
    show(done.stdout)
    return json.loads(done.stdout.splitlines()[-1])["password"]


# --- Programs with one field ---

def ftp(user, port=21):
    with ftplib.FTP(timeout=LIMIT) as client:
        client.connect("127.0.0.1", port)
        try:
            return is_in(client.login(user.name, user.one_field).startswith("230"))
        except ftplib.error_perm as error:
            return decided(str(error), r"^230", r"^530")


def ftp_virtual_host(user):
    return ftp(user, 2121)


def imap(user):
    client = imaplib.IMAP4("127.0.0.1", timeout=LIMIT)
    try:
        client.login(user.name, user.one_field)
        return is_in(client.select("INBOX", readonly=True)[0] == "OK")
    except imaplib.IMAP4.error as error:
        return decided(str(error), r"^\b$", "AUTHENTICATIONFAILED")
    finally:
        client.logout()


def saslauthd(user):
    return decided(run("testsaslauthd", "-u", user.name, "-p", user.one_field, "-s", "imap")[1],
                   '0: OK "Success', '0: NO "authentication failed')


def radius(user):
    with tempfile.NamedTemporaryFile("w") as file:
        file.write(f'User-Name = "{user.name}"\nUser-Password = "{user.one_field}"\n')
        file.flush()
        command = ["radclient", "-x", "-r", "1", "-t", "20", "-f", file.name, "127.0.0.1", "auth", "testing123"]
        return decided(run(*command)[1], "Received Access-Accept", "Received Access-Reject")


def psql(user, mode="disable"):
    environment = dict(os.environ, PGPASSWORD=user.one_field, PGSSLMODE=mode)
    return decided(run("psql", "-h", "127.0.0.1", "-U", user.name, "-d", "postgres", "-Atc", "select 'signed in'",
                       env=environment)[1], "(?m)^signed in$", "PAM authentication failed for user")


def psql_prefer(user):
    return psql(user, "prefer")


def smb(user):
    return decided(run("smbclient", "//127.0.0.1/share", "-U", f"{user.name}%{user.one_field}", "-c", "ls")[1],
                   "blocks available", "NT_STATUS_(LOGON_FAILURE|ACCESS_DENIED)")


def page(url, user, proxy=None):
    """Asks for a page with the user's answer as HTTP's Basic authentication, and returns the result."""
    word = base64.b64encode(f"{user.name}:{user.one_field}".encode()).decode()
    header = "Proxy-Authorization" if proxy else "Authorization"
    request = urllib.request.Request(url, headers={header: f"Basic {word}"})
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({"http": proxy} if proxy else {}))
    try:
        with opener.open(request, timeout=LIMIT) as answer:
            show(answer.read().decode(errors="replace"))
            return is_in(answer.status == 200)
    except urllib.error.HTTPError as error:
        show(f"{error.code} {error.reason}")
        if error.code in (401, 407):
            return "refused"
        sys.exit(f"neither in nor refused: {error.code} {error.reason}")


def http(user):
    return page("http://127.0.0.1:8080/page.html", user)


def http_folder(user):
    """Asks for a folder, for which the server finds the page index.html."""
    return page("http://127.0.0.1:8080/", user)


def cups(user):
    return page("http://127.0.0.1:631/admin/conf/cupsd.conf", user)


def squid(user):
    return page("http://127.0.0.1:8080/", user, "http://127.0.0.1:3128")


def openvpn_client(user, events):
    """Starts a client of OpenVPN whose answers are in a file, and returns the first of these results for each event: `in`
    if its line appears, and `refused` if the client ends before."""
    with tempfile.NamedTemporaryFile("w") as file:
        file.write(f"{user.name}\n{user.one_field}\n")
        file.flush()
        with subprocess.Popen([*OPENVPN, "--auth-user-pass", file.name], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True) as client:
            watchdog = threading.Timer(LIMIT, client.kill)
            watchdog.start()
            results = []
            for line in client.stdout:
                show(line.rstrip())
                if events[len(results)] in line:
                    results.append("in")
                elif "AUTH_FAILED" in line:
                    results.append("refused")
                if len(results) == len(events) or results[-1:] == ["refused"]:
                    break
            client.kill()
            watchdog.cancel()
    return ", ".join(results) or sys.exit("neither in nor refused")


OPENVPN = ["openvpn", "--client", "--dev", "tun", "--nobind", "--remote", "127.0.0.1", "--remote-cert-tls", "server",
           "--ca", "/etc/openvpn/server/ca.pem", "--route-noexec", "--verb", "3"]


def openvpn(user):
    return openvpn_client(user, ["Initialization Sequence Completed"])


def openvpn_renegotiated(user):
    """Waits until the keys were renewed twice."""
    return openvpn_client(user, ["Initialization Sequence Completed"] + 2 * ["Control Channel: "])


def openvpn_challenge(user):
    """Signs in with a client that asks for the code too, of each user."""
    client = Terminal(user, *OPENVPN, "--auth-user-pass", "--static-challenge", "Verification code", "0", runner="root")
    return client.answer("Initialization Sequence Completed", "AUTH_FAILED").replace("code ", "")


def pamela(user):
    return decided(run("python3", "-c", "import pamela, sys\ntry:\n  pamela.authenticate(*sys.argv[1:])\n  print('in')\n"
                       "except pamela.PAMError as error:\n  print('refused:', error)",
                       user.name, user.one_field, "jupyterhub")[1], "^in", "^refused")


# --- Programs at a terminal ---

# OpenVPN asks by systemd-ask-password, which mentions a key.
PROMPT = re.compile(
    r"((?P<name>login:|Username:)|(?P<code>Verification code[^\n]*)|(?P<password>[Pp]assword[^\n]*:)|(?P<shell>[$#])"
    r"|(?P<enter>\[ENTER\] to unlock\.))( \(press TAB for no echo\))?\s*\Z")


# The functions of the kernel in which a process waits for a terminal: read, select and poll.
WAITING_FOR_INPUT = ("wait_woken", "n_tty_read", "do_select", "poll_schedule_timeout", "do_sys_poll")


class Terminal:
    """A program at a terminal of its own, as a user."""

    def __init__(self, user, *command, runner=None):
        self.user = user
        self.asked = False
        self.shown = self.everything = ""
        runner = user.name if runner is None else runner
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            if runner != "root":
                # What login does: screen opens the terminal again by its name.
                os.chown(os.ttyname(0), pwd.getpwnam(runner).pw_uid, -1)
                command = ("setpriv", f"--reuid={runner}", f"--regid={runner}", "--init-groups", "--", *command)
            os.execvpe(command[0], command, {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "TERM": "vt100",
                                             "HOME": f"/home/{runner}" if runner != "root" else "/root",
                                             "USER": runner, "LOGNAME": runner, "SHELL": "/bin/sh", "LC_ALL": "C.UTF-8"})

    def read(self):
        """Reads what is shown next. Returns whether the program still runs."""
        if not select.select([self.terminal], [], [], LIMIT)[0]:
            sys.exit(f"nothing is shown any more: {self.everything}")
        while True:
            try:
                data = os.read(self.terminal, 4096).decode(errors="replace")
                break
            except OSError:
                # No process has the terminal open: the program has ended, or is about to open it again.
                if os.waitid(os.P_PID, self.process, os.WEXITED | os.WNOHANG | os.WNOWAIT):
                    return False
                time.sleep(0.02)
        # Sequences that move the cursor, and bells.
        data = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[()=>78][0B]?|[\x07\x0f\r]", "", data)
        self.shown += data
        self.everything += data
        return True

    def wait_for(self, pattern):
        """Reads until a pattern is shown."""
        while not re.search(pattern, self.shown):
            if not self.read():
                sys.exit(f"it ended without {pattern}: {self.everything}")
        self.shown = ""

    def write(self, text):
        os.write(self.terminal, text.encode())

    def answer(self, success, refusal, shell="echo signed-''in"):
        """Answers questions until the result is shown, and returns the result."""
        result = "refused"
        while self.read():
            if re.search(success, self.everything, re.M):
                result = "in"
                break
            if refusal and re.search(refusal, self.everything, re.M):
                break
            found = PROMPT.search(self.shown)
            if not found:
                continue
            self.shown = ""
            if self.discards:
                self.wait_until(self.is_reading)
            elif found["code"] or found["password"]:
                # A program that hides the answer only now may discard what was typed before.
                self.wait_until(self.is_hiding)
            if found["enter"]:
                self.write("\n")
            elif found["name"]:
                self.write(self.user.name + "\n")
            elif found["code"]:
                self.asked = True
                self.write(self.user.code + "\n")
            elif found["password"]:
                self.write((self.user.one_field if self.has_one_field else self.user.password) + "\n")
            else:
                self.write(shell + "\n")
        self.close()
        return ("code " if self.asked else "") + result

    has_one_field = False
    # Whether the program discards what is typed before it reads.
    discards = False

    def wait_until(self, condition):
        end = time.monotonic() + 10
        while not condition():
            if time.monotonic() > end:
                sys.exit(f"it does not wait for an answer: {self.everything}")
            time.sleep(0.01)

    def is_hiding(self):
        """Whether the terminal does not show what is typed."""
        return not termios.tcgetattr(self.terminal)[3] & termios.ECHO

    def is_reading(self):
        """Whether a process of the session waits for input, as the kernel's name of the function says."""
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                session = int((folder / "stat").read_text().rpartition(")")[2].split()[3])
                if session == self.process and (folder / "wchan").read_text().startswith(WAITING_FOR_INPUT):
                    return True
            except OSError:
                # The process has ended.
                continue
        return False

    def close(self):
        show(self.everything)
        os.close(self.terminal)
        os.killpg(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)


def doas(user):
    return Terminal(user, "doas", "echo", "signed-in").answer(r"^signed-in$", None)


def pkexec(user):
    # The agent closes its descriptor 4 as soon as polkit knows it. It serves the process that starts pkexec.
    script = """{ pkttyagent --process $$ --notify-fd 4 4>&1 >/dev/tty </dev/tty & } | cat
        pkexec --disable-internal-agent --user root echo signed-in
        exit $?"""
    return Terminal(user, "sh", "-c", script).answer(r"^signed-in$", None)


def chsh(user):
    return Terminal(user, "sh", "-c", "chsh -s /bin/dash && echo signed-in").answer(r"^signed-in$", None)


def telnet(user):
    return Terminal(user, "telnet", "127.0.0.1", runner="root").answer(
        r"^signed-in$", r"Login incorrect|Connection closed")


def vlock(user):
    lock = Terminal(user, "sh", "-c", "vlock --current && echo signed-in")
    lock.discards = True
    return lock.answer(r"^signed-in$", "vlock: Authentication failure")


def screen(user):
    session = Terminal(user, "screen", "-S", "test", "sh")
    session.has_one_field = True
    session.wait_for(r"[$#] \Z")
    session.write("\x01x")
    return session.answer(r"^signed-in$", r"(?s)Password:.*Password:")


# --- Greeters: what the daemon of a display manager does with the process that asks PAM ---

class Messages:
    """Data between a daemon and its process, in a file or socket."""

    def __init__(self, read, write):
        self.read_some = read
        self.write = write

    def read(self, count):
        data = b""
        while len(data) < count:
            more = self.read_some(count - len(data))
            if not more:
                sys.exit("the process ended without a result")
            data += more
        return data

    def number(self, form="i"):
        return struct.unpack(form, self.read(struct.calcsize(form)))[0]

    def text(self):
        """Reads a text as lightdm writes it: its length, or -1, and its bytes."""
        return self.read(max(self.number(), 0)).decode()


def lightdm(user):
    """Signs in as lightdm does with its own program (session-child.c)."""
    daemon, process = os.pipe(), os.pipe()
    child = subprocess.Popen(["lightdm", "--session-child", str(daemon[0]), str(process[1])],
                             pass_fds=(daemon[0], process[1]), stderr=shown_errors())
    os.close(daemon[0])
    os.close(process[1])
    messages = Messages(lambda count: os.read(process[0], count), lambda data: os.write(daemon[1], data))

    def text(value):
        return struct.pack("i", -1) if value is None else struct.pack("i", len(value)) + value.encode()

    # Version, service, user, whether to authenticate, whether there is a user to ask, and six texts: class, terminal,
    # remote host, display, and the name of an X authority.
    messages.write(struct.pack("i", 3) + text("lightdm") + text(user.name) + struct.pack("ii", 1, 1)
                   + text(None) + text("/dev/tty7") + text(None) + text(":0") + text(None))
    asked = ""
    while True:
        messages.text()
        if messages.number():
            result = messages.number()
            show(messages.text())
            break
        questions = [(messages.number(), messages.text()) for _ in range(messages.number())]
        messages.write(struct.pack("i", 0))
        for style, question in questions:
            show(question)
            answer = None
            if style in (1, 2):
                answer = user.password
                if "code" in question:
                    asked, answer = "code ", user.code
            messages.write(text(answer) + struct.pack("i", 0))
    child.kill()
    child.wait()
    return asked + is_in(result == 0)


def sddm(user):
    """Signs in as SDDM's daemon does with sddm-helper (Auth.cpp, AuthMessages.h). The greeter has one field."""
    hello, error, info, request, authenticated = range(1, 6)
    folder = tempfile.mkdtemp()
    server = socket.socket(socket.AF_UNIX)
    server.bind(folder + "/socket")
    server.listen()
    server.settimeout(LIMIT)
    child = subprocess.Popen(
        [*glob.glob("/usr/lib/*/sddm/sddm-helper"), "--socket", folder + "/socket", "--id", "1", "--start", "/bin/true",
         "--user", user.name], stderr=shown_errors())
    connection = server.accept()[0]
    connection.settimeout(LIMIT)
    messages = Messages(connection.recv, connection.sendall)

    def text(message):
        length = message.number(">I")
        return "" if length == 0xFFFFFFFF else message.read(length).decode("utf-16-be")

    result = None
    while result is None:
        data = io.BytesIO(messages.read(messages.number("q")))
        message = Messages(data.read, None)
        kind = message.number(">i")
        if kind == authenticated:
            result = is_in(text(message) == user.name)
        elif kind in (error, info):
            show(text(message))
        elif kind == request:
            reply = struct.pack(">i", kind)
            count = message.number(">i")
            reply += struct.pack(">i", count)
            for _ in range(count):
                # The type of the question, its text, whether the answer is hidden, and the answer.
                start = data.tell()
                show(f"{message.number('>i')} {text(message)}")
                message.read(1)
                reply += data.getvalue()[start:data.tell()]
                message.read(max(message.number(">i"), 0))
                answer = user.one_field.encode()
                reply += struct.pack(">i", len(answer)) + answer
            messages.write(struct.pack("q", len(reply)) + reply)
        else:
            assert kind == hello, kind
    child.kill()
    child.wait()
    server.close()
    connection.close()
    shutil.rmtree(folder)
    return result


# --- Others ---

def cockpit(user):
    """Signs in as the page of Cockpit does: each question is an answer to a request for the page."""
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    answer = f"Basic {base64.b64encode(f'{user.name}:{user.password}'.encode()).decode()}"
    asked = ""
    # The module asks for a code again after a wrong one.
    for _ in range(6):
        request = urllib.request.Request("https://127.0.0.1:9090/cockpit/login", headers={"Authorization": answer})
        try:
            with urllib.request.urlopen(request, timeout=LIMIT, context=context) as reply:
                return asked + is_in(reply.status == 200)
        except urllib.error.HTTPError as error:
            challenge = error.headers.get("WWW-Authenticate", "")
            show(f"{error.code} {error.reason} {challenge}")
            if not challenge.startswith("X-Conversation "):
                return asked + "refused"
            number, question = challenge.split()[1:3]
            show(base64.b64decode(question).decode())
            asked = "code "
            answer = f"X-Conversation {number} {base64.b64encode(user.code.encode()).decode()}"
    sys.exit("too many questions")


def xrdp(user):
    return decided(run("xrdp-sesrun", "-s", "127.0.0.1", "-t", "Xorg", "-p", user.one_field, user.name)[1],
                   "(?m)^ok .*display=", "Connection denied")


PROGRAMS = {function.__name__: function for function in (
    program_password, ftp, ftp_virtual_host, imap, saslauthd, radius, psql, psql_prefer, smb, http, http_folder, openvpn,
    openvpn_renegotiated, openvpn_challenge, cups, squid, pamela, doas, pkexec, chsh, telnet, vlock,
    screen, cockpit, xrdp, lightdm, sddm)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", choices=sorted(PROGRAMS))
    parser.add_argument("user")
    parser.add_argument("--code")
    parser.add_argument("--password", default="open-sesame")
    parser.add_argument("--again", type=float, nargs="?", const=0)
    options = parser.parse_args()
    user = Person(options.user, options.password, options.code)
    results = [PROGRAMS[options.program](user)]
    if options.again is not None:
        time.sleep(options.again)
        results.append(PROGRAMS[options.program](user))
    print(", ".join(results))


main()
