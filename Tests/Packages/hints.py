#!/usr/bin/env python3
"""Carries out the hints of `mfa-admin doctor`, and prints a line for each finding.

    hints.py [FINDING]...

It runs as root in the container of Tests/Packages/run. For each finding it makes the mistake, reads the hint that
doctor prints, does what the hint says in words, runs each command of the hint, and expects that the finding is gone.
A command begins after a colon and ends before a semicolon. ExaminationTests expects that each finding with a command
in its hint is in this file.
"""

import base64
import hashlib
import hmac
import json
import os
import pty
import re
import select
import struct
import subprocess
import sys
import time

PROGRAMS = ("apt-get ", "chmod ", "chown ", "cp ", "df ", "dmesg", "find ", "findmnt ", "fsfreeze ", "journalctl ",
            "kill ", "mfa-admin ", "mount ", "mfa-enroll", "ps ", "setcap ", "ss ", "sshd ", "sudo ",
            "systemctl ", "systemd-sysusers ", "timedatectl ", "useradd ", "usermod ", "vipw", "/usr/lib/mfa/")
PASSWORD = "open-sesame"
PACKAGES = "dpkg --install /opt/mfa/packages/new/libpam-mfa_*.deb /opt/mfa/packages/new/mfa-tools_*.deb"
# What is kept before each mistake, and restored after it.
FILES = "/etc/pam.d /etc/ssh /etc/mfa/enabled /etc/mfa/changes /etc/mfa/mfa.conf.d"
KEEP = f"rm -rf /run/kept; mkdir /run/kept; cp -a --parents {FILES} /run/kept"
RESTORE = (f"rm -rf {FILES}; cp -a /run/kept/etc/. /etc/; systemctl reset-failed; systemctl reload ssh; "
           "systemctl start mfad.socket mfad-users.socket mfa-gateway.socket")
# A file of the configuration.
DROP_IN = "/etc/mfa/mfa.conf.d/50-test.conf"


class Case:
    """A mistake, and what follows from it.

    words   what the hint says in words, before its commands
    last    what the hint says in words, after its commands
    undo    what restores the machine, except FILES
    names   what stands for the words in capitals of the hint
    apart   whether each command is another way, for which the mistake is made anew
    stays   whether the finding stays, because the hint only names what shows more
    skips   the beginnings of commands that cannot run in a container
    needs   a command that fails where the mistake cannot be made
    """

    def __init__(self, plant, words="", last="", undo="", names=None, apart=False, stays=False, skips="\n",
                 needs="true"):
        self.plant, self.words, self.last, self.undo = plant, words, last, undo
        self.names, self.apart, self.stays, self.skips, self.needs = names or {}, apart, stays, skips, needs


def drop_in(unit, line, before="true"):
    """Returns a case of a drop-in that limits what a unit reaches. The hint says to remove the line."""
    file = f"/etc/systemd/system/{unit}.d/test.conf"
    again = f"systemctl daemon-reload; systemctl restart {unit}"
    return Case(
        f"{before}; mkdir -p {os.path.dirname(file)}; printf '[Service]\n{line}\n' >{file}; {again}",
        words=f"rm -f {file}", undo=f"rm -f {file}; {again}")


def policy(lines, also="true", **options):
    """Returns a case of a configuration."""
    return Case(f"{also}; printf '{lines}' >{DROP_IN}", **options)


def stranger(name):
    """Returns a command that lets a process of a user listen on a socket of /run/mfa."""
    program = ("import os, socket, time; s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET); "
               f"s.bind('/run/mfa/{name}'); os.setuid(1005); s.listen(); time.sleep(20)")
    return f'rm -f /run/mfa/{name}; python3 -c "{program}" >/dev/null 2>&1 & sleep 1'


# An editor for a drop-in, whose name is the last argument.
EDITOR = """#!/bin/sh
for file; do :; done
printf '[Service]\\nReadWritePaths=/var/lib/mfa\\n' >"$file"
"""

# The store on a file system of its own, which mfad opens anew.
OWN_FILE_SYSTEM = (
    "systemctl stop mfad.service; mount -t tmpfs -o mode=0700,size=64m none /mnt; cp -a /var/lib/mfa/. /mnt; "
    "chown --reference=/var/lib/mfa /mnt; chmod --reference=/var/lib/mfa /mnt; umount -l /var/lib/mfa 2>/dev/null; "
    "mount --move /mnt /var/lib/mfa 2>/dev/null || { mount --bind /mnt /var/lib/mfa; umount -l /mnt; }; ")
SAME_FILE_SYSTEM = "systemctl stop mfad.service; umount -l /var/lib/mfa"
REVOKE_ROOT = "mfa-admin revoke --yes --all root"
REQUIRED = f"printf '[project]\nenrollment = required\n' >{DROP_IN}"
ROOT_SIGNS_IN = "echo 'PermitRootLogin yes' >/etc/ssh/sshd_config.d/05-root.conf; systemctl reload ssh"

CASES = {
    "break-glass-exposed": Case(
        "echo x >/etc/mfa/break-glass; chmod 0644 /etc/mfa/break-glass", names={"USER": "user1"},
        undo="mfa-admin break-glass --remove"),
    "break-glass-unusable": Case(
        "echo x >/etc/mfa/break-glass; chown root:mfa /etc/mfa/break-glass; chmod 0640 /etc/mfa/break-glass",
        names={"USER": "user1"}, undo="mfa-admin break-glass --remove"),
    "break-glass-prepared": Case("mfa-admin break-glass user1"),
    "configuration": policy("[project]\nno-such-key = 1\n", words=f"rm -f {DROP_IN}*"),
    "could-not-be-checked": Case(
        "echo '{}' >/etc/mfa/accepted-findings", words="rm -f /etc/mfa/accepted-findings",
        undo="rm -f /etc/mfa/accepted-findings"),
    "decider-elsewhere": drop_in(
        "mfad.service", "BindReadOnlyPaths=/run/other.conf:/etc/mfa/mfa.conf",
        before="printf '[project]\n' >/run/other.conf"),
    "decider-without-access": drop_in("mfad.service", "ReadOnlyPaths=/var/lib/mfa"),
    "file-replaced": Case("printf x >>$(ls /usr/lib/*/security/pam_mfa.so)", undo=PACKAGES),
    "gateway-service-stopped": policy(
        "[project]\nfactors = totp,phone\ngateway = /usr/lib/mfa/gateways/json\nregions = +49\n",
        also="systemctl stop mfa-gateway.socket", skips="/usr/lib/mfa/mfad --gateway"),
    "gateway-service-untrusted": policy(
        "[project]\nfactors = totp,phone\ngateway = /usr/lib/mfa/gateways/json\nregions = +49\n",
        also="systemctl stop mfa-gateway.socket; " + stranger("gateway"), words="rm -f /run/mfa/gateway"),
    "gateway-unusable": policy(
        "[project]\nfactors = totp,phone\ngateway = /usr/local/bin/gateway\nregions = +49\n",
        also="echo '#!/bin/sh' >/usr/local/bin/gateway; chmod 0644 /usr/local/bin/gateway"),
    "helper-not-audited": Case(
        "touch /usr/sbin/auditd; chmod 0755 /usr/sbin/auditd; setcap -r /usr/lib/mfa/mfa-helper",
        undo="rm -f /usr/sbin/auditd"),
    "left-over-files": Case(
        "printf 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP\n\" TOTP_AUTH\n' >/home/other/.google_authenticator; "
        "chown other /home/other/.google_authenticator; chmod 0400 /home/other/.google_authenticator",
        names={"DIR": "/home"}, last="rm /home/other/.google_authenticator",
        undo="mfa-admin revoke --yes --all other"),
    "lines-lost": Case(
        "sed -i /pam_mfa/d /etc/pam.d/su", apart=True),
    "no-auth-line": Case(
        "mfa-admin disable su; echo 'account required pam_mfa.so' >>/etc/pam.d/su"),
    "no-module": Case("mv $(ls /usr/lib/*/security/pam_mfa.so) /run/", undo=PACKAGES),
    # The new account has another number.
    "no-system-user": Case(
        "number=$(id -u mfa); systemctl stop mfad.service; userdel mfa; "
        "useradd --system --uid $number --shell /usr/sbin/nologin mfa-test",
        undo="userdel mfa-test"),
    "nobody-signs-in": Case(
        "printf 'auth [success=9 default=die] pam_unix.so\nauth required pam_mfa.so\n' >/etc/pam.d/test",
        words="printf 'auth requisite pam_unix.so\nauth required pam_mfa.so\naccount required pam_unix.so\n' "
              ">/etc/pam.d/test", names={"NAME": "user1"}),
    "not-enforced": policy("[project]\nstate = observe\n"),
    "other-pam-service": Case(
        "echo 'PAMServiceName other' >/etc/ssh/sshd_config.d/00-test.conf; systemctl reload ssh",
        words="rm -f /etc/ssh/sshd_config.d/00-test.conf", needs="ssh -V 2>&1 | grep -q OpenSSH_1"),
    "other-sshd": Case(
        "cp -p /etc/pam.d/sshd /etc/pam.d/sshd-2; sed -i /pam_mfa/d /etc/pam.d/sshd-2; "
        "ln /usr/sbin/sshd /usr/sbin/sshd-2; /usr/sbin/sshd-2 -p 2222 -o PidFile=/run/sshd-2.pid",
        undo="kill $(cat /run/sshd-2.pid); rm -f /usr/sbin/sshd-2", needs="! ssh -V 2>&1 | grep -q OpenSSH_1"),
    "not-in-use": Case("mfa-admin disable sshd su sudo login"),
    "ownership": Case("chmod 0666 /etc/mfa/key"),
    "rekey-unfinished": Case(
        "strace -qq -o /dev/null -e inject=renameat:signal=KILL:when=9 mfa-admin rekey --yes >/dev/null 2>&1 || true"),
    "resident-service-silent": Case(
        "systemctl start mfad.service; kill -STOP $(pgrep -x mfad)"),
    "resident-service-stopped": Case("systemctl stop mfad.socket mfad-users.socket mfad.service"),
    "resident-service-untrusted": Case(
        "systemctl stop mfad.socket mfad-users.socket mfad.service; " + stranger("root"), words="rm -f /run/mfa/root"),
    "root-locked-out": Case(
        REQUIRED + "; sed -i '/account.*pam_mfa/d' /etc/pam.d/login",
        undo=REVOKE_ROOT),
    "root-not-enrolled": Case(REQUIRED, undo=REVOKE_ROOT),
    "root-without-code": Case(
        ROOT_SIGNS_IN, undo=REVOKE_ROOT),
    "service-sandboxed": Case(
        "mkdir -p /etc/systemd/system/ssh.service.d; printf '[Service]\nInaccessiblePaths=/run/mfa\n"
        "ProtectSystem=strict\n' >/etc/systemd/system/ssh.service.d/test.conf; systemctl daemon-reload; "
        "systemctl restart ssh",
        words=f"cat >/run/editor <<'END'\n{EDITOR}END\nchmod 0755 /run/editor",
        undo="rm -r /etc/systemd/system/ssh.service.d; systemctl daemon-reload; systemctl restart ssh"),
    "service-switched-off": policy("[tenant x]\nservices = su\nstate = disabled\n"),
    "sibling-without-code": Case(
        "cp /etc/pam.d/su /etc/pam.d/su-l; sed -i /pam_mfa/d /etc/pam.d/su-l", apart=True,
        undo="mfa-admin doctor withdraw sibling-without-code /etc/pam.d/su-l"),
    "one-field": Case(
        r"printf 'auth requisite pam_unix.so\nauth requisite pam_mfa.so\naccount required pam_mfa.so\n"
        r"account required pam_unix.so\n' >/etc/pam.d/screen",
        words="sed -i /pam_mfa/d /etc/pam.d/screen", undo="mfa-admin disable screen; rm -f /etc/pam.d/screen"),
    "program-passwords-unused": Case(
        rf"printf '[project]\nprogram_passwords = screen\n' >{DROP_IN}; "
        r"printf 'auth required pam_mfa.so forward_pass\nauth required pam_unix.so\naccount required pam_mfa.so\n"
        r"account required pam_unix.so\n' >/etc/pam.d/screen",
        words="sed -i /pam_mfa/d /etc/pam.d/screen", undo="mfa-admin disable screen; rm -f /etc/pam.d/screen"),
    # Times are compared in seconds.
    "sshd-not-reloaded": Case(
        "until [ $(date +%s) -gt $(stat -c %Y /run/sshd.pid) ]; do sleep 0.1; done; "
        "echo '# changed' >>/etc/ssh/sshd_config"),
    "store-full": Case(
        OWN_FILE_SYSTEM + "head -c 64M /dev/zero >/var/lib/mfa/.big 2>/dev/null; true", stays=True,
        undo=SAME_FILE_SYSTEM),
    "store-not-writable": Case(
        "mkdir /var/lib/mfa/.doctor", last="rmdir /var/lib/mfa/.doctor", undo="rmdir /var/lib/mfa/.doctor"),
    "store-read-only": Case(
        OWN_FILE_SYSTEM + "mount -o remount,ro /var/lib/mfa", names={"MOUNT": "/var/lib/mfa"}, undo=SAME_FILE_SYSTEM),
    "store-volatile": Case(OWN_FILE_SYSTEM, last=SAME_FILE_SYSTEM),
    "system-user-signs-in": Case(
        "systemctl stop mfad.service; id -u mfa >/run/number; usermod --uid 1500 --shell /bin/bash mfa",
        undo="systemctl stop mfad.service; usermod --uid $(cat /run/number) --shell /usr/sbin/nologin mfa; "
             "mfa-admin repair; " + PACKAGES),
    "unenrolled-locked-out": Case(
        "printf 'auth [success=1 default=ignore] pam_unix.so\nauth requisite pam_deny.so\nauth required pam_mfa.so\n"
        "account required pam_permit.so\naccount required pam_mfa.so\n' >/etc/pam.d/test",
        words="sed -i '/^auth required pam_mfa/a auth required pam_permit.so' /etc/pam.d/test"),
    "unusable-records": Case(
        "cp -p /var/lib/mfa/factors/user15 /run/; echo none >/var/lib/mfa/factors/user15",
        names={"USER": "user15"}, stays=True, undo="cp -p /run/user15 /var/lib/mfa/factors/"),
    "weak-secrets": Case(
        "mkdir /run/weak; printf 'JBSWY3DPEHPK3PXP\n\" TOTP_AUTH\n' >/run/weak/other; chown other /run/weak/other; "
        "chmod 0400 /run/weak/other; mfa-admin import --google-authenticator /run/weak; rm -r /run/weak",
        stays=True, skips="mfa-enroll", undo="mfa-admin revoke --yes --all other"),
}

# Findings whose hint is not carried out here, with the reason.
ELSEWHERE = {
    "audit-log-damaged": "EndToEnd.ForeignStores does it",
    "certificate-ends": "it needs a realm",
    "clock-not-synchronized": "the clock of a container is that of its host",
    "codes-used-ahead": "the clock of a container is that of its host",
    "no-verifier": "it needs a realm",
    "phone-test-number-enrolled": "it needs an enrolled phone",
    "realm-database": "it needs a realm",
    "realm-decides": "it needs a realm",
    "relay-stopped": "it needs a realm",
    "store-foreign": "EndToEnd.ForeignStores does it",
    "store-frozen": "no file system can be frozen in a container",
}

# Commands that only show something, which come before anything is changed.
LOOKS = ("df ", "dmesg", "find ", "findmnt ", "journalctl ", "ps ", "ss ", "sshd -t", "systemctl cat",
         "systemctl status")

# The exit statuses that are no failure.
ALLOWED = {"mfa-admin doctor": {0, 3}, "mfa-admin readiness": {0, 3}, "mfa-admin explain": {0, 1, 3},
           "mfa-admin list": {0, 1}, "mfa-admin show": {0, 1}, "mfa-admin repair": {0, 1},
           "systemctl status": {0, 3}, "find ": {0, 1}}


def shell(script, check=True):
    """Runs a script, and returns what it prints."""
    done = subprocess.run(["/bin/sh", "-c", script], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if check and done.returncode != 0:
        raise RuntimeError(f"{script}: exit {done.returncode}: {(done.stdout + done.stderr)[-400:]}")
    return done.stdout


def finding(code):
    """Returns the finding of doctor with this code, or None."""
    text = subprocess.run(["mfa-admin", "doctor", "--json"], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    found = [entry for entry in json.loads(text.stdout)["findings"] if entry["finding"] == code]
    return found[0] if found else None


def commands(hint, names):
    """Returns the commands of a hint."""
    found = []
    for part in hint.split(";"):
        text = part.rpartition(": ")[2].strip()
        if text.startswith(PROGRAMS):
            found.append(re.sub(r"\b[A-Z]{3,}\b", lambda word: names.get(word.group(), word.group()), text))
    return found


def one_time_code(secret):
    """Returns the present code of a secret in base32."""
    digest = hmac.new(base64.b32decode(secret + "=" * (-len(secret) % 8)), struct.pack(">Q", int(time.time()) // 30),
                      hashlib.sha1).digest()
    at = digest[-1] & 15
    return "%06d" % ((struct.unpack_from(">I", digest, at)[0] & 0x7FFFFFFF) % 1000000)


def run_at_terminal(command):
    """Runs a command at a terminal, and answers what it asks. Returns its exit status and what it printed."""
    process, terminal = pty.fork()
    if process == 0:
        os.execve("/bin/sh", ["sh", "-c", command],
                  {**os.environ, "TERM": "xterm", "COLUMNS": "120", "EDITOR": "/run/editor"})
    text, answered = "", 0
    end = time.monotonic() + 60
    while time.monotonic() < end:
        ready, _, _ = select.select([terminal], [], [], 1)
        if ready:
            try:
                data = os.read(terminal, 65536)
            except OSError:
                break
            if not data:
                break
            text += data.decode(errors="replace")
            continue
        # It is silent: it waits for an answer to its last line.
        new = text[answered:]
        if not new.strip():
            continue
        answered = len(text)
        answer = "y"
        if re.search(r"[Pp]assword", new.splitlines()[-1]):
            answer = PASSWORD
        elif "press Enter" in new.splitlines()[-1]:
            answer = ""
        elif re.search(r"[Cc]ode", new.splitlines()[-1]):
            secret = re.findall(r"\b((?:[A-Z2-7]{4} ){7}[A-Z2-7]{4}|[A-Z2-7]{32})\b", text)
            answer = one_time_code(secret[-1].replace(" ", "")) if secret else ""
        os.write(terminal, answer.encode() + b"\n")
    else:
        os.kill(process, 9)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), text


def run(command, case):
    """Runs a command of a hint. Raises an error if it fails."""
    if command.startswith(case.skips):
        return
    if command.startswith("apt-get install --reinstall"):
        # The container reaches no archive: this is what apt-get does after it has fetched the packages.
        command = "DEBIAN_FRONTEND=noninteractive " + PACKAGES
    status, text = run_at_terminal(command)
    allowed = next((value for start, value in ALLOWED.items() if command.startswith(start)), {0})
    if status not in allowed:
        raise RuntimeError(f"`{command}`: exit {status}: {text[-600:]}")


def carry_out(code, case):
    """Makes the mistake and carries out the hint. Returns what was run."""
    done = []
    count = 1
    shell(KEEP)
    while len(done) < count:
        shell(case.plant)
        try:
            found = finding(code)
            if found is None:
                raise RuntimeError(f"doctor finds no {code}: " + shell("mfa-admin doctor", check=False)[-500:])
            todo = commands(found["hint"], case.names)
            if not todo:
                raise RuntimeError(f"no command in: {found['hint']}")
            count = len(todo)
            now = [todo[len(done)]] if case.apart else sorted(todo, key=lambda text: not text.startswith(LOOKS))
            for command in now:
                if not command.startswith(LOOKS):
                    shell(case.words)
                run(command, case)
                done.append(command)
            shell(case.last)
            if not case.stays and (left := finding(code)) is not None:
                raise RuntimeError(f"after {done}: {left['place']}: {left['message']}")
        finally:
            shell(case.undo, check=False)
            shell(RESTORE)
    return done


def main():
    status = 0
    for code, reason in ELSEWHERE.items():
        print(f"skipped: the hint of {code}: {reason}")
    for code in sys.argv[1:] or CASES:
        try:
            if subprocess.run(["/bin/sh", "-c", CASES[code].needs], check=False).returncode != 0:
                print(f"skipped: the hint of {code}: it needs what `{CASES[code].needs}` looks for", flush=True)
                continue
            print(f"ok: the hint of {code}: {'; '.join(carry_out(code, CASES[code]))}", flush=True)
        except Exception as failure:  # pylint: disable=broad-except
            status = 1
            print(f"FAILED: the hint of {code}: {failure}", flush=True)
    return status


if __name__ == "__main__":
    sys.exit(main())
