#!/usr/bin/python3
"""Checks how the programs and libraries in a folder were compiled and linked, and where they run.

    binaries.py FOLDER

- Each file has the protections that Debian's hardening-check looks for, and code in pages of its own.
- The C compiler got the options for these protections. blhc checks this in the log of a build. It could not see it
  here: Swift's package manager prints no commands, and packaging/build prints none either; and it does not know
  swiftc. The commands are in the package manager's manifest and in packaging/build, and are checked there. Whether the
  compiler obeyed is seen from the functions that the files import.
- Objects have no different data with the same name. Swift 6.3 names the constant arrays of a function by their number,
  and two targets into which it is compiled number them differently. The linker keeps one array of each name, so that
  one copy of the function reads the arrays of the other.
- pam_mfa.so needs no symbol that is newer than glibc 2.31, and pam/errno_names.c has the names of the C library.
- The table in packaging/doc/administration.md names the symbols that the files need, and the oldest distributions
  that have these symbols.

Prints a line for each check, and for each file that fails. The exit status is 1 if one has failed.
"""

import json
import pathlib
import platform
import re
import subprocess
import sys
import tempfile

from elftools.elf.elffile import ELFFile

ROOT = pathlib.Path(__file__).resolve().parents[2]
GUIDE = ROOT / "packaging/doc/administration.md"
# The version of glibc on which the files are built whose symbols the guide names (Debian 12).
BUILD_GLIBC = "2.36"
# The newest version of glibc whose symbols pam_mfa.so may need.
NEWEST_FOR_MODULE = (2, 31)
# The version with which glibc understands packed relative relocations. The file then needs this symbol version.
PACKED_RELOCATIONS = ("GLIBC_ABI_DT_RELR", (2, 36))
# The options that every C file of a release is compiled with.
OPTIONS = ["-fstack-protector-strong", "-D_FORTIFY_SOURCE=2"]
# For each distribution and version, the versions of glibc and of the symbols of libstdc++, and whether it has OpenSSL 3.
DISTRIBUTIONS = {
    "Debian": {"11": ((2, 31), (3, 4, 28), False), "12": ((2, 36), (3, 4, 30), True),
               "13": ((2, 41), (3, 4, 33), True)},
    "Ubuntu": {"20.04": ((2, 31), (3, 4, 28), False), "22.04": ((2, 35), (3, 4, 30), True),
               "24.04": ((2, 39), (3, 4, 33), True)},
    "RHEL": {"8": ((2, 28), (3, 4, 25), False), "9": ((2, 34), (3, 4, 29), True),
             "10": ((2, 39), (3, 4, 33), True)},
}
# The programs of a realm, which the tests build without optimisation and outside the folder.
WITHOUT_ROW = ("mfa-fleet", "mfa-verifier")
# What is checked by comparing the C library's function with ours, which has another name here.
COMPARISON = """
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
const char *own_name(int number);
int main(void) {
  for (int number = -1; number < 4096; number++) {
    const char *theirs = strerrorname_np(number), *ours = own_name(number);
    if ((theirs == NULL) != (ours == NULL) || (ours != NULL && strcmp(theirs, ours) != 0)) printf("%d ", number);
  }
  return 0;
}
"""
failed = False


def report(title, problems):
    """Prints whether a check has found a problem."""
    global failed
    failed |= bool(problems)
    print("\n".join(f"FAILED: {title}: {problem}" for problem in problems) if problems else f"ok: {title}")


class Binary:
    """A program or library, as readelf describes it."""

    def __init__(self, path):
        self.path = path
        self.header, self.dynamic, self.segments, self.sections, symbols = (
            subprocess.run(["readelf", "-W", option, path], capture_output=True, check=True, text=True).stdout
            for option in ("-h", "-d", "-l", "-S", "--dyn-syms"))
        # The name and the symbol version of each symbol that the file needs.
        self.needed = re.findall(r" UND ([^@\s]+)(?:@(\S+))?", symbols)
        self.versions = set(re.findall(r"Name: (\S+)", subprocess.run(
            ["readelf", "-W", "--version-info", path], capture_output=True, check=True, text=True).stdout))
        self.is_library = ".so" in path.name
        self.loads_openssl = b"libcrypto.so.3\0" in path.read_bytes()

    def problems(self):
        """Yields the protections that the file lacks."""
        if "DYN (" not in self.header or (not self.is_library and "PIE" not in self.dynamic):
            yield "its code has a fixed address (no PIE)"
        if "GNU_RELRO" not in self.segments:
            yield "the tables of relocations stay writable (no RELRO)"
        if not re.search(r"\(FLAGS(_1)?\).*NOW", self.dynamic):
            yield "symbols are bound at the first call (no BIND_NOW)"
        if not re.search(r"GNU_STACK.* RW +0", self.segments):
            yield "the stack is executable"
        if "(RPATH)" in self.dynamic or "(RUNPATH)" in self.dynamic:
            yield "it has a search path of its own (RPATH or RUNPATH)"
        if "TEXTREL" in self.dynamic:
            yield "its code has relocations (TEXTREL)"
        if re.search(r"LOAD.* RWE", self.segments):
            yield "a segment is writable and executable"
        if mixed := self.sections_beside_code():
            yield "pages with code have other contents too: " + ", ".join(mixed)
        names = {name for name, _ in self.needed}
        if "__stack_chk_fail" not in names:
            yield "no function protects its stack (-fstack-protector-strong)"
        if not any(re.fullmatch(r"__\w+_chk", name) for name in names):
            yield "no call is checked for overruns (_FORTIFY_SOURCE)"

    def sections_beside_code(self):
        """Returns the sections without code in segments with code."""
        contents = dict(re.findall(r"^ +(\d\d) +(\S.*)$", self.segments.partition("mapping:")[2], re.MULTILINE))
        kinds = re.findall(r"^  (LOAD|[A-Z_]+) +0x.* ([R ][W ][E ]) 0x", self.segments, re.MULTILINE)
        flags = dict(re.findall(r"^ +\[ *\d+\] (\S+) .* (\S+) +\d+ +\d+ +\d+$", self.sections, re.MULTILINE))
        return [section for number, (kind, access) in enumerate(kinds) if kind == "LOAD" and "E" in access
                for section in contents[f"{number:02}"].split() if "X" not in flags.get(section, "")]

    def newest(self, library):
        """Returns the newest version of a library's symbols that the file needs, such as (2, 36) for GLIBC."""
        found = [tuple(map(int, match[1].split("."))) for version in self.versions
                 if (match := re.fullmatch(library + r"_([0-9.]+)", version))]
        if library == "GLIBC" and PACKED_RELOCATIONS[0] in self.versions:
            found.append(PACKED_RELOCATIONS[1])
        return max(found, default=(0,))

    def oldest(self, distribution):
        """Returns the oldest version of a distribution that has what the file needs."""
        return next(name for name, (glibc, libstdcxx, has_openssl) in DISTRIBUTIONS[distribution].items()
                    if glibc >= self.newest("GLIBC") and libstdcxx >= self.newest("GLIBCXX")
                    and (has_openssl or not self.loads_openssl))

    def row(self):
        """Returns the row of the file in the guide's table."""
        needs = ["glibc " + dotted(self.newest("GLIBC"))]
        if self.newest("GLIBCXX") > (0,):
            needs.append("GLIBCXX " + dotted(self.newest("GLIBCXX")))
        if self.loads_openssl:
            needs.append("OpenSSL 3")
        return "| " + " | ".join([f"`{self.path.name}`", ", ".join(needs), *map(self.oldest, DISTRIBUTIONS)]) + " |"


def dotted(version):
    return ".".join(map(str, version))


def check_options():
    """Checks the options with which C files were compiled."""
    for folder in (".build-embedded", ".build", ".build-fleet"):
        if folder == ".build-fleet" and not (ROOT / folder / "release.yaml").exists():
            continue
        commands = [json.loads(line) for line in re.findall(
            r'args: (\["[^"]*/clang",.*\])$', (ROOT / folder / "release.yaml").read_text(), re.MULTILINE)]
        ours = [command for command in commands if str(ROOT / "Sources/C") + "/" in command[command.index("-c") + 1]]
        report(f"the C code of {folder} is compiled with {' '.join(OPTIONS)}",
               [f"{command[command.index('-c') + 1]} lacks {option}" for command in ours for option in OPTIONS
                if option not in command] if ours else ["the manifest has no C file"])
    build = (ROOT / "packaging/build").read_text()
    compiler = re.search(r"^link_with\(\) \{\n(.*?)^\}", build, re.MULTILINE | re.DOTALL)[1]
    report("packaging/build compiles pam/*.c with the same options",
           [f"link_with lacks {option}" for option in OPTIONS if option not in compiler.split()])


def shared_data(path):
    """Yields the name of each weak datum of an object, and its bytes with what its relocations name."""
    with path.open("rb") as stream:
        file = ELFFile(stream)
        symbols = file.get_section_by_name(".symtab")
        for symbol in symbols.iter_symbols():
            if symbol["st_info"].bind == "STB_WEAK" and symbol["st_info"].type == "STT_OBJECT":
                section = file.get_section(symbol["st_shndx"])
                first, end = symbol["st_value"], symbol["st_value"] + symbol["st_size"]
                relocations = file.get_section_by_name(".rela" + section.name)
                named = [(entry["r_offset"] - first, target(file, symbols.get_symbol(entry["r_info_sym"]), entry))
                         for entry in (relocations.iter_relocations() if relocations else [])
                         if first <= entry["r_offset"] < end]
                yield symbol.name, (section.data()[first:end], named)


def target(file, symbol, relocation):
    """Returns what a relocation names: a symbol, or a text without one."""
    if symbol["st_info"].bind != "STB_LOCAL":
        return symbol.name, relocation["r_addend"]
    place = symbol["st_value"] + relocation["r_addend"]
    return file.get_section(symbol["st_shndx"]).data()[place:].partition(b"\0")[0]


def check_shared_data():
    """Compares the data that several objects of the build have under one name."""
    lists = [path for path in (ROOT / ".build-embedded/release").glob("*.product/Objects.LinkFileList")
             if "-tool." not in path.parent.name]
    objects = sorted({pathlib.Path(line.strip("'")) for path in lists for line in path.read_text().split()})
    problems = [] if objects else ["the build has no list of objects"]
    found = {}
    for path in objects:
        for name, data in shared_data(path):
            other, first = found.setdefault(name, (path, data))
            if first != data:
                problems.append(f"{name} of {path.parent.name} differs from that of {other.parent.name}")
    report("no two objects have different data with the same name", problems)


def check_error_names():
    """Compares the names of error numbers with those of the C library."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "comparison.c").write_text(COMPARISON)
        subprocess.run(["gcc", "-Dstrerrorname_np=own_name", "-c", "-o", folder / "names.o", ROOT / "pam/errno_names.c"],
                       check=True)
        subprocess.run(["gcc", "-o", folder / "comparison", folder / "comparison.c", folder / "names.o"], check=True)
        different = subprocess.run([folder / "comparison"], capture_output=True, check=True, text=True).stdout
    report("pam/errno_names.c has the names of the C library", different.split())


def check_module(module):
    """Checks that the module needs no newer symbols than it may."""
    newer = [f"{name}@{version}" for name, version in module.needed
             if (match := re.fullmatch(r"GLIBC_([0-9.]+)", version or ""))
             and tuple(map(int, match[1].split("."))) > NEWEST_FOR_MODULE]
    if PACKED_RELOCATIONS[0] in module.versions:
        newer.append("packed relocations")
    report(f"{module.path.name} needs no symbol newer than glibc {dotted(NEWEST_FOR_MODULE)}", newer)


def check_guide(binaries):
    """Compares the rows of the guide's table with the files."""
    if platform.libc_ver()[1] != BUILD_GLIBC:
        print(f"skipped: the guide names the symbols of files that are built with glibc {BUILD_GLIBC}")
        return
    for binary in binaries:
        if binary.path.name in WITHOUT_ROW:
            print(f"skipped: {binary.path.name} is not in the guide's table; it would be: {binary.row()}")
    rows = [re.sub(" +", " ", line) for line in GUIDE.read_text().splitlines()]
    report("the guide names the oldest distributions on which the files run",
           [f"{GUIDE.name} lacks the row: {binary.row()}" for binary in binaries
            if binary.path.name not in WITHOUT_ROW and binary.row() not in rows])


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    binaries = [Binary(path) for path in sorted(folder.iterdir())
                if path.is_file() and path.read_bytes()[:4] == b"\x7fELF"]
    if not binaries:
        sys.exit(f"binaries.py: error: {folder} has no program")
    for binary in binaries:
        report(f"{binary.path.name} is hardened", list(binary.problems()))
    check_options()
    check_shared_data()
    check_error_names()
    check_module(next(binary for binary in binaries if binary.path.name == "pam_mfa.so"))
    check_guide(binaries)
    sys.exit(failed)


main()
