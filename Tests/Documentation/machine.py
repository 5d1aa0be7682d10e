"""A host on which the commands of a document are run: users, sshd and a user at a terminal."""

import os
import pathlib
import re
import secrets
import shutil
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "packaging"))
import play  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORK = pathlib.Path("/run/documentation")
PERIOD = 30
# How many periods a code may be away from the present one: one less than adjacent_intervals, because time passes.
WINDOW = 4

# The journal, where no systemd runs: prints the messages that match PATTERN, as `journalctl [-o cat] -g PATTERN` does.
JOURNAL = """#!/bin/sh
case "$*" in "-o cat -g "*) shift 2 ;; "-g "*) ;; *) exit 64 ;; esac
sed 's/^[^:]*:[^:]*:[^:]*: //' {log} | grep -- "$2"
"""


def run(*command, **options):
    return subprocess.run(command, check=True, capture_output=True, text=True, **options).stdout


class Machine:
    """The host. alice is an administrator and may use sudo; carol has a key and no password; backup-job is the account of a program."""

    def __init__(self):
        WORK.mkdir(mode=0o755)
        self.passwords = {}
        self.phones = {}
        self.secrets = {}
        self.processes = []
        run("hostname", "host")
        with open("/etc/hosts", "a", encoding="utf-8") as hosts:
            hosts.write("127.0.0.1 host\n")
        self.log = WORK / "log"
        self.start(sys.executable, ROOT / "packaging/play.py", "log", "/dev/log", self.log,
                   ready=pathlib.Path("/dev/log"))
        journal = pathlib.Path("/usr/local/bin/journalctl")
        journal.write_text(JOURNAL.format(log=self.log), encoding="utf-8")
        journal.chmod(0o755)
        run(ROOT / "packaging/install")
        for user in ("alice", "bob", "carol", "backup-job"):
            run("useradd", "--create-home", "--shell", "/bin/bash", user)
        run("gpasswd", "--add", "alice", "sudo")
        for user in ("alice", "bob"):
            self.passwords[user] = secrets.token_urlsafe(9)
            run("chpasswd", input=f"{user}:{self.passwords[user]}")
        for user in ("alice", "bob", "carol"):
            # The last command of a session, see Conversation.
            pathlib.Path(f"/home/{user}/.bashrc").write_text("PS1='a shell> '\n", encoding="utf-8")
        # All blocks are run in one session of the administrator, so sudo does not ask at each of them.
        path = pathlib.Path("/etc/sudoers.d/one-session")
        path.write_text("Defaults timestamp_type=global\n", encoding="utf-8")
        path.chmod(0o440)
        self.start_server()

    def start_server(self):
        """Starts the sshd of this host, with the settings of Debian, at a port of 127.0.0.1."""
        key = WORK / "host-key"
        run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key)
        port = run(sys.executable, "-c", "import socket\nwith socket.socket() as free:\n"
                   "  free.bind(('127.0.0.1', 0)); print(free.getsockname()[1])").strip()
        shutil.rmtree("/etc/ssh/sshd_config.d", ignore_errors=True)
        os.makedirs("/etc/ssh/sshd_config.d", exist_ok=True)
        pathlib.Path("/etc/ssh/sshd_config").write_text(
            f"Include /etc/ssh/sshd_config.d/*.conf\nPort {port}\nListenAddress 127.0.0.1\nHostKey {key}\n"
            "KbdInteractiveAuthentication no\nUsePAM yes\nPrintMotd no\n", encoding="utf-8")
        public = " ".join(key.with_suffix(".pub").read_text().split()[:2])
        pathlib.Path("/etc/ssh/ssh_known_hosts").write_text(f"[host]:{port} {public}\n")
        pathlib.Path("/etc/ssh/ssh_config").write_text(
            f"Host host\n  Port {port}\n  StrictHostKeyChecking yes\n")
        os.makedirs("/run/sshd", exist_ok=True)
        self.start("/usr/sbin/sshd", "-D", "-E", WORK / "sshd.log", ready=pathlib.Path("/run/sshd.pid"))

    def start(self, *command, ready):
        """Starts a program that ends with the private machine, and waits until a file exists."""
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL)
        deadline = time.monotonic() + play.PATIENCE
        while not ready.exists():
            if process.poll() is not None or time.monotonic() > deadline:
                raise play.Failure(f"{command[0]} did not start")
            time.sleep(0.01)

    def code(self, user):
        """Returns a code of the user's phone that was not used yet."""
        phone = self.phones.get(user)
        if not phone:
            raise play.Failure(f"{user} is asked for a code, but has no phone")
        step = int(time.time()) // PERIOD
        phone["step"] = max(phone["step"] + 1, step - WINDOW)
        if phone["step"] > step + WINDOW:
            raise play.Failure(f"{user} has used all codes of the next minutes")
        now = f"@{phone['step'] * PERIOD}"
        return run("oathtool", "--base32", "--totp", f"--now={now}", "-", input=phone["key"] + "\n").strip()

    def has_read(self, user, key):
        """The user's phone has scanned a key. Codes of one phone are not those of another."""
        self.phones[user] = {"key": key.replace(" ", ""), "step": 0}

    # --- What a block needs ---

    def prepare(self, fixture):
        getattr(self, "prepare_" + fixture.replace("-", "_"))()

    def prepare_greeter(self):
        """The service file of gdm, without the modules of the desktop."""
        pathlib.Path("/etc/pam.d/gdm-password").write_text(
            "#%PAM-1.0\nauth requisite pam_nologin.so\n"
            "auth required pam_succeed_if.so user != root quiet_success\n"
            "@include common-auth\n@include common-account\n@include common-session\n@include common-password\n")

    def prepare_google_authenticator(self):
        """A host with google-authenticator, at which alice has a key."""
        key = run(sys.executable, "-c", "import base64, os; print(base64.b32encode(os.urandom(20)).decode())").strip()
        path = pathlib.Path("/home/alice/.google_authenticator")
        path.write_text(f'{key}\n" RATE_LIMIT 3 30\n" DISALLOW_REUSE\n" TOTP_AUTH\n')
        path.chmod(0o400)
        shutil.chown(path, "alice", "alice")
        service = pathlib.Path("/etc/pam.d/sshd")
        service.write_text(service.read_text().replace(
            "@include common-auth\n", "@include common-auth\nauth required pam_google_authenticator.so nullok\n"))
        self.has_read("alice", key)
        # Without DISALLOW_REUSE's list, each code up to the import counts as used.
        self.phones["alice"]["step"] = int(time.time()) // PERIOD

    def prepare_enabled(self):
        """ssh asks for a code."""
        run("mfa-admin", "enable", "--no-confirm", "sshd")

    def prepare_keys(self, users=("alice", "bob", "carol")):
        """Users have a key, which sshd accepts."""
        for user in users:
            folder = pathlib.Path(f"/home/{user}/.ssh")
            key = folder / "id_ed25519"
            run("runuser", "-u", user, "--", "mkdir", "-m", "0700", folder)
            run("runuser", "-u", user, "--", "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key)
            run("runuser", "-u", user, "--", "cp", key.with_suffix(".pub"), folder / "authorized_keys")

    def prepare_some_keys(self):
        """alice and carol have a key, and bob has none."""
        self.prepare_keys(("alice", "carol"))

    def prepare_enrolled(self):
        """alice and bob have enrolled an app."""
        for user in ("alice", "bob"):
            conversation = Conversation(self, user, "mfa-enroll --name phone\n")
            if conversation.run() != 0:
                raise play.Failure(f"{user} could not enrol: {conversation.seen}")

    def prepare_lost(self):
        """The machine is lost, and there is a new one. A backup of the old one and its key are left."""
        self.prepare_enrolled()
        pathlib.Path("/etc/mfa/mfa.conf.d/10-rollout.conf").write_text("[project]\nenrollment = required\n")
        self.prepare_enabled()
        run("mfa-admin", "backup", "--key-to", "/root/mfa-key", "/root/mfa-backup.tar")
        run("mfa-admin", "disable", "--all")
        run(ROOT / "packaging/uninstall", "--purge")
        pathlib.Path("/etc/machine-id").write_text(secrets.token_hex(16) + "\n")

    def prepare_restored(self):
        """No code from before a restore is used, and the first one after those is within WINDOW."""
        step = int(time.time()) // PERIOD
        for phone in self.phones.values():
            phone["step"] = step + WINDOW + 1
        while int(time.time()) // PERIOD < step + 2:
            time.sleep(1)


# What is asked, and how it is answered: text, the name of a method, or a key that is pressed without Return.
ANSWERS = (
    (r"\[sudo\] password for \w+: ", "password"),
    (r"Password: ", "password"),
    (r"Code from the app(?:, or 3 for a key to type)?: ", "app_code"),
    (r"(?:New|Retype new) password: ", "new_password"),
    (r"Enter (?:same )?passphrase.*: ", ("", "no passphrase")),
    (r"Verification code: ", "code"),
    (r"Code from a device you have already enrolled(?: or [a-z ]+)?: ", "code"),
    (r"Enrolment ticket: ", "ticket"),
    (r"Name for this device \[[^\]]*\]: ", ("", "the proposed name")),
    (r"Type 1, 2 or 3: ", ("3", "3, for the key as text")),
    (r"\[y/N\] ", ("y", "yes")),
    (r"Press Enter when you have them: ", ("", "Enter")),
    (r"press Enter \(.*\): ", ("", "Enter")),
    (r"Type yes if you have read this: ", ("yes", "yes")),
    (r"a shell> ", ("exit", "exit")),
)
KEY = re.compile(r"\b([A-Z2-7]{4}(?: [A-Z2-7]{4}){7})\b")
CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[()][A-Z0-9]|\x1b[=>78]|\r")


class Conversation:
    """A block that runs in a terminal, and the user who answers its questions."""

    def __init__(self, machine, user, text):
        self.machine = machine
        self.user = user
        command = ["bash", "-euo", "pipefail", "-c", text]
        home = os.path.expanduser("~" + user)
        environment = ["env", f"HOME={home}", f"USER={user}", f"LOGNAME={user}", "SHELL=/bin/bash", "LANG=C.UTF-8"]
        prefix = ["runuser", "-u", user, "--"]
        # The administrator is in the checkout, as README.md says.
        os.chdir(ROOT if user == "alice" else home)
        self.terminal = play.Terminal([*prefix, *environment, *command])
        self.account = user
        self.last_code = None
        self.previous = None
        self.is_asked_for_key = False

    @property
    def seen(self):
        return CONTROL.sub("", self.terminal.seen)

    def run(self):
        """Answers until the block ends; returns its exit status."""
        position = 0
        deadline = time.monotonic() + play.PATIENCE
        try:
            while True:
                text = self.seen[position:]
                found = [(match.start(), match.end(), answer) for pattern, answer in ANSWERS
                         for match in [re.search(pattern, text)] if match]
                if found:
                    _, end, answer = min(found, key=lambda each: each[0])
                    self.answer(answer, text[:end])
                    position += end
                    deadline = time.monotonic() + play.PATIENCE
                elif not self.terminal.read(deadline):
                    break
            return os.waitstatus_to_exitcode(os.waitpid(self.terminal.identifier, 0)[1])
        except play.Failure as failure:
            raise play.Failure(f"{failure}\n{self.seen}") from None
        finally:
            self.note_ticket()
            self.terminal.close()

    def note_ticket(self):
        match = re.search(r"\b([a-z2-7]{4}(?:-[a-z2-7]{4}){3})\b", self.seen)
        if match:
            self.machine.secrets["ticket"] = match.group(1)

    def answer(self, answer, text):
        account = re.findall(r"\((\w+)@", text)
        if account:
            self.account = account[-1]
        if isinstance(answer, tuple):
            reply = answer[0]
        else:
            reply = getattr(self, answer)(text)
        self.previous = answer
        os.write(self.terminal.descriptor, reply.encode() + (b"" if reply == "k" else b"\n"))

    def password(self, _):
        """The password of the account; nothing if it has none."""
        return self.machine.passwords.get(self.account, "")

    def new_password(self, text):
        """A password that is typed twice, for the account that the command on the screen names."""
        return self.machine.passwords.setdefault("emergency", secrets.token_urlsafe(9))

    def ticket(self, _):
        return self.machine.secrets["ticket"]

    def code(self, text):
        """A code, or the one that was typed just before: google-authenticator, which asks next, takes it too."""
        if self.previous != "code" or not re.fullmatch(r"\s*(?:\(\S+\) )?Verification code: ", text):
            self.last_code = self.machine.code(self.account)
        return self.last_code

    def app_code(self, text):
        """A code of the key on the screen, which k shows as text. Without a new key, a code of the phone."""
        match = KEY.search(text)
        if not match and "press k for a key" in text:
            return "k"
        if match:
            self.machine.has_read(self.account, match.group(1))
        return self.machine.code(self.account)
