#!/usr/bin/env python3
"""Checks the unsafe expressions of the Swift code: each statement with one has a reason, and no
target has more of them than its budget.

    unsafe_budget.py

A `// SAFETY:` comment stands directly above the statement with the unsafe expressions, or above the
first unsafe line within the statement. The comment covers the whole statement, including closures in
it, but not the bodies of `if`, `for`, `do` and other control flow. In a closure, adjacent statements
with the same reason share one comment.

Prints each violation on a line and exits with 1 if there is one.
"""

import collections
import pathlib
import re
import sys

# The number of `unsafe` words of each target. A number may be lowered, but not raised.
BUDGET = {
    "Base/Base": 180,
    "Base/Crypto": 24,
    "Clients/MultiFactor": 40,
    "Clients/MultiFactorQR": 5,
    "Core/Attempt": 4,
    "Model/QRCode": 3,
    "Module/Module": 34,
    "Realm/RealmStore": 76,
    "Realm/RealmTransport": 2,
    "Realm/Relay": 1,
    "Realm/mfa-fleet": 5,
    "Service/Decider": 40,
    "Tests/Support": 20,
    "Tools/Admin": 41,
    "Tools/Doctor": 12,
    "Tools/Services": 51,
    "Tools/mfa-enroll": 52,
}

UNSAFE = re.compile(r"(?<![\w@.`])unsafe(?![\w(:`])")
CONTROL = re.compile(r"(?:^|[=(,]\s*|\breturn\s+|\}\s*)"
                     r"(?:if|guard|while|for|do|switch|repeat|else|defer|catch)\b")
DECLARATION = re.compile(r"^(?:@\S+ |public |package |internal |private |fileprivate |static |final |"
                         r"mutating |consuming |convenience |override |nonisolated |indirect )*"
                         r"(?:func|init\b|deinit|subscript|struct|class|enum|protocol|extension|actor|get|set|"
                         r"case|default|(?:var|let)\b[^=]*$)")
STARTS_CONTINUATION = re.compile(r"^(?:[.?:+\-*/&|=<>}\])]|else\b|where\b|throws\b|as\b|is\b)")
ENDS_CONTINUATION = re.compile(r"(?:[=,(\[+\-*/&|<>?:]|->|\breturn|\bguard|\bif|\blet|\bthrow|\btry|\bunsafe)$")


class Line:
    def __init__(self, text):
        self.text = text.strip()
        self.code = ""
        # The line on which the statement begins, and the innermost open brace at the line's start.
        self.start = 0
        self.block = None


class Brace:
    def __init__(self, line, is_closure):
        self.line = line
        self.is_closure = is_closure


def without_literals(text):
    """Returns the source without comments and the contents of string literals, line by line."""
    text = re.sub(r'"""\n.*?"""', lambda match: '""' + "\n" * match.group().count("\n"), text, flags=re.S)
    lines = []
    for line in text.split("\n"):
        line = re.sub(r'"(?:\\.|[^"\\])*"', '""', line)
        lines.append(line.split("//")[0].strip())
    return lines


def parse(text):
    """Returns the lines of a file with the statements that they belong to."""
    lines = [Line(line) for line in text.split("\n")]
    for line, code in zip(lines, without_literals(text)):
        line.code = code
    stack = []  # ("{", Brace) or ("(", line)
    previous = None
    for number, line in enumerate(lines):
        line.block = next((entry for kind, entry in reversed(stack) if kind == "{"), None)
        if line.code:
            opened = stack[-1] if stack else None
            if line.code.startswith("}") and opened:
                line.start = lines[opened[1].line].start
            elif opened and opened[0] == "(":
                line.start = lines[opened[1]].start
            elif previous is not None and lines[previous].block is line.block and (
                    STARTS_CONTINUATION.match(line.code) or ENDS_CONTINUATION.search(lines[previous].code)):
                line.start = lines[previous].start
            elif previous is not None and STARTS_CONTINUATION.match(line.code):
                line.start = lines[previous].start
            else:
                line.start = number
            for index, character in enumerate(line.code):
                if character in "([":
                    stack.append(("(", number))
                elif character == "{":
                    stack.append(("{", Brace(number, is_closure(lines, stack, line, number, index))))
                elif character in ")]}" and stack:
                    stack.pop()
            previous = number
        else:
            line.start = number
    return lines


def is_closure(lines, stack, line, number, index):
    """Returns whether the brace at `index` opens a closure, and not the body of a declaration or of
    control flow."""
    if stack and stack[-1][0] == "(" and lines[stack[-1][1]].start == line.start:
        return True
    head = " ".join([*(other.code for other in lines[line.start:number] if other.start == line.start),
                     line.code[:index]]).strip()
    head = head[head.rfind("}") + 1:].strip() if line.code.startswith("}") else head
    return not CONTROL.search(head) and not DECLARATION.match(head)


def has_reason(lines, number):
    """Returns whether a comment with a reason stands directly above a line."""
    number -= 1
    while number >= 0 and lines[number].text.startswith("//"):
        if lines[number].text.startswith("// SAFETY:"):
            return True
        number -= 1
    return False


def is_covered(lines, number):
    start = lines[number].start
    if any(has_reason(lines, line) for line in range(start, number + 1) if lines[line].start == start):
        return True
    block = lines[start].block
    if block is None or not block.is_closure:
        return False
    above = start - 1
    if above > block.line and lines[above].code:
        sibling = lines[above].start
        if lines[sibling].block is block and any(
                UNSAFE.search(line.code) for line in lines[sibling:start]) and is_covered(lines, sibling):
            return True
    return is_covered(lines, block.line)


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    problems = []
    words = collections.Counter()
    files = [*sorted((root / "Sources").rglob("*.swift")), *sorted((root / "Tests/Support").rglob("*.swift"))]
    for file in files:
        place = file.relative_to(root)
        lines = parse(file.read_text(encoding="utf-8"))
        for number, line in enumerate(lines):
            count = len(UNSAFE.findall(line.code))
            if not count:
                continue
            words["/".join(place.parts[1:3] if place.parts[0] == "Sources" else place.parts[:2])] += count
            if not is_covered(lines, number):
                problems.append(f"{place}:{number + 1}: no SAFETY comment for: {line.text}")
    for target, count in sorted(words.items()):
        if count > BUDGET.get(target, 0):
            problems.append(f"{target} has {count} unsafe words; its budget is {BUDGET.get(target, 0)}")
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
