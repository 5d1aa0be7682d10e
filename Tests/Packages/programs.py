#!/usr/bin/env python3
"""Checks the help and the completions of the programs in a folder.

    programs.py FOLDER

Each program prints the version of this checkout. Each visible command and long option of a program is in its man page,
and each long option in the synopsis of the man page is one of the program. Programs without written completions write
them here. bash, zsh and fish complete the name of a command at a terminal. Prints a line for each
check; the exit status is 1 if one has failed.
"""

import json
import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
# For each program, a part of a command and the command.
PROGRAMS = {"mfa-admin": ("disab", "disable"), "mfa-enroll": ("recovery-c", "recovery-codes"),
            "mfa-fleet": ("author", "authority"), "mfa-verifier": ("new-e", "new-epoch")}
# The options that every program has, and that man pages may leave out.
EVERYWHERE = {"--help", "--version"}
LIMIT = 20
failed = False


def report(title, differences):
    """Prints whether a check has found no difference."""
    global failed
    failed |= bool(differences)
    print(f"FAILED: {title}: {', '.join(sorted(differences))}" if differences else f"ok: {title}")


def check_version(program):
    """Compares the version that a program prints with that of this checkout."""
    source = (ROOT / "Sources/Model/Model/Release.swift").read_text()
    version = re.search(r'version: StaticString { "([^"]+)" }', source).group(1)
    shown = subprocess.run([program, "--version"], capture_output=True, text=True)
    report(f"{program.name}: --version", {shown.stdout + shown.stderr} - {f"{program.name} {version}\n"})


def described(command):
    """Yields the visible commands and long options below a command of the dump."""
    for argument in command.get("arguments", []):
        if argument.get("shouldDisplay", True):
            for name in argument.get("names") or []:
                if name["kind"] == "long":
                    yield "--" + name["name"]
    for child in command.get("subcommands", []):
        if child.get("shouldDisplay", True) and child["commandName"] != "help":
            yield child["commandName"]
            yield from described(child)


def check_help(program):
    """Compares the man page of a program with its help."""
    dump = subprocess.run([program, "--experimental-dump-help"], capture_output=True, check=True).stdout
    names = set(described(json.loads(dump)["command"])) - EVERYWHERE
    page = next((ROOT / "packaging/man").glob(program.name + ".[18]")).read_text().replace("\\-", "-")
    report(f"{program.name}: the man page has every command and option of the help",
           {name for name in names if not re.search(re.escape(name) + r"(?![\w-])", page)})
    synopsis = page.split(".SH SYNOPSIS")[1].split(".SH ")[0]
    report(f"{program.name}: the program has every option of the synopsis",
           set(re.findall(r"--[a-z][a-z-]*[a-z]", synopsis)) - names - EVERYWHERE)


def typed(command, setup, line):
    """Types a line and a tab in a shell at a terminal, and returns whether the line that runs is `RAN` and a word."""
    part, word = line
    process, terminal = pty.fork()
    if process == 0:
        os.execvpe(command[0], command, dict(os.environ, TERM="dumb", PS1="$ ", HOME=setup.parent.as_posix()))
    end = time.monotonic() + LIMIT
    shown = ""
    sent = False
    os.write(terminal, f". {setup}; echo REA''DY\n".encode())
    while time.monotonic() < end and word not in shown:
        if select.select([terminal], [], [], 0.2)[0]:
            try:
                shown += os.read(terminal, 4096).decode(errors="replace")
            except OSError:
                break
        if not sent and "READY" in shown:
            sent = True
            shown = ""
            os.write(terminal, f"{part}\t".encode())
    os.close(terminal)
    os.waitpid(process, 0)
    return sent and word in shown


def check_completions(program, scripts, folder):
    """Completes the name of a command in each shell."""
    part, word = PROGRAMS[program.name]
    line = (f"{program.name} {part}", word)
    shells = {"bash": (["bash", "--norc", "-i"], "source {0}"),
              "zsh": (["zsh", "-f", "-i"], "fpath=({1} $fpath); autoload -U compinit; compinit -u -D"),
              "fish": (["fish", "--no-config", "--interactive"], "source {0}")}
    for shell, (command, text) in shells.items():
        if not shutil.which(shell):
            print(f"skipped: {program.name}: {shell} is not installed")
            continue
        places = folder / shell
        places.mkdir(exist_ok=True)
        shutil.copy(scripts / shell, places / ("_" + program.name))
        setup = folder / f"setup.{shell}"
        setup.write_text(text.format(scripts / shell, places) + "\n")
        if shell == "fish":
            # The terminal of this test answers no questions, which fish asks; `complete -C` completes a line.
            found = subprocess.run(["fish", "--no-config", "-c", f"source {scripts / shell}; complete -C '{line[0]}'"],
                                   capture_output=True, check=True, text=True).stdout
            is_complete = found.split("\t")[0].strip() == word
        else:
            is_complete = typed(command, setup, line)
        report(f"{program.name}: {shell} completes a command", set() if is_complete else {line[0]})


def completions(program, written, folder):
    """Returns the folder with the completions of a program: the one that the build has written, or a new one."""
    if written.exists():
        return written
    made = folder / program.name
    made.mkdir()
    for shell in ("bash", "zsh", "fish"):
        script = subprocess.run([program, "--generate-completion-script", shell], capture_output=True, check=True)
        (made / shell).write_bytes(script.stdout)
    return made


def main():
    artefacts = pathlib.Path(sys.argv[1]).resolve()
    os.environ["PATH"] = f"{artefacts}:{os.environ['PATH']}"
    with tempfile.TemporaryDirectory() as folder:
        for name in PROGRAMS:
            if (artefacts / name).exists():
                program = artefacts / name
                check_version(program)
                check_help(program)
                written = artefacts / "completions" / name
                check_completions(program, completions(program, written, pathlib.Path(folder)), pathlib.Path(folder))
    sys.exit(failed)


main()
