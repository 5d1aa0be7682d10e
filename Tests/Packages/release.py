#!/usr/bin/env python3
"""Checks packaging/release with the programs in dist/.

    release.py

Two runs write the same bytes, the SBOM follows the rules of SPDX 2.3 and names what is linked, and a release is
refused if the version, the list of changes, the checkout or the programs do not fit. Prints a line for each check;
the exit status is 1 if one has failed.
"""

import copy
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
VERSION = re.search(r'StaticString { "([0-9.]+)" }',
                    (ROOT / "Sources/Model/Model/Release.swift").read_text()).group(1)
failed = False


def report(title, differences):
    """Prints whether a check has found no difference."""
    global failed
    failed |= bool(differences)
    print(f"FAILED: {title}: {'; '.join(map(str, differences))}" if differences else f"ok: {title}")


def run(folder, *arguments, **environment):
    return subprocess.run(
        [folder / "packaging/release", *arguments], capture_output=True, text=True, cwd="/",
        env={**os.environ, **environment})


# --- SPDX ---

IDENTIFIER = re.compile(r"SPDXRef-[A-Za-z0-9.-]+")
LICENCES = {"NOASSERTION", "Apache-2.0", "Apache-2.0 WITH Swift-exception", "MIT"}
RELATIONSHIPS = {"DESCRIBES", "CONTAINS", "GENERATED_FROM", "STATIC_LINK", "DYNAMIC_LINK", "RUNTIME_DEPENDENCY_OF"}
DOCUMENT_FIELDS = {"spdxVersion", "dataLicense", "SPDXID", "name", "documentNamespace", "creationInfo", "packages",
                   "relationships"}
PACKAGE_FIELDS = {"SPDXID", "name", "downloadLocation", "filesAnalyzed", "licenseConcluded", "licenseDeclared",
                  "copyrightText"}


def problems(document):
    """Yields what contradicts SPDX 2.3, clauses 6 (document), 7 (package) and 11 (relationship)."""
    for field in sorted(DOCUMENT_FIELDS - document.keys()):
        yield f"the document has no {field}"
    if document.get("spdxVersion") != "SPDX-2.3" or document.get("dataLicense") != "CC0-1.0":
        yield "the document is not of SPDX 2.3 with the data licence CC0-1.0"
    if not re.fullmatch(r"https://[^#\s]+", document.get("documentNamespace", "")):
        yield "the namespace is not an absolute URI without a fragment"
    creation = document.get("creationInfo", {})
    if not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", creation.get("created", "")):
        yield "the time of creation is not in UTC"
    if not creation.get("creators") or any(
            not re.match(r"(Tool|Person|Organization): \S", name) for name in creation["creators"]):
        yield "the document names no creator"
    seen = {document.get("SPDXID")}
    for package in document.get("packages", []):
        name = package.get("name", "?")
        for field in sorted(PACKAGE_FIELDS - package.keys()):
            yield f"{name} has no {field}"
        reference = package.get("SPDXID", "")
        if not IDENTIFIER.fullmatch(reference) or reference in seen:
            yield f"{name} has the identifier {reference}, which is malformed or used twice"
        seen.add(reference)
        if package.get("licenseDeclared") not in LICENCES or package.get("licenseConcluded") not in LICENCES:
            yield f"{name} has an unknown licence"
        if package.get("filesAnalyzed") is not False or "packageVerificationCode" in package:
            yield f"{name} has analysed files"
        for checksum in package.get("checksums", []):
            if checksum.get("algorithm") != "SHA256" or not re.fullmatch(
                    "[0-9a-f]{64}", checksum.get("checksumValue", "")):
                yield f"{name} has a malformed checksum"
        for entry in package.get("externalRefs", []):
            if entry.get("referenceType") != "purl" or not re.fullmatch(
                    r"pkg:[a-z]+/[^\s@]+@[^\s@:+]+", entry.get("referenceLocator", "")):
                yield f"{name} has a malformed package URL"
    for relationship in document.get("relationships", []):
        ends = {relationship.get("spdxElementId"), relationship.get("relatedSpdxElement")}
        if not ends <= seen:
            yield f"a relationship names the unknown elements {ends - seen}"
        if relationship.get("relationshipType") not in RELATIONSHIPS:
            yield f"a relationship has the unknown type {relationship.get('relationshipType')}"
    if not any(each.get("relationshipType") == "DESCRIBES" for each in document.get("relationships", [])):
        yield "the document describes nothing"


def planted(document):
    """Yields copies of a document with one mistake each."""
    for field in sorted(DOCUMENT_FIELDS):
        yield {key: value for key, value in document.items() if key != field}
    for field in sorted(PACKAGE_FIELDS):
        broken = copy.deepcopy(document)
        del broken["packages"][0][field]
        yield broken
    for index, field, value in (("packages", "SPDXID", document["packages"][1]["SPDXID"]),
                                ("packages", "licenseDeclared", "Apache 2"),
                                ("packages", "checksums", [{"algorithm": "SHA256", "checksumValue": "0"}]),
                                ("relationships", "relatedSpdxElement", "SPDXRef-nothing"),
                                ("relationships", "relationshipType", "LINKS")):
        broken = copy.deepcopy(document)
        broken[index][0][field] = value
        yield broken


# --- Checks ---

def files(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def check_release(temporary):
    """Checks what a release of this checkout contains. Returns its SBOM."""
    arguments = ("--draft", "--built", "--output")
    first = run(ROOT, *arguments, temporary / "a", TZ="UTC")
    second = run(ROOT, *arguments, temporary / "nested/b", TZ="Asia/Tokyo", LANG="C", TMPDIR="/var/tmp")
    for result in (first, second):
        if result.returncode:
            report("a draft of a release", [result.stdout + result.stderr])
            return None
    made = files(temporary / "a")
    archive, document = f"mfa-{VERSION}.tar.gz", f"mfa-{VERSION}.spdx.json"
    report("a draft of a release", {archive, document, "SHA256SUMS"} ^ made.keys())
    other = files(temporary / "nested/b")
    report("two releases of a commit are identical",
           [name for name in made if made[name] != other.get(name)])
    sums = "".join(f"{hashlib.sha256(made[name]).hexdigest()}  {name}\n" for name in (archive, document))
    report("the checksums", [] if made["SHA256SUMS"].decode() == sums else [made["SHA256SUMS"].decode()])
    with tarfile.open(temporary / "a" / archive) as source:
        members = source.getmembers()
    report("the archive has the sources alone",
           [member.name for member in members
            if (member.name + "/").split("/")[0] != f"mfa-{VERSION}" or (member.uid, member.gid) != (0, 0)
            or "/.build" in member.name or "/dist/" in member.name]
           + ([] if f"mfa-{VERSION}/Package.swift" in {member.name for member in members} else ["no Package.swift"]))
    return json.loads(made[document])


def check_document(document):
    report("the SBOM follows SPDX 2.3", list(problems(document)))
    report("planted mistakes in an SBOM are found",
           [json.dumps(broken)[:200] for broken in planted(document) if not list(problems(broken))])
    names = {package["SPDXID"]: package["name"] for package in document["packages"]}
    related = {(names.get(each["spdxElementId"]), each["relationshipType"], names.get(each["relatedSpdxElement"]))
               for each in document["relationships"]}
    wanted = {("mfa-admin", "STATIC_LINK", "swift-argument-parser"),
              ("mfa-enroll", "STATIC_LINK", "swift-argument-parser"),
              ("mfa-admin", "STATIC_LINK", "Swift runtime and Foundation"),
              ("mfa-admin", "DYNAMIC_LINK", "libpam0g"), ("pam_mfa.so", "DYNAMIC_LINK", "libpam0g"),
              ("libssl3", "RUNTIME_DEPENDENCY_OF", "mfa-helper"),
              ("libaudit1", "RUNTIME_DEPENDENCY_OF", "mfad")}
    if (ROOT / "dist/mfa-fleet").exists():
        wanted |= {("mfa-fleet", "STATIC_LINK", name) for name in ("swift-nio", "swift-nio-ssl", "BoringSSL")}
    report("the SBOM has what is linked", sorted(wanted - related))
    report("the SBOM says of Embedded Swift that it links no package",
           sorted(each for each in related if each[0] == "pam_mfa.so" and each[1] == "STATIC_LINK"))
    report("the SBOM says of the module that it needs no libcrypto",
           sorted(each for each in related if each == ("libssl3", "RUNTIME_DEPENDENCY_OF", "pam_mfa.so")))
    report("each linked package has a version and a licence",
           [package["name"] for package in document["packages"] if package["SPDXID"].startswith("SPDXRef-swift-")
            and (not package.get("versionInfo") or package["licenseDeclared"] == "NOASSERTION")])
    report("the SBOM has no path of this machine",
           [path for path in (str(ROOT), os.path.expanduser("~/"), "/tmp/") if path in json.dumps(document)])
    programs = {package["name"]: package["checksums"][0]["checksumValue"] for package in document["packages"]
                if package["SPDXID"].startswith("SPDXRef-program-")}
    report("the SBOM has the checksums of the programs",
           [name for name, checksum in programs.items()
            if hashlib.sha256((ROOT / "dist" / name).read_bytes()).hexdigest() != checksum])


class Project:
    """A repository with the scripts of a release, a list of changes, and programs that print a version."""

    def __init__(self, folder, heading=f"{VERSION}, 2026-01-31", built=VERSION):
        self.folder = folder
        scripts = folder / "packaging"
        scripts.mkdir(parents=True)
        for name in ("release", "common.sh", "files-with-module.sh"):
            shutil.copy2(ROOT / "packaging" / name, scripts / name)
        # The SBOM is checked elsewhere.
        (scripts / "sbom.py").write_text("print('{}')\n")
        (scripts / "CHANGELOG.md").write_text(f"# Changes\n\n## {heading}\n\n- Something changed.\n")
        release = folder / "Sources/Model/Model/Release.swift"
        release.parent.mkdir(parents=True)
        shutil.copy2(ROOT / "Sources/Model/Model/Release.swift", release)
        (folder / ".gitignore").write_text("dist/\n")
        (folder / "dist").mkdir()
        for name in ("mfa-enroll", "mfa-admin", "mfa-fleet", "mfa-verifier"):
            program = folder / "dist" / name
            program.write_text(f"#!/bin/sh\necho {name} {built}\n")
            program.chmod(0o755)
        self.git("init", "--quiet")
        self.git("add", ".")
        self.git("commit", "--quiet", "--message", "first")

    def git(self, *arguments):
        subprocess.run(["git", "-c", "user.name=test", "-c", "user.email=test@example.org",
                        *arguments], cwd=self.folder, check=True)


def check_refusals(temporary):
    cases = {
        "the last section of the list of changes is that of an earlier version":
            ({"heading": "0.0.9, 2026-01-31"}, None, f"states the version {VERSION}, but packaging/CHANGELOG.md"),
        "the version is not released yet":
            ({"heading": f"{VERSION}, not released yet"}, None, "is not released yet"),
        "the heading has no date": ({"heading": VERSION}, None, "YYYY-MM-DD"),
        "a file is not committed": ({}, lambda project: (project.folder / "new").write_text(""), "not committed: ?? new"),
        "the version has a tag": ({}, lambda project: project.git("tag", f"v{VERSION}"), f"the tag v{VERSION} exists"),
        "a program is of another version": ({"built": "0.0.9"}, None, "is of another version"),
        "a program is missing":
            ({}, lambda project: (project.folder / "dist/mfa-fleet").unlink(), "dist/mfa-fleet is missing"),
    }
    for number, (title, (values, change, message)) in enumerate(cases.items()):
        project = Project(temporary / f"refused-{number}", **values)
        if change:
            change(project)
        result = run(project.folder, "--built")
        text = result.stdout + result.stderr
        report(f"a release is refused if {title}",
               [] if result.returncode == 1 and message in text and "hint: " in text
               and not list((project.folder / "dist").glob("release-*")) else [text or "it was accepted"])
    project = Project(temporary / "accepted")
    result = run(project.folder, "--built")
    made = sorted(path.name for path in (project.folder / "dist").glob(f"release-{VERSION}/*"))
    report("a release is made if all fits",
           [] if result.returncode == 0 and f"git tag --sign v{VERSION}" in result.stdout
           and made == ["SHA256SUMS", f"mfa-{VERSION}.spdx.json", f"mfa-{VERSION}.tar.gz"]
           else [result.stdout + result.stderr])


with tempfile.TemporaryDirectory() as name:
    temporary_folder = pathlib.Path(name)
    check_refusals(temporary_folder)
    sbom = check_release(temporary_folder)
    if sbom:
        check_document(sbom)
sys.exit(1 if failed else 0)
