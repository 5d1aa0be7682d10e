#!/usr/bin/python3
"""Runs a command of mfa-enroll, and asks the user what it needs: python3 client.py enroll --name phone"""

import getpass
import json
import subprocess
import sys


def converse(arguments, answer, show):
    """Runs mfa-enroll. answer(line) returns the answer to a need, or None to cancel; show(line) gets the lines that
    need no answer. Returns the last line, which has "result" or "error"."""
    command = ["mfa-enroll", *arguments, "--json"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
    ) as tool:
        last = {"error": "helperEnded", "message": "mfa-enroll ended.", "hint": "Try again."}
        for text in tool.stdout:
            line = json.loads(text)
            if "result" in line or "error" in line:
                last = line
            elif "need" in line:
                value = answer(line)
                reply = {"cancel": True} if value is None else {line["need"]: value}
                tool.stdin.write(json.dumps(reply) + "\n")
                tool.stdin.flush()
            else:
                show(line)
        return last


def ask(line):
    question = line.get("text", line["need"] + ": ")
    try:
        if line["need"] in ("password", "ticket"):
            return getpass.getpass(question)
        return input(question)
    except EOFError:
        return None


def show(line):
    if "key" in line:
        print("Add this key to your app:", line["key"], "or open", line["url"])
    elif "notice" in line:
        print(line["notice"])
    elif "rejected" in line:
        print(line["message"], line["hint"])


if __name__ == "__main__":
    last = converse(sys.argv[1:], ask, show)
    if "error" in last:
        sys.exit(f"{last['error']}: {last['message']} {last['hint']}")
    print("done:", last["result"])
    for code in last.get("recoveryCodes", []):
        print("recovery code:", code)
