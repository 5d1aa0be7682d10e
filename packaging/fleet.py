#!/usr/bin/env python3
"""Starts a fleet of small machines, for packaging/fleet-try, and acts as a user at its hosts.

Each machine is a network namespace with an address of its own, and sees its own /etc/mfa, /run/mfa and
/run/mfa-verifier. Requires a private machine with the programs installed.
"""

import argparse
import contextlib
import glob
import os
import pathlib
import pwd
import shutil
import socket
import subprocess
import sys
import time

import play
from play import Failure, step

WORK = pathlib.Path("/run/mfa-fleet-try")
STATE = pathlib.Path("/var/lib/mfa-fleet-try")
DATABASES = {"db1": "10.77.0.11", "db2": "10.77.0.12", "db3": "10.77.0.13"}
VERIFIERS = {"verifier1": "10.77.0.21", "verifier2": "10.77.0.22"}
HOSTS = {"host1": "10.77.0.31", "host2": "10.77.0.32", "host3": "10.77.0.33"}
# What a machine sees in the place of these folders.
OWN_FOLDERS = ["/etc/mfa", "/run/mfa", "/run/mfa-verifier"]
USER = "ada"
PASSWORD = "the-password-of-ada"
# The policy accepts the present code, the one before and the one after.
INTERVALS = 1


def run(*arguments, **options):
    ended = subprocess.run([str(argument) for argument in arguments], capture_output=True, text=True, timeout=60,
                           check=False, **options)
    if ended.returncode != 0:
        raise Failure("%s: %s%s" % (" ".join(map(str, arguments)), ended.stdout, ended.stderr))
    return ended.stdout


def wait_for(what, condition, seconds=20):
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise Failure("%s: nothing happened for %d s" % (what, seconds))
        time.sleep(0.05)


def succeeds(*arguments):
    return subprocess.run([str(argument) for argument in arguments], capture_output=True, timeout=20,
                          check=False).returncode == 0


class Machine:
    """A network namespace with folders of its own."""

    def __init__(self, name, address):
        self.name, self.address = name, address
        run("ip", "netns", "add", name)
        run("ip", "link", "add", "to-" + name, "type", "veth", "peer", "name", "eth0", "netns", name)
        run("ip", "link", "set", "to-" + name, "master", "fleet", "up")
        for command in (["addr", "add", address + "/24", "dev", "eth0"], ["link", "set", "eth0", "up"],
                        ["link", "set", "lo", "up"]):
            run("ip", "-n", name, *command)
        self.folder = WORK / name
        mounts = []
        for folder in OWN_FOLDERS:
            own = self.folder / folder.strip("/").replace("/", "-")
            own.mkdir(parents=True)
            mounts.append("mount --bind %s %s" % (own, folder))
        self.enter = self.folder / "enter"
        self.enter.write_text("#!/bin/sh\nexec ip netns exec %s unshare --mount sh -ec '%s; exec \"$@\"' sh \"$@\"\n"
                              % (name, "; ".join(mounts)))
        self.enter.chmod(0o755)
        self.configuration = self.folder / "etc-mfa"
        self.processes = []

    def command(self, *arguments, user=None, groups=None):
        """Returns the arguments that run a command on the machine, as a user of it."""
        identity = []
        if user:
            entry = pwd.getpwnam(user)
            identity = ["setpriv", "--reuid=%d" % entry.pw_uid, "--regid=%d" % entry.pw_gid,
                        "--groups=" + groups if groups else "--clear-groups"]
        return [str(self.enter), *identity, *map(str, arguments)]

    def run(self, *arguments, **identity):
        return run(*self.command(*arguments, **identity))

    def spawn(self, *arguments, descriptors=(), environment=None, **identity):
        log = open(self.folder / ("%d.log" % len(self.processes)), "wb")
        process = subprocess.Popen(self.command(*arguments, **identity), stdout=log, stderr=log,
                                   pass_fds=descriptors, env={**os.environ, **(environment or {})})
        self.processes.append(process)
        return process

    def logs(self):
        for log in sorted(self.folder.glob("*.log")):
            for line in log.read_text(errors="replace").splitlines()[-5:]:
                print("    %s: %s" % (self.name, line))


class Database(Machine):
    """A server of PostgreSQL."""

    programs = pathlib.Path(sorted(glob.glob("/usr/lib/postgresql/*/bin"))[-1])

    def __init__(self, name, address):
        super().__init__(name, address)
        self.data = STATE / name

    def postgres(self, program, *arguments):
        return self.run(self.programs / program, *arguments, user="postgres")

    def create(self):
        self.postgres("initdb", "--pgdata", self.data, "--auth=trust")
        with open(self.data / "postgresql.conf", "a", encoding="utf-8") as file:
            file.write("listen_addresses = '%s'\nunix_socket_directories = ''\nwal_level = replica\n"
                       "synchronous_standby_names = 'ANY 1 (db1, db2, db3)'\nhot_standby = on\n" % self.address)
        with open(self.data / "pg_hba.conf", "a", encoding="utf-8") as file:
            file.write("host all all 10.77.0.0/24 trust\nhost replication all 10.77.0.0/24 trust\n")
        self.start()

    def copy(self, primary):
        self.postgres("pg_basebackup", "--pgdata", self.data, "--write-recovery-conf", "--checkpoint=fast",
                      "--dbname", "host=%s user=postgres application_name=%s" % (primary.address, self.name))
        self.data.chmod(0o700)
        with open(self.data / "postgresql.conf", "a", encoding="utf-8") as file:
            file.write("listen_addresses = '%s'\n" % self.address)
        self.start()

    def start(self):
        self.server = self.spawn(self.programs / "postgres", "-D", self.data, user="postgres")
        wait_for(self.name, lambda: succeeds(self.programs / "pg_isready", "-h", self.address))

    def sql(self, text, database="postgres"):
        return run(self.programs / "psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-h", self.address, "-U", "postgres",
                   "-d", database, "-c", text).strip()

    def kill(self):
        """Ends all processes of the server at once, as a power failure does."""
        leader = int((self.data / "postmaster.pid").read_text().split()[0])
        children = pathlib.Path("/proc/%d/task/%d/children" % (leader, leader)).read_text().split()
        for process in [leader, *map(int, children)]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, 9)
        self.server.wait()

    def promote(self):
        self.postgres("pg_ctl", "promote", "--pgdata", self.data)

    def follow(self, primary):
        self.sql("ALTER SYSTEM SET primary_conninfo = 'host=%s user=postgres application_name=%s'"
                 % (primary.address, self.name))
        self.sql("SELECT pg_reload_conf()")


class Verifier(Machine):
    """The decision service and the network front of a verifier."""

    def begin(self, authority, key):
        addresses = ",".join(DATABASES.values())
        (self.configuration / "mfa.conf").write_text("[project]\nadjacent_intervals = %d\n" % INTERVALS)
        (self.configuration / "verifier.conf").write_text(
            "database = hostaddr=%s dbname=mfa user=mfa_verifier\nfront_user = mfa-fleet\n\n"
            "[hosts enrolling]\nenrolling = on\nadministering = on\n\n[hosts others]\nservices = sshd\n" % addresses)
        (self.configuration / "key").write_bytes(key)
        os.chown(self.configuration / "key", pwd.getpwnam("mfa").pw_uid, pwd.getpwnam("mfa").pw_gid)
        (self.configuration / "key").chmod(0o400)
        files = STATE / self.name
        files.mkdir()
        run("mfa-fleet", "authority", "issue-verifier", authority, "--to", files, "--name", self.address, "--hosts")
        for file in files.iterdir():
            shutil.chown(file, "mfa-fleet")
        (self.configuration / "fleet.conf").write_text(
            "[verifier]\nlisten = %s:7443\njoin_listen = %s:7444\nservice = /run/mfa-verifier/front\n"
            "credentials = %s/verifier.pem\nauthority = %s/authority.pem\nissuer = %s/issuer.pem\n"
            % (self.address, self.address, files, files, files))
        own = self.folder / "run-mfa-verifier"
        own.chmod(0o755)
        shutil.chown(own, "mfa")
        self.spawn("mfa-verifier", "serve", "--listen", "/run/mfa-verifier/front", user="mfa")
        wait_for("mfa-verifier", (own / "front").exists)
        # The front is in the group of the socket.
        self.spawn("mfa-fleet", "verifier", user="mfa-fleet", groups="mfa")
        wait_for("mfa-fleet verifier", self.listens)

    def listens(self):
        with contextlib.suppress(OSError), socket.create_connection((self.address, 7443), 1):
            return True
        return False


class Host(Machine):
    """A host with a relay and an sshd."""

    def join(self, verifier, fingerprint, group):
        ticket = verifier.run("mfa-verifier", "ticket", self.name + ".example.org", "--group", group, user="mfa")
        self.files = STATE / self.name
        self.files.mkdir()
        shutil.chown(self.files, "mfa")
        file = self.files / "ticket"
        file.write_text(ticket)
        shutil.chown(file, "mfa")
        file.chmod(0o600)
        joined = self.run("mfa-fleet", "join", "--verifier", verifier.address + ":7444", "--ca-fingerprint",
                          fingerprint, "--ticket-file", file, "--to", self.files, user="mfa")
        file.unlink()
        return joined.strip()

    def begin(self):
        (self.configuration / "realm").write_text("example.org\n")
        (self.configuration / "fleet.conf").write_text(
            "[relay]\nverifiers = %s\ncredentials = %s/host.pem\nauthority = %s/authority.pem\n"
            % (", ".join(address + ":7443" for address in VERIFIERS.values()), self.files, self.files))
        # As systemd does, root creates the sockets, and the service runs as another user.
        sockets = []
        for name, mode in (("root", 0o600), ("users", 0o666)):
            listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            listener.bind(str(self.folder / "run-mfa" / name))
            os.chmod(self.folder / "run-mfa" / name, mode)
            listener.listen(128)
            sockets.append(listener)
        self.folder.joinpath("run-mfa").chmod(0o755)
        descriptors = [listener.fileno() for listener in sockets]
        place = "exec 3<&%d 4<&%d; LISTEN_PID=$$ LISTEN_FDS=2 LISTEN_FDNAMES=root:users exec mfa-fleet relay"
        self.spawn("bash", "-c", place % tuple(descriptors), user="mfa", descriptors=descriptors)
        for listener in sockets:
            listener.close()
        self.spawn("/usr/sbin/sshd", "-D", "-e", "-f", WORK / "sshd_config")
        wait_for("sshd", lambda: succeeds(*self.command("bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/22")))


class User(play.Play):
    """The user, at one of the hosts."""

    def __init__(self, host):
        super().__init__(argparse.Namespace(user=USER), PASSWORD)
        self.host = host

    def as_user(self, *arguments):
        return play.Terminal([str(self.host.enter), "runuser", "-u", USER, "--", "env", "HOME=/home/" + USER,
                              "USER=" + USER, *arguments])

    def ssh(self):
        return play.Terminal([
            str(self.host.enter), "ssh", "-F", "/dev/null", "-o", "UserKnownHostsFile=%s" % (WORK / "known-hosts"),
            "-o", "StrictHostKeyChecking=yes", "-o", "PreferredAuthentications=keyboard-interactive",
            "-o", "NumberOfPasswordPrompts=1", USER + "@127.0.0.1", "echo signed in as $(id -un)"])


    def rename(self):
        """Renames the factor, with a wrong code before the right one: each is verified for itself."""
        step("%s renames the factor at host1, with a wrong code and then the right one" % USER)
        terminal = self.as_user("mfa-enroll", "rename", "phone", "tablet")
        code = play.wait_for_next(self.key, self.used)
        try:
            terminal.expect("Password: ")
            terminal.answer(PASSWORD, "the password")
            terminal.expect("[Cc]ode[^\n]*: ")
            terminal.answer(play.wrong_code(code), "a wrong code")
            terminal.expect("[Cc]ode[^\n]*: ")
            terminal.answer(code, "the code " + code)
            self.used = code
            status = terminal.finish()
        finally:
            terminal.show()
            terminal.close()
        if status != 0:
            raise Failure("mfa-enroll ended with status %d" % status)


def set_up_accounts():
    for name in ("mfa-fleet", "postgres"):
        if not succeeds("id", name):
            run("useradd", "--system", "--no-create-home", name)
    run("useradd", "--create-home", "--shell", "/bin/bash", USER)
    run("chpasswd", input=USER + ":" + PASSWORD)


def set_up_sshd():
    service = pathlib.Path("/etc/pam.d/sshd")
    lines = service.read_text().replace(
        "@include common-auth\n", "@include common-auth\nauth required pam_mfa.so\naccount required pam_mfa.so\n")
    if "pam_mfa.so" not in lines:
        raise Failure("/etc/pam.d/sshd has no line \"@include common-auth\"")
    service.write_text(lines)
    run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", WORK / "host-key")
    (WORK / "sshd_config").write_text(
        "ListenAddress 127.0.0.1\nHostKey %s\nPidFile none\nUsePAM yes\nKbdInteractiveAuthentication yes\n"
        "PasswordAuthentication no\nAuthenticationMethods keyboard-interactive\nPrintMotd no\n" % (WORK / "host-key"))
    key = " ".join((WORK / "host-key.pub").read_text().split()[:2])
    (WORK / "known-hosts").write_text("127.0.0.1 %s\n" % key)
    os.makedirs("/run/sshd", exist_ok=True)


def set_up_database(databases):
    step("a PostgreSQL primary, db1, with two standbys, one of which must have each commit")
    primary, *standbys = databases
    primary.create()
    # Before there is a standby, commits would wait for one.
    primary.sql("SET synchronous_commit = local; CREATE ROLE mfa_owner LOGIN; CREATE ROLE mfa_verifier LOGIN;"
                "GRANT pg_read_all_stats TO mfa_owner")
    for standby in standbys:
        standby.copy(primary)
    primary.sql("CREATE DATABASE mfa")
    primary.sql("GRANT CREATE ON DATABASE mfa TO mfa_owner")
    print("    " + run("mfa-verifier", "setup", "--owner",
                       "hostaddr=%s dbname=mfa user=mfa_owner" % primary.address, "--role", "mfa_verifier").strip())
    print("    standbys: " + primary.sql(
        "SELECT string_agg(application_name || ' ' || sync_state, ', ') FROM pg_stat_replication"))


def set_up_realm(databases, verifiers, hosts):
    set_up_database(databases)
    step("an authority, and two verifiers")
    authority = STATE / "authority"
    authority.mkdir()
    fingerprint = run("mfa-fleet", "authority", "create", authority, "--realm", "example.org").split()[-1]
    key = os.urandom(32)
    for verifier in verifiers:
        verifier.begin(authority, key)
    for line in check(verifiers[0]):
        print("    mfa-verifier check: " + line)
    step("three hosts join with tickets; users may enrol at host1 only")
    for host, group in zip(hosts, ("enrolling", "others", "others")):
        print("    %s: %s" % (host.name, host.join(verifiers[0], fingerprint, group)))
        host.begin()


def check(verifier):
    ended = subprocess.run(verifier.command("mfa-verifier", "check", user="mfa"), capture_output=True, text=True,
                           timeout=30, check=False)
    return (ended.stdout + ended.stderr).strip().splitlines()


def act(databases, verifiers, hosts):
    host1, host2, host3 = hosts
    user = User(host1)
    user.enrol()
    user.rename()
    user.host = host2
    user.must_work("%s signs in at host2, with a code of the factor that host1 enrolled" % USER)
    user.host = host3
    user.must_fail("the same code at host3: it counts once anywhere", user.used, "the used code " + user.used)
    step("verifier1 is stopped: the relays use verifier2")
    for process in verifiers[0].processes:
        process.kill()
        process.wait()
    user.must_work("%s signs in at host3" % USER)

    step("the primary db1 is killed; db2 is promoted, and db3 follows it")
    databases[0].kill()
    databases[1].promote()
    databases[2].follow(databases[1])
    wait_for("db3", lambda: databases[1].sql("SELECT count(*) FROM pg_stat_replication") == "1")
    user.must_fail("a code right after the failover is refused: db1 may have accepted it",
                   play.wait_for_next(user.key, user.used), "the present code")
    seconds = (INTERVALS + 1) * play.PERIOD
    print("    the user waits %d s, until no code is left that db1 could have accepted" % seconds)
    time.sleep(seconds)
    user.must_work("%s signs in at host3 after the failover" % USER)

    step("the realm's users, seen by root on verifier2")
    for line in verifiers[1].run("mfa-verifier", "user", USER, user="mfa").splitlines():
        print("    " + line)

    step("the realm, administered by root on host1; host3 may not administer it")
    for arguments in (["list"], ["fleet", "status"], ["ledger", "verify"]):
        for line in host1.run("mfa-admin", *arguments).splitlines():
            print("    " + line)
    if "host1.example.org" not in host1.run("mfa-admin", "fleet", "hosts") or USER not in host1.run("mfa-admin", "list"):
        raise Failure("mfa-admin does not list the host or the user")
    if succeeds(*host3.command("mfa-admin", "list")):
        raise Failure("a host without administering = on listed the users")

    step("host2 is revoked")
    verifiers[1].run("mfa-verifier", "revoke", "host2.example.org", user="mfa")
    for line in verifiers[1].run("mfa-verifier", "hosts", user="mfa").splitlines():
        print("    " + line)
    user.host = host2
    worked, _ = user.sign_in("a sign-in at host2, with a new code", PASSWORD,
                             play.wait_for_next(user.key, user.used), "the present code")
    if worked:
        raise Failure("a revoked host let the user in")


def main():
    WORK.mkdir()
    STATE.mkdir()
    STATE.chmod(0o755)
    for folder in OWN_FOLDERS:
        os.makedirs(folder, exist_ok=True)
    run("ip", "link", "add", "fleet", "type", "bridge")
    run("ip", "addr", "add", "10.77.0.1/24", "dev", "fleet")
    run("ip", "link", "set", "fleet", "up")
    run("ip", "link", "set", "lo", "up")
    log = subprocess.Popen([sys.executable, play.__file__, "log", "/dev/log", str(WORK / "log")])
    machines = []
    try:
        set_up_accounts()
        databases = [Database(*item) for item in DATABASES.items()]
        verifiers = [Verifier(*item) for item in VERIFIERS.items()]
        hosts = [Host(*item) for item in HOSTS.items()]
        machines = databases + verifiers + hosts
        for database in databases:
            database.data.mkdir()
            shutil.chown(database.data, "postgres")
            database.data.chmod(0o700)
        set_up_sshd()
        set_up_realm(databases, verifiers, hosts)
        act(databases, verifiers, hosts)
    except Failure as failure:
        print("\nfleet-try: error: %s" % failure, file=sys.stderr)
        for machine in machines:
            machine.logs()
        with contextlib.suppress(OSError):
            print((WORK / "log").read_text(errors="replace"))
        return 1
    finally:
        for machine in machines:
            for process in machine.processes:
                process.kill()
        log.kill()
    return 0


if __name__ == "__main__":
    sys.exit(main())
