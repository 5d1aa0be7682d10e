#!/usr/bin/env python3
"""Checks that every test named in THREATS.md, in a MUST in the sources or in Report.swift exists.

    named_tests.py

A test is named as `Suite.function`, and in a MUST also as `.function` of the suite before it. In Report.swift,
the items of `mfa-admin report` name tests as "Suite.function". Prints each name without a test on a line, and
exits with 1 if there is one.
"""

import collections
import pathlib
import re
import sys


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    functions = collections.defaultdict(set)
    for file in (root / "Tests").rglob("*.swift"):
        text = file.read_text(encoding="utf-8")
        found = set(re.findall(r"\bfunc (\w+)", text))
        for suite in re.findall(r"\b(?:struct|enum|extension|class) (?:EndToEnd\.)?(\w+)", text):
            functions[suite] |= found
    missing = []
    threats = root / "packaging/THREATS.md"
    for suite, function in re.findall(r"`([A-Z]\w+)\.(\w+)`", threats.read_text(encoding="utf-8")):
        if suite != "Suite" and function not in functions[suite]:
            missing.append(f"packaging/THREATS.md: {suite}.{function}")
    sources = [file for folder in ("Sources", "pam") for suffix in ("swift", "c", "h")
               for file in (root / folder).rglob("*." + suffix)]
    reports = [file for file in sources if file.name == "Report.swift"]
    if not reports:
        missing.append("Sources: no Report.swift")
    for file in reports:
        named = re.findall(r'"([A-Z]\w+)\.(\w+)"', file.read_text(encoding="utf-8"))
        if not named:
            missing.append(f"{file.relative_to(root)}: names no test")
        missing += [f"{file.relative_to(root)}: {suite}.{function}" for suite, function in named
                    if function not in functions[suite]]
    for file in sources:
        text = re.sub(r"\n\s*///? ?", " ", file.read_text(encoding="utf-8"))
        for named in re.findall(r"\(((?:`[\w.]+`[^()`]*)+)\)", text):
            suite = None
            for name in re.findall(r"`([\w.]+)`", named):
                prefix, dot, function = name.rpartition(".")
                suite = prefix.rpartition(".")[2] or suite
                if dot and suite and suite.endswith("Tests") and function not in functions[suite]:
                    missing.append(f"{file.relative_to(root)}: {suite}.{function}")
    print("\n".join(missing), end="\n" if missing else "")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
