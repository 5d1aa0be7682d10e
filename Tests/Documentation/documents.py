"""The documents, their code blocks and links."""

import calendar
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
GUIDES = ("administration", "ssh-with-passwords", "ssh-with-keys", "ssh-with-keys-or-passwords", "user", "recovery", "lost-machine", "migration", "monitoring", "programs", "architecture", "library")
DOCUMENTS = (ROOT / "README.md", *(ROOT / f"packaging/doc/{name}.md" for name in GUIDES))

# Languages of code blocks. A block without a language has lines of a configuration file.
LANGUAGES = {"", "sh", "swift"}
COMMENT = re.compile(r"<!-- (run|not run): (.*) -->|<!-- (shown) -->")


class Mistake(Exception):
    """A mistake in a document."""


class Block:
    """A code block, with what the comment above it says."""

    def __init__(self, path, number, language, comment):
        self.place = f"{path.relative_to(ROOT)}:{number}"
        self.language = language
        self.lines = []
        self.reason = None  # why the block is not run
        self.is_shown = False  # whether the block is what the block before it shows
        self.user = "alice"
        self.fixture = None
        self.statuses = {0}
        if not comment:
            return
        kind, text = comment
        if kind == "shown":
            if language:
                raise Mistake(f"{self.place}: what is shown is in a block without a language")
            self.is_shown = True
            return
        if language != "sh":
            raise Mistake(f"{self.place}: only blocks of the language sh are run")
        if kind == "not run":
            self.reason = text
            return
        for word in text.split():
            name, _, value = word.partition("=")
            if name == "as":
                self.user = value
            elif name == "fixture":
                self.fixture = value
            elif name == "status":
                self.statuses = {int(each) for each in value.split(",")}
            else:
                raise Mistake(f"{self.place}: unknown word {word} in the comment")

    @property
    def text(self):
        return "\n".join(self.lines) + "\n"

    def missing(self, seen):
        """Returns the lines of this block that are not, one below the other, in a text; None if there are none.

        Any digit stands for any other, and `...` for what the block leaves out: lines, or a part of a line.
        """
        rest = "\n" + "".join(plain(line) + "\n" for line in seen.splitlines())
        for part in re.split(r"^\.\.\.\n", self.text, flags=re.MULTILINE):
            wanted = "".join(plain(line) + "\n" for line in part.splitlines())
            match = re.search(r"(?<=\n)" + re.escape(wanted).replace(r"\.\.\.", r".*"), rest)
            if not match:
                return part
            rest = rest[match.end() - 1:]
        return None


def plain(line):
    """Returns a line without what differs each time: days, other digits, and spaces at its end."""
    line = re.sub(rf"\b\d{{1,2}} (?:{'|'.join(calendar.month_name[1:])})\b", "00 November", line)
    return re.sub(r"\d", "0", line).rstrip()


def blocks(path):
    """Returns the code blocks of a document.

    A comment `<!-- run: as=USER fixture=NAME status=0,3 -->` above a block says as which user, after which
    preparation and with which exit statuses it is run; `<!-- not run: REASON -->` says why it is not. `<!-- shown -->`
    says that the block has lines that the block run before it shows.
    """
    found = []
    block = comment = None
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if block is not None:
            if line.startswith("```"):
                found.append(block)
                block = None
            else:
                block.lines.append(line)
            continue
        if line.startswith("```"):
            block = Block(path, number, line[3:], comment)
            if block.language not in LANGUAGES:
                raise Mistake(f"{block.place}: the language {block.language} is not one of sh, swift and none")
            comment = None
            continue
        if comment:
            raise Mistake(f"{path.name}:{number}: the comment above is not followed by a block")
        match = COMMENT.fullmatch(line)
        if match:
            comment = match.group(1) or match.group(3), match.group(2)
        elif "<!--" in line:
            raise Mistake(f"{path.name}:{number}: a comment that is not one of `run:`, `not run:` and `shown`")
    if block or comment:
        raise Mistake(f"{path.name}: a block or a comment is not complete")
    return found


def prose(path):
    """Returns the text of a document without its code blocks."""
    return re.sub(r"^```.*?^```$", "", path.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)


def broken_links(path):
    """Yields the links of a document that lead to no file, or to no heading."""
    for target in re.findall(r"\]\(([^)\s]+)\)", prose(path)):
        if re.match(r"https?:", target):
            continue
        name, _, heading = target.partition("#")
        file = path if not name else path.parent / name
        if not file.exists():
            yield f"{path.name}: {target} does not exist"
        elif heading and heading not in headings(file):
            yield f"{path.name}: {target} has no such heading"


def headings(path):
    """Returns the anchors of the headings of a document."""
    return {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-")
            for title in re.findall(r"^#+ (.*)$", prose(path), flags=re.MULTILINE)}
