#!/usr/bin/env python3
"""Writes an SBOM (SPDX 2.3, JSON) of the programs of a release to standard output.

    sbom.py --version VERSION --time SECONDS --swift PATH --source FILE --build DIR --programs DIR

  --time      the time of the release, in seconds since the epoch
  --swift     the compiler that built the programs
  --source    the source archive of the release
  --build     the checkout in which the programs were built, with its .build folders
  --programs  the folder with the programs and modules

For each program and module, the SBOM lists what is linked into it or loaded by it:
  - Swift packages: those whose object files the linker was given, with the versions of the resolved package graph
  - sources of other projects that these packages contain
  - the Swift runtime, which is linked statically
  - system libraries that the file names as needed, or by the name with which it loads them at run time, with the
    Debian packages that contain them

The same programs on the same machine give the same bytes.
"""

import argparse
import datetime
import hashlib
import json
import pathlib
import re
import subprocess
import sys

# The build of each file: the scratch folder, the trait, the product of the package, and whether the Swift runtime
# is linked into it. Embedded Swift has no runtime.
EMBEDDED = (".build-embedded", "Embedded", False)
PROGRAMS = {
    "pam_mfa.so": (*EMBEDDED, "mfa"),
    "mfad": (*EMBEDDED, "mfad"),
    "mfa-helper": (*EMBEDDED, "mfa-helper"),
    "mfa-enroll": (".build", None, True, "mfa-enroll"),
    "mfa-admin": (".build", None, True, "mfa-admin"),
    "mfa-verifier": (".build", None, True, "mfa-verifier"),
    "mfa-fleet": (".build-fleet", "Fleet", True, "mfa-fleet"),
}
# Files of a release without a realm.
REQUIRED = ("pam_mfa.so", "mfad", "mfa-helper", "mfa-enroll", "mfa-admin")

# Modules that contain the sources of another project: its name, its licence, and the file and the expression that
# have its version.
VENDORED = {
    "CNIOBoringSSL": ("BoringSSL", "NOASSERTION", "Package.swift", r"BoringSSL Commit: ([0-9a-f]{40})"),
    "CCryptoBoringSSL": ("BoringSSL", "NOASSERTION", "Package.swift", r"BoringSSL Commit: ([0-9a-f]{40})"),
    "CNIOLLHTTP": (
        "llhttp", "MIT", "Sources/CNIOLLHTTP/include/c_nio_llhttp.h",
        r"LLHTTP_VERSION_MAJOR (\d+)\s+#define LLHTTP_VERSION_MINOR (\d+)\s+#define LLHTTP_VERSION_PATCH (\d+)"),
    "CXKCP": ("XKCP", "NOASSERTION", None, None),
}


class Failure(Exception):
    """A message, and what to do next."""


def output(*command):
    try:
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout
    except FileNotFoundError:
        raise Failure(f"the command {command[0]} is missing", "install the Debian package that contains it") from None
    except subprocess.CalledProcessError as error:
        raise Failure(f"{' '.join(command)}: {error.stderr.strip()}", "see the message above") from None


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def identifier(*parts):
    """Returns an SPDX identifier, which has letters, digits, periods and hyphens only."""
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.]+", "-", "-".join(parts)).strip("-")


class Document:
    """The packages and relationships of an SBOM, each of them once."""

    def __init__(self):
        self.packages = {}
        self.relationships = set()

    def add(self, kind, name, version=None, licence="NOASSERTION", location="NOASSERTION", purl=None, **members):
        """Adds a package unless it was added before, and returns its identifier."""
        reference = identifier(kind, name, version or "")
        package = {
            "SPDXID": reference, "name": name, "downloadLocation": location, "filesAnalyzed": False,
            "licenseConcluded": "NOASSERTION", "licenseDeclared": licence, "copyrightText": "NOASSERTION", **members,
        }
        if version:
            package["versionInfo"] = version
        if purl:
            package["externalRefs"] = [{
                "referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": purl}]
        self.packages[reference] = package
        return reference

    def relate(self, element, relationship, other):
        self.relationships.add((element, relationship, other))

    def text(self, version, time):
        packages = [self.packages[reference] for reference in sorted(self.packages)]
        relationships = [
            {"spdxElementId": element, "relationshipType": kind, "relatedSpdxElement": other}
            for element, kind, other in sorted(self.relationships)]
        content = json.dumps([packages, relationships], sort_keys=True).encode()
        document = {
            "spdxVersion": "SPDX-2.3",
            "dataLicense": "CC0-1.0",
            "SPDXID": "SPDXRef-DOCUMENT",
            "name": f"mfa-{version}",
            # Unique for each content, and the same for the same content.
            "documentNamespace": f"https://spdx.org/spdxdocs/mfa-{version}-{hashlib.sha256(content).hexdigest()}",
            "creationInfo": {
                "created": datetime.datetime.fromtimestamp(time, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
                "creators": [f"Tool: mfa-release-{version}"],
            },
            "packages": packages,
            "relationships": relationships,
        }
        return json.dumps(document, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


class Builds:
    """The packages of each build of a checkout."""

    def __init__(self, folder, swift):
        self.folder = folder
        self.swift = swift
        self.graphs = {}

    def linked(self, scratch, product):
        """Yields the module and the package folder of each module of another package that was linked."""
        listing = self.folder / scratch / "release" / f"{product}.product" / "Objects.LinkFileList"
        if not listing.exists():
            raise Failure(f"{listing} is missing", "build the programs in this checkout: packaging/build --fleet")
        modules = re.findall(r"/release/([^/]+)\.build/", listing.read_text())
        for module in sorted(set(modules)):
            source = self.source(listing.parent.parent / f"{module}.build")
            match = re.search(r"/checkouts/([^/]+)/", source)
            if match:
                yield module, match.group(1)

    @staticmethod
    def source(folder):
        """Returns the path of a source file of a module, as the compiler recorded it."""
        swift = folder / "sources"
        files = [swift] if swift.exists() else sorted(folder.rglob("*.d"))
        if not files:
            raise Failure(f"{folder} names no source file", "build the programs anew: remove the .build folders")
        text = files[0].read_text()
        return text.split("\n")[0] if swift.exists() else text

    def package(self, scratch, trait, checkout):
        """Returns the node of a package in the resolved graph of a build."""
        if scratch not in self.graphs:
            traits = ["--traits", trait] if trait else []
            text = output(
                self.swift, "package", "--package-path", str(self.folder), "--scratch-path",
                str(self.folder / scratch), *traits, "show-dependencies", "--format", "json")
            self.graphs[scratch] = {}
            self.collect(json.loads(text[text.index("{"):]), self.graphs[scratch])
        if checkout not in self.graphs[scratch]:
            raise Failure(f"the package {checkout} is linked, but is not in the resolved package graph",
                          "build the programs anew: packaging/build --fleet")
        return self.graphs[scratch][checkout]

    def collect(self, node, packages):
        for dependency in node["dependencies"]:
            packages[pathlib.Path(dependency["path"]).name] = dependency
            self.collect(dependency, packages)


def licence(folder):
    """Returns the SPDX expression of the licence of a Swift package."""
    for name in ("LICENSE.txt", "LICENSE"):
        path = folder / name
        if path.exists():
            text = path.read_text()
            if "Apache License" in text and "Version 2.0" in text:
                has_exception = "Runtime Library Exception" in text
                return "Apache-2.0 WITH Swift-exception" if has_exception else "Apache-2.0"
    raise Failure(f"the licence of {folder} is not known", "read it, and add it to packaging/sbom.py")


def add_swift_packages(document, builds, program, reference):
    scratch, trait, has_runtime, product = PROGRAMS[program]
    for module, checkout in builds.linked(scratch, product):
        node = builds.package(scratch, trait, checkout)
        folder = pathlib.Path(node["path"])
        address = node["url"].removesuffix(".git")
        package = document.add(
            "swift", node["name"], node["version"], licence(folder), f"git+{address}@{node['version']}",
            f"pkg:swift/{re.sub('^https://', '', address)}@{node['version']}")
        document.relate(reference, "STATIC_LINK", package)
        if module in VENDORED:
            name, terms, file, expression = VENDORED[module]
            version = None
            if file:
                match = re.search(expression, (folder / file).read_text())
                if not match:
                    raise Failure(f"{folder / file} does not have the version of {name}",
                                  "correct the expression in packaging/sbom.py")
                version = ".".join(match.groups())
            contained = document.add("vendored", name, version, terms)
            document.relate(package, "CONTAINS", contained)
            document.relate(reference, "STATIC_LINK", contained)
    if has_runtime:
        match = re.search(r"Swift version (\S+)", output(builds.swift, "--version"))
        if not match:
            raise Failure(f"{builds.swift} does not print its version", "try: swift --version")
        runtime = document.add(
            "toolchain", "Swift runtime and Foundation", match.group(1), "Apache-2.0 WITH Swift-exception",
            "https://www.swift.org/install/linux")
        document.relate(reference, "STATIC_LINK", runtime)


def add_system_libraries(document, path, reference):
    needed = set(re.findall(r"\(NEEDED\).*\[(.+)\]", output("readelf", "--dynamic", "--wide", str(path))))
    named = {name.decode() for name in re.findall(rb"\blib[a-z0-9_+-]+\.so\.[0-9]+\b", path.read_bytes())}
    for library in sorted(needed | named):
        name, version, source, architecture = debian_package(library)
        package = document.add(
            "deb", name, version, purl=f"pkg:deb/debian/{name}@{version.replace('+', '%2B').replace(':', '%3A')}?arch={architecture}",
            sourceInfo=f"built from the Debian source package {source}")
        if library in needed:
            document.relate(reference, "DYNAMIC_LINK", package)
        else:
            document.relate(package, "RUNTIME_DEPENDENCY_OF", reference)


def debian_package(library, known={}):
    """Returns the name, version, source package and architecture of the package with a library."""
    if library not in known:
        architecture = output("dpkg", "--print-architecture").strip()
        try:
            found = output("dpkg-query", "--search", f"*/{library}")
        except Failure:
            raise Failure(f"no installed Debian package contains {library}",
                          "install the package that contains it: see Depends in packaging/debian/control") from None
        # A cross compiler has libraries of other architectures in other folders.
        names = sorted({name for line in found.splitlines() for name in line.split(": /")[0].split(", ")
                        if line.endswith("/" + library) and not line.startswith("diversion ")
                        and line.split(": ")[-1].startswith(("/lib/", "/usr/lib/"))
                        and name.split(":")[-1] in (name, architecture)})
        if len(names) != 1:
            raise Failure(f"{library} is in several Debian packages or in none of {architecture}: {found.strip()}",
                          "remove the package that is not used")
        fields = output("dpkg-query", "--show", "--showformat",
                        "${Package}\t${Version}\t${source:Package} ${source:Version}\t${Architecture}", names[0])
        known[library] = fields.split("\t")
    return known[library]


def main():
    parser = argparse.ArgumentParser()
    for option in ("--version", "--swift"):
        parser.add_argument(option, required=True)
    parser.add_argument("--time", type=int, required=True)
    for option in ("--source", "--build", "--programs"):
        parser.add_argument(option, type=pathlib.Path, required=True)
    options = parser.parse_args()
    document = Document()
    source = document.add(
        "release", "mfa", options.version, "Apache-2.0", primaryPackagePurpose="SOURCE",
        packageFileName=options.source.name,
        checksums=[{"algorithm": "SHA256", "checksumValue": sha256(options.source)}])
    document.relate("SPDXRef-DOCUMENT", "DESCRIBES", source)
    builds = Builds(options.build, options.swift)
    for program in PROGRAMS:
        path = options.programs / program
        if not path.exists():
            if program in REQUIRED:
                raise Failure(f"{path} is missing", "build it: packaging/build --fleet")
            continue
        reference = document.add(
            "program", program, options.version, "Apache-2.0", packageFileName=program,
            primaryPackagePurpose="LIBRARY" if program.endswith(".so") else "APPLICATION",
            checksums=[{"algorithm": "SHA256", "checksumValue": sha256(path)}])
        document.relate(reference, "GENERATED_FROM", source)
        document.relate("SPDXRef-DOCUMENT", "DESCRIBES", reference)
        add_swift_packages(document, builds, program, reference)
        add_system_libraries(document, path, reference)
    sys.stdout.write(document.text(options.version, options.time))


try:
    main()
except Failure as failure:
    sys.exit(f"sbom: error: {failure.args[0]}\nhint: {failure.args[1]}")
