#!/usr/bin/env python3
"""Checks that every test named in THREATS.md, in a comment in the sources or in Report.swift exists.

    named_tests.py

A test is named as `Suite.function`, and in the brackets of a comment also as `.function` of the suite before
it. A suite is named as `SomethingTests`, and a file or a suite of a folder of Tests/ as
`Folder/SomethingTests`; a folder as Tests/Folder, and a test of Tests/Fleet by its words, in brackets with
Tests/Fleet. In the brackets after a MUST, any other capitalised name in backticks is a suite or a type of the
sources. In Report.swift, the items of `mfa-admin report` name tests as "Suite.function". Prints each name
without a test on a line, and exits with 1 if there is one.
"""

import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TYPE = r"\b(?:struct|enum|extension|class|actor|protocol) (?:EndToEnd\.)?(\w+)"


class Tests:
    """The tests in a folder: the functions of each suite, and the suites of each file."""

    def __init__(self, folder):
        self.folder = folder
        self.functions = collections.defaultdict(set)
        self.suites = set()
        self.in_folders = set()
        scripts = [(folder / "Fleet" / name).read_text(encoding="utf-8") for name in ("run", "offline.py")]
        self.of_fleets = {name for text in scripts for name in re.findall(r"^@test\ndef (\w+)", text, re.M)}
        for file in folder.rglob("*.swift"):
            text = file.read_text(encoding="utf-8")
            found = set(re.findall(r"\bfunc (\w+)", text))
            named = re.findall(TYPE, text)
            for suite in named:
                self.functions[suite] |= found
            if "@Test" in text:
                self.suites |= set(named)
                self.in_folders |= {(file.parent.name, name) for name in [file.stem, *named]}

    def has(self, folder, suite):
        """Returns whether a suite exists, in a folder if that is not empty."""
        return (folder, suite) in self.in_folders if folder else suite in self.suites

    def missing(self, text):
        """Yields the names of suites and folders in a text that do not exist."""
        for folder, name in re.findall(r"(?<![\w.])(?:(?:Tests/)?([\w-]+)/)?(\w+Tests)\b(?![./]\w)", text):
            if not self.has(folder, name):
                yield f"{folder}/{name}" if folder else name
        for folder in re.findall(r"\bTests/([\w-]+)", text):
            if not (self.folder / folder).is_dir():
                yield "Tests/" + folder


    def missing_of_fleets(self, text):
        """Yields the tests of Tests/Fleet in the brackets of a text that do not exist."""
        for named in re.findall(r"\(([^()]*\bTests/Fleet\b[^()]*)\)", text):
            for name in re.findall(r"`(?:Tests/Fleet: )?([a-z][a-z ]+|TLS[ \d]+)`", named):
                if name.replace(" ", "_") not in self.of_fleets:
                    yield "Tests/Fleet: " + name


def comments(text):
    """Returns each comment of a source file as one line."""
    blocks, lines = [], []
    for line in [*text.splitlines(), ""]:
        found = re.match(r"\s*//+ ?(.*)", line)
        if found:
            lines.append(found[1])
        elif lines:
            blocks.append(" ".join(lines))
            lines = []
    return blocks


def missing_in(comment, tests, types):
    """Yields the names in the brackets of a comment that name no test."""
    yield from tests.missing_of_fleets(comment)
    for named in re.findall(r"\(([^()]*)\)", comment):
        yield from tests.missing(named)
        suite = None
        for name in re.findall(r"`([\w.]+)`", named):
            prefix, dot, function = name.rpartition(".")
            if prefix == "EndToEnd":
                if not tests.has("EndToEnd", function):
                    yield name
                continue
            suite = prefix.rpartition(".")[2] or suite
            if dot and suite and (suite.endswith("Tests") or suite in tests.suites - types):
                if function not in tests.functions[suite]:
                    yield f"{suite}.{function}"
    for name in re.findall(r"MUST \d+: [^()]*(?:\([^()`]*\)[^()]*)*\(`([A-Z]\w+)`\)", comment):
        if name not in types and name not in tests.suites and not name.endswith("Tests"):
            yield name


def main():
    tests = Tests(ROOT / "Tests")
    missing = []
    threats = (ROOT / "packaging/THREATS.md").read_text(encoding="utf-8")
    named = re.findall(r"`([A-Z]\w+)\.(\w+)`", threats)
    missing += [f"packaging/THREATS.md: {suite}.{function}" for suite, function in named
                if suite != "Suite" and function not in tests.functions[suite]]
    missing += [f"packaging/THREATS.md: {name}" for name in tests.missing(threats)]
    missing += [f"packaging/THREATS.md: {name}" for name in tests.missing_of_fleets(threats)]
    sources = {file: file.read_text(encoding="utf-8")
               for folder in ("Sources", "pam") for suffix in ("swift", "c", "h")
               for file in sorted((ROOT / folder).rglob("*." + suffix))}
    reports = {file: text for file, text in sources.items() if file.name == "Report.swift"}
    if not reports:
        missing.append("Sources: no Report.swift")
    for file, text in reports.items():
        named = re.findall(r'"([A-Z]\w+)\.(\w+)"', text)
        if not named:
            missing.append(f"{file.relative_to(ROOT)}: names no test")
        missing += [f"{file.relative_to(ROOT)}: {suite}.{function}" for suite, function in named
                    if function not in tests.functions[suite]]
    types = {name for text in sources.values() for name in re.findall(TYPE, text)}
    for file, text in sources.items():
        for comment in comments(text):
            missing += [f"{file.relative_to(ROOT)}: {name}"
                        for name in missing_in(comment, tests, types)]
    print("\n".join(missing), end="\n" if missing else "")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
