"""A small realm for tests with real parts: a database, one verifier, and hosts with an sshd each.

A script defines what happens there, and ends with `run_script`:

    packaging/private-machine Tests/Fleet/NAME --programs FOLDER [--engine etcd]

The database is PostgreSQL on one server, or etcd with three members.

FOLDER has mfa-fleet and mfa-verifier; the other programs are those of dist/. oathtool acts as the authenticator app.
"""

import argparse
import os
import pathlib
import subprocess
import sys

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(CHECKOUT / "packaging"))
import fleet  # noqa: E402
from fleet import Failure, run  # noqa: E402
from play import step, wait_for_next  # noqa: E402,F401


def expect(text, *parts):
    print("".join("    %s\n" % line for line in text.splitlines()), end="")
    for part in parts:
        if part not in text:
            raise Failure("%r is not in the output" % part)


def fails(machine, *arguments):
    ended = subprocess.run(machine.command(*arguments), capture_output=True, text=True, timeout=180, check=False)
    if ended.returncode == 0:
        raise Failure("%s succeeded" % " ".join(arguments))
    return ended.stdout + ended.stderr


def output(machine, *arguments):
    """What a program prints, however it ends."""
    ended = subprocess.run(machine.command(*arguments), capture_output=True, text=True, timeout=180, check=False)
    return ended.stdout + ended.stderr


def must(condition, what):
    if not condition:
        raise Failure(what)


class Host(fleet.Host):
    """A host of a realm with one verifier."""

    verifiers = [fleet.VERIFIERS["verifier1"]]


class PostgreSQL(fleet.PostgreSQL):
    """The realm's database on one server. Commits wait for no standby."""

    def __init__(self):
        self.database = fleet.Database("db1", fleet.DATABASES["db1"])
        super().__init__([self.database])

    def set_up(self):
        database = self.database
        database.create()
        database.sql("SET synchronous_commit = local; CREATE ROLE mfa_owner LOGIN; CREATE ROLE mfa_verifier LOGIN;"
                     "GRANT pg_read_all_stats TO mfa_owner")
        for command in ("ALTER SYSTEM SET synchronous_standby_names = ''", "SELECT pg_reload_conf()",
                        "CREATE DATABASE mfa", "GRANT CREATE ON DATABASE mfa TO mfa_owner"):
            database.sql(command)
        run("mfa-verifier", "setup", "--owner", "hostaddr=%s dbname=mfa user=mfa_owner" % database.address, "--role",
            "mfa_verifier")

    def configuration(self):
        return "database = hostaddr=%s dbname=mfa user=mfa_verifier" % self.database.address


class Etcd(fleet.Etcd):
    """The realm's keys in an etcd cluster of three members."""

    def __init__(self):
        super().__init__([fleet.Member(*item) for item in fleet.DATABASES.items()])



ENGINES = {"postgresql": PostgreSQL, "etcd": Etcd}


def play(name, engine, groups, users, hosts, act):
    """Starts the machines, and calls `act` with the engine, the verifier, the hosts, and the fingerprint of the
    authority. `groups` is the end of the verifiers' configuration."""
    def body(machines):
        fleet.set_up_accounts()
        for user in users:
            fleet.add_user(user)
        fleet.set_up_sshd()
        database = ENGINES[engine]()
        verifier = fleet.Verifier("verifier1", fleet.VERIFIERS["verifier1"])
        verifier.groups = groups
        created = [Host(host, fleet.HOSTS[host]) for host in hosts]
        machines += [*database.databases, verifier, *created]
        step("a database of one realm, %s, and a verifier" % engine)
        fleet.create_data(database, database.databases)
        database.set_up()
        authority = fleet.STATE / "authority"
        authority.mkdir()
        fingerprint = run("mfa-fleet", "authority", "create", authority, "--realm", "example.org").split()[-1]
        verifier.begin(authority, os.urandom(32), database.configuration())
        database.set_up_realm(verifier)
        act(database, verifier, *created, fingerprint)
        print("\npassed")

    return fleet.perform(name, body)


def run_script(script, groups, users, hosts, act):
    """Installs the programs, and plays in a network of its own."""
    name = pathlib.Path(script).name
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", required=True)
    parser.add_argument("--engine", choices=ENGINES, default="postgresql")
    parser.add_argument("--inside", action="store_true")
    options = parser.parse_args()
    if os.environ.get("MFA_PRIVATE_MACHINE") != "1":
        sys.exit("%s: error: run: packaging/private-machine Tests/Fleet/%s --programs FOLDER" % (name, name))
    if options.inside:
        sys.exit(play(name, options.engine, groups, users, hosts, act))
    run(CHECKOUT / "packaging/install")
    for program in ("mfa-fleet", "mfa-verifier"):
        run("install", "-m", "0755", CHECKOUT / options.programs / program, "/usr/sbin/" + program)
    # The networks of the machines exist only in this one.
    os.execvp("unshare", ["unshare", "--net", sys.executable, script, "--programs", options.programs, "--engine",
                          options.engine, "--inside"])
