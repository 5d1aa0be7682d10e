"""The file rules of AppArmor profiles."""

import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "packaging/apparmor"
VARIABLE = re.compile(r"@\{\w+\}")


class Profile:
    """The file rules of a profile. Those for the owner of a file count for everyone."""

    def __init__(self, name):
        text = subprocess.run(["apparmor_parser", "--skip-kernel-load", "--preprocess", FOLDER / name],
                              capture_output=True, text=True, check=True).stdout
        values = {}
        for variable, words in re.findall(r"^\s*(@\{\w+\})\s*\+?=\s*(.*)$", text, flags=re.MULTILINE):
            values.setdefault(variable, []).extend(words.split())
        self.rules = []
        for line in text.splitlines():
            rule = re.match(r"\s*(?:owner\s+)?([/@]\S*)\s+([a-zA-Z]+),", line)
            if rule:
                self.rules += [(re.compile(expression(path)), rule[2]) for path in expanded(rule[1], values)]

    def lacks(self, path, permissions):
        """Returns those of the permissions that no rule gives for the path."""
        given = {letter for pattern, letters in self.rules if pattern.fullmatch(path) for letter in letters}
        return "".join(sorted(set(permissions) - given))


def expanded(path, values):
    """Returns the path with each of the values of its variables. A variable of the kernel stands for any name."""
    variable = VARIABLE.search(path)
    if not variable:
        return [path]
    return [result for value in values.get(variable[0], ["*"])
            for result in expanded(path[:variable.start()] + value + path[variable.end():], values)]


def expression(path):
    """Returns the regular expression for the path of a rule (apparmor.d(5), Globbing)."""
    parts = {"**": ".+", "*": "[^/]*", "?": "[^/]", "{": "(?:", "}": ")", "//": "/"}
    text = ""
    depth = 0
    for word in re.findall(r"\*\*|\[[^\]]*\]|//|.", path):
        depth += (word == "{") - (word == "}")
        if word == "," and depth:
            text += "|"
        else:
            text += parts.get(word) or (word if word.startswith("[") else re.escape(word))
    return text
