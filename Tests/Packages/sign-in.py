#!/usr/bin/env python3
"""Signs a user in at a terminal, and prints what happened in one line.

    sign-in.py PROGRAM USER [--code CODE] [--hold FOLDER] [--port PORT] [--command COMMAND]

PROGRAM is ssh, su, sudo or login. The password of the user is `open-sesame`. The line is `in` or `refused`, after
`code ` if the program asked for a code. Without --code, the code is made from the secret of the user in
/opt/mfa/secrets. With --hold, the file FOLDER/ready is created at the question for the code, which is answered when
FOLDER/go exists. --port and --command are for ssh; a command has to print `signed-in` on a line at its end.
"""

import argparse
import hashlib
import hmac
import os
import pathlib
import pty
import re
import select
import struct
import sys
import time

PROMPTS = re.compile(r"(login: |[Pp]assword[^\n]*: |Verification code[^\n]*: |Press Enter: |[$#] )\Z")
# The seconds that a sign-in may take, and that the other side may be silent.
LIMIT = 60


def code_now(user):
    """Returns the present code of a user."""
    secrets = dict(line.split() for line in pathlib.Path("/opt/mfa/secrets").read_text().splitlines())
    key = bytes.fromhex(secrets[user])
    digest = hmac.new(key, struct.pack(">Q", int(time.time()) // 30), hashlib.sha1).digest()
    at = digest[-1] & 15
    return "%06d" % ((struct.unpack_from(">I", digest, at)[0] & 0x7FFFFFFF) % 1000000)


def command(program, user, port, remote):
    """Returns the user who runs the program, and the program with its arguments."""
    if program == "ssh":
        return "root", ["ssh", "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null",
                        "-o", "LogLevel=ERROR", "-o", "NumberOfPasswordPrompts=1", "-o", "ConnectionAttempts=10",
                        "-o", "PubkeyAuthentication=no", "-p", port, f"{user}@127.0.0.1", remote]
    if program == "su":
        return "other", ["su", user, "-c", "echo signed-in"]
    if program == "sudo":
        return user, ["sudo", "-k", "echo", "signed-in"]
    return "root", ["login"]


def start(program, user, port, remote):
    """Starts the program at a terminal of its own."""
    runner, words = command(program, user, port, remote)
    process, terminal = pty.fork()
    if process == 0:
        if runner != "root":
            words = ["setpriv", f"--reuid={runner}", f"--regid={runner}", "--init-groups", "--", *words]
        os.execvpe(words[0], words, {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "TERM": "dumb", "HOME": "/"})
    return process, terminal


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", choices=["ssh", "su", "sudo", "login"])
    parser.add_argument("user")
    parser.add_argument("--code")
    parser.add_argument("--hold", type=pathlib.Path)
    parser.add_argument("--port", default="22")
    parser.add_argument("--command", default="echo signed-in")
    options = parser.parse_args()
    process, terminal = start(options.program, options.user, options.port, options.command)
    everything = shown = ""
    asked = False
    names = 0
    end = time.monotonic() + LIMIT
    while time.monotonic() < end:
        if not select.select([terminal], [], [], LIMIT)[0]:
            break
        try:
            data = os.read(terminal, 4096)
        except OSError:
            # No process has the terminal open: the program has ended, or is login, which opens it again.
            if os.waitid(os.P_PID, process, os.WEXITED | os.WNOHANG | os.WNOWAIT):
                break
            time.sleep(0.02)
            continue
        if not data:
            break
        shown += data.decode(errors="replace")
        everything += data.decode(errors="replace")
        prompt = PROMPTS.search(shown)
        if re.search(r"^signed-in\r?$", everything, re.M):
            break
        if not prompt:
            continue
        shown = ""
        kind = prompt.group(1)
        if kind == "login: ":
            names += 1
            # A second question means that the first sign-in failed.
            if names == 2:
                break
            answer = options.user
        elif kind.startswith("Verification"):
            asked = True
            if options.hold:
                (options.hold / "ready").touch()
                while not (options.hold / "go").exists():
                    time.sleep(0.05)
            answer = options.code or code_now(options.user)
        elif kind in ("$ ", "# "):
            answer = "echo signed-in"
        else:
            answer = "open-sesame"
        os.write(terminal, answer.encode() + b"\n")
    is_in = re.search(r"^signed-in\r?$", everything, re.M) is not None
    os.close(terminal)
    os.waitpid(process, 0)
    print(("code " if asked else "") + ("in" if is_in else "refused"))
    if os.environ.get("SHOW"):
        print(everything, file=sys.stderr)


main()
