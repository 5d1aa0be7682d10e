#!/usr/bin/env python3
"""Checks the layers of Sources/: what each target imports, and that no type name is used twice.

    layers.py

Prints each violation on a line and exits with 1 if there is one. A target may import targets of lower
layers and of its own; the manifest lists which, and the compiler rejects an import that it does not list.
"""

import collections
import pathlib
import re
import sys

LAYERS = ["Build", "C", "Base", "Model", "Wire", "Module", "Core", "SignIn", "Service", "Clients", "Realm", "Tools"]

# Imports that the layers allow but the design does not: (importer, imported).
FORBIDDEN = {
    # The targets that a client needs must build without OpenSSL.
    *((name, crypto) for name in ("Base", "Messages", "Model", "Wire", "MultiFactor")
      for crypto in ("Crypto", "CCrypto")),
    # The module contains no store, and no policy.
    *(("Module", name) for name in ("Crypto", "Model", "PAMStack")),
    # The programs of a realm that have its keys have no network, and the others no store.
    *((name, store) for name in ("RealmTransport", "Relay", "Front", "mfa-fleet")
      for store in ("Store", "RealmStore", "SignIn", "Decider")),
    *((name, "RealmTransport") for name in ("RealmStore", "Verifier", "mfa-verifier")),
}

# The targets of the layer Tools that each target of mfa-admin may import. The executable may import all of them.
ADMIN = {
    "Admin": set(),
    "Doctor": {"Admin"},
    "Services": {"Admin", "Doctor"},
}
# The targets that may import SignIn, besides tests.
MAY_SIGN_IN = {"SignIn", "Decider", "Verifier", "Doctor"}

IMPORT = re.compile(r"^(?:@\w+ )*(?:(?:public|package|internal|private) )?import (?:\w+ )?(\w+)", re.M)
TYPE = re.compile(r"^(?:@\w+(?:\([^)]*\))? |public |package |final |indirect )*(?:struct|class|enum|protocol|actor) (\w+)",
                  re.M)


def main():
    sources = pathlib.Path(__file__).resolve().parent.parent / "Sources"
    rooms = {room.name: layer for layer in LAYERS for room in (sources / layer).iterdir() if room.is_dir()}
    problems = [f"Sources/{path.name}: not a layer" for path in sources.iterdir() if path.name not in LAYERS]
    declared = collections.defaultdict(set)
    for room, layer in rooms.items():
        for file in sorted((sources / layer / room).rglob("*.swift")):
            text = file.read_text(encoding="utf-8")
            place = file.relative_to(sources.parent)
            for name in TYPE.findall(text):
                declared[name].add(str(place))
            for module in IMPORT.findall(text):
                name = module.removeprefix("MFA").replace("_", "-")
                if room in ADMIN and module == "ArgumentParser":
                    problems.append(f"{place}: only executables import ArgumentParser")
                if name not in rooms or name == room:
                    continue
                if LAYERS.index(rooms[name]) > LAYERS.index(layer):
                    problems.append(f"{place}: imports {name} of the layer {rooms[name]}, above {layer}")
                if (room, name) in FORBIDDEN:
                    problems.append(f"{place}: {room} must not import {name}")
                if room in ADMIN and rooms[name] == "Tools" and name not in ADMIN[room]:
                    problems.append(f"{place}: {room} must not import {name}")
                if name == "SignIn" and room not in MAY_SIGN_IN:
                    problems.append(f"{place}: only {', '.join(sorted(MAY_SIGN_IN))} import SignIn")
    for file in sorted((sources.parent / "Tests").rglob("*.swift")):
        if "mfa_admin" in IMPORT.findall(file.read_text(encoding="utf-8")):
            problems.append(f"{file.relative_to(sources.parent)}: tests import libraries, not the executable mfa-admin")
    problems += [f"{name} is declared in {', '.join(sorted(files))}" for name, files in declared.items() if len(files) > 1]
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
