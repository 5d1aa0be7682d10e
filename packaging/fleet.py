#!/usr/bin/env python3
"""Starts a realm of small machines, for packaging/fleet-try, and acts as a user at its hosts.

Each machine is a network namespace with an address of its own, and sees its own /etc/mfa, /run/mfa and
/run/mfa-verifier. Requires a private machine with the programs installed.

    fleet.py [--engine postgresql|etcd]
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
# The certificates of etcd's members and of their clients.
ETCD = STATE / "etcd"
NEW_KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
DATABASES = {"db1": "10.77.0.11", "db2": "10.77.0.12", "db3": "10.77.0.13"}
VERIFIERS = {"verifier1": "10.77.0.21", "verifier2": "10.77.0.22"}
HOSTS = {"host1": "10.77.0.31", "host2": "10.77.0.32", "host3": "10.77.0.33"}
# What a machine sees in the place of these folders.
OWN_FOLDERS = ["/etc/mfa", "/run/mfa", "/run/mfa-verifier"]
USER = "ada"
PASSWORD = "the-password-of-ada"
# The policy accepts the present code, the one before and the one after.
INTERVALS = 1


def run(*arguments, timeout=180, **options):
    ended = subprocess.run([str(argument) for argument in arguments], capture_output=True, text=True,
                           timeout=timeout, check=False, **options)
    if ended.returncode != 0:
        raise Failure("%s: %s%s" % (" ".join(map(str, arguments)), ended.stdout, ended.stderr))
    return ended.stdout


def wait_for(what, condition, seconds=180):
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise Failure("%s: nothing happened for %d s" % (what, seconds))
        time.sleep(0.05)


def succeeds(*arguments):
    return subprocess.run([str(argument) for argument in arguments], capture_output=True, timeout=120,
                          check=False).returncode == 0


def tree(leader):
    """Returns the numbers of a process and of its descendants."""
    found, waiting = [], [leader]
    while waiting:
        process = waiting.pop()
        found.append(process)
        with contextlib.suppress(OSError):
            waiting += map(int, pathlib.Path("/proc/%d/task/%d/children" % (process, process)).read_text().split())
    return found


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

    programs = pathlib.Path(next(iter(sorted(glob.glob("/usr/lib/postgresql/*/bin"), reverse=True)), ""))

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


class Member(Machine):
    """A member of an etcd cluster."""

    def __init__(self, name, address):
        super().__init__(name, address)
        self.data = STATE / name

    def start(self):
        peers = ",".join("%s=http://%s:2380" % item for item in DATABASES.items())
        client, peer = "https://%s:2379" % self.address, "http://%s:2380" % self.address
        self.server = self.spawn(
            "etcd", "--name", self.name, "--data-dir", self.data, "--listen-client-urls", client,
            "--advertise-client-urls", client, "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
            "--initial-cluster", peers, "--initial-cluster-token", "fleet", "--client-cert-auth",
            "--trusted-ca-file", ETCD / "ca.pem", "--cert-file", ETCD / "server.pem", "--key-file",
            ETCD / "server-key.pem", "--auto-compaction-retention", "1h", "--log-level", "error", user="etcd")

    def kill(self):
        self.server.kill()
        self.server.wait()

    def restore(self, snapshot):
        """Replaces the data folder by the content of a snapshot."""
        shutil.rmtree(self.data)
        peers = ",".join("%s=http://%s:2380" % item for item in DATABASES.items())
        run("etcdctl", "snapshot", "restore", snapshot, "--data-dir", self.data, "--name", self.name,
            "--initial-cluster", peers, "--initial-cluster-token", "fleet", "--initial-advertise-peer-urls",
            "http://%s:2380" % self.address, env={**os.environ, "ETCDCTL_API": "3"})
        run("chown", "-R", "etcd", self.data)


def control(members, *arguments, **options):
    """Runs etcdctl with some of the members, with options of subprocess.run()."""
    return run("etcdctl", *arguments, "--endpoints", ",".join("https://%s:2379" % each.address for each in members),
               "--cacert", ETCD / "ca.pem", "--cert", ETCD / "client.pem", "--key", ETCD / "client-key.pem",
               env={**os.environ, "ETCDCTL_API": "3"}, **options)


def wait_for_members(members):
    def healthy():
        with contextlib.suppress(Failure):
            control(members, "endpoint", "health")
            return True
        return False
    wait_for("etcd", healthy)


def leader(members):
    for line in control(members, "endpoint", "status").splitlines():
        if ", true, " in line:
            return next(each for each in members if "//%s:" % each.address in line)
    raise Failure("the cluster has no leader")


class Verifier(Machine):
    """The decision service and the network front of a verifier."""

    groups = "[hosts enrolling]\nenrolling = on\nadministering = on\n\n[hosts others]\nservices = sshd\n"

    def begin(self, authority, key, database):
        (self.configuration / "mfa.conf").write_text("[project]\nadjacent_intervals = %d\n" % INTERVALS)
        (self.configuration / "verifier.conf").write_text(
            "%s\nfront_user = mfa-fleet\n\n%s" % (database, self.groups))
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
        self.serve()

    def serve(self):
        """Starts both programs."""
        own = self.folder / "run-mfa-verifier"
        (own / "front").unlink(missing_ok=True)
        # The database is not asked through a proxy, whatever the environment says.
        self.spawn("mfa-verifier", "serve", "--listen", "/run/mfa-verifier/front", user="mfa",
                   environment={name: "http://127.0.0.1:1" for name in ("https_proxy", "HTTPS_PROXY", "ALL_PROXY")})
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

    verifiers = list(VERIFIERS.values())
    # More settings of the relay.
    settings = ""

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
            "[relay]\nverifiers = %s\ncredentials = %s/host.pem\nauthority = %s/authority.pem\n%s"
            % (", ".join(address + ":7443" for address in self.verifiers), self.files, self.files, self.settings))
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

    def serve_ssh(self):
        self.spawn("/usr/sbin/sshd", "-D", "-e", "-f", WORK / "sshd_config")
        wait_for("sshd", lambda: succeeds(*self.command("bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/22")))


class User(play.Play):
    """The user, at one of the hosts."""

    def __init__(self, host, name=USER):
        super().__init__(argparse.Namespace(user=name), PASSWORD)
        self.host = host

    def as_user(self, *arguments):
        name = self.options.user
        return play.Terminal([str(self.host.enter), "runuser", "-u", name, "--", "env", "HOME=/home/" + name,
                              "USER=" + name, *arguments])

    def ssh(self):
        return play.Terminal([
            str(self.host.enter), "ssh", "-F", "/dev/null", "-o", "UserKnownHostsFile=%s" % (WORK / "known-hosts"),
            "-o", "StrictHostKeyChecking=yes", "-o", "PreferredAuthentications=keyboard-interactive",
            "-o", "NumberOfPasswordPrompts=1", self.options.user + "@127.0.0.1", "echo signed in as $(id -un)"])


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
    for name in ("mfa-fleet", "postgres", "etcd"):
        if not succeeds("id", name):
            run("useradd", "--system", "--no-create-home", name)
    add_user(USER)


def add_user(name):
    run("useradd", "--create-home", "--shell", "/bin/bash", name)
    run("chpasswd", input=name + ":" + PASSWORD)


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


class PostgreSQL:
    """The realm's database on a primary and two standbys."""

    machine, user = Database, "postgres"

    def __init__(self, databases):
        self.databases = databases

    def set_up(self):
        set_up_database(self.databases)

    def configuration(self):
        return "database = hostaddr=%s dbname=mfa user=mfa_verifier" % ",".join(DATABASES.values())

    def set_up_realm(self, verifier):
        """set_up() has created the realm, as the owner of the database."""

    def fail(self, user):
        databases = self.databases
        step("the primary db1 is killed; db2 is promoted, and db3 follows it")
        databases[0].kill()
        databases[1].promote()
        databases[2].follow(databases[1])
        wait_for("db3", lambda: databases[1].sql("SELECT count(*) FROM pg_stat_replication") == "1")
        user.must_fail("a code right after the failover is refused: db1 may have accepted it",
                       play.wait_for_next(user.key, user.used), "the present code")
        wait_for_fence("db1")
        user.must_work("%s signs in at host3 after the failover" % USER)


class Etcd:
    """The realm's keys in an etcd cluster of three members."""

    machine, user = Member, "etcd"

    def __init__(self, databases):
        self.databases = databases

    def set_up(self):
        step("three members of etcd, which require certificates of their clients")
        ETCD.mkdir()
        run("openssl", "req", "-x509", *NEW_KEY, "-subj", "/CN=etcd", "-days", "2", "-keyout", ETCD / "ca-key.pem",
            "-out", ETCD / "ca.pem")
        addresses = ",".join("IP:" + address for address in DATABASES.values())
        for name, usage, names, owner in (("server", "serverAuth,clientAuth", addresses, "etcd"),
                                          ("client", "clientAuth", "DNS:verifier", "mfa")):
            run("openssl", "req", *NEW_KEY, "-subj", "/O=mfa", "-keyout", ETCD / (name + "-key.pem"), "-out",
                ETCD / (name + ".csr"), "-addext", "subjectAltName=" + names, "-addext", "extendedKeyUsage=" + usage)
            run("openssl", "x509", "-req", "-in", ETCD / (name + ".csr"), "-CA", ETCD / "ca.pem", "-CAkey",
                ETCD / "ca-key.pem", "-CAcreateserial", "-days", "2", "-copy_extensions", "copyall", "-out",
                ETCD / (name + ".pem"))
            shutil.chown(ETCD / (name + "-key.pem"), owner)
            (ETCD / (name + "-key.pem")).chmod(0o400)
        for member in self.databases:
            member.start()
        wait_for_members(self.databases)

    def configuration(self):
        endpoints = " ".join("https://%s:2379" % address for address in DATABASES.values())
        return ("engine = etcd\nendpoints = %s\ncertificate = %s\nkey = %s\nauthority = %s"
                % (endpoints, ETCD / "client.pem", ETCD / "client-key.pem", ETCD / "ca.pem"))

    def set_up_realm(self, verifier):
        print("    mfa-verifier setup: " + verifier.run("mfa-verifier", "setup", user="mfa").strip())

    def fail(self, user):
        first = leader(self.databases)
        rest = [member for member in self.databases if member is not first]
        step("the leader %s is killed; the others choose another one, and no commit is lost" % first.name)
        first.kill()
        wait_for_members(rest)
        user.must_work("%s signs in at host3 after the failover" % USER)

        step("a second member, %s, is killed: no majority is left" % rest[0].name)
        snapshot = STATE / "snapshot"
        control(rest[1:], "snapshot", "save", snapshot)
        rest[0].kill()
        worked, _ = user.sign_in("a sign-in without a majority", PASSWORD, play.wait_for_next(user.key, user.used),
                                 "the present code")
        if worked:
            raise Failure("a code was accepted without a majority")

        step("a snapshot is restored into a new cluster at the same addresses")
        rest[1].kill()
        for member in self.databases:
            member.restore(snapshot)
            member.start()
        wait_for_members(self.databases)
        user.must_fail("a code right after the restore is refused: it may have been accepted after the snapshot",
                       play.wait_for_next(user.key, user.used), "the present code")
        wait_for_fence("the former cluster")
        user.must_work("%s signs in at host3 after the restore" % USER)


ENGINES = {"postgresql": PostgreSQL, "etcd": Etcd}


def wait_for_fence(database):
    # A new epoch begins 10 seconds later than the present time, because clocks may differ.
    seconds = (INTERVALS + 1) * play.PERIOD + 10
    print("    the user waits %d s, until no code is left that %s could have accepted" % (seconds, database))
    time.sleep(seconds)


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


def set_up_realm(engine, verifiers, hosts):
    engine.set_up()
    step("an authority, and two verifiers")
    authority = STATE / "authority"
    authority.mkdir()
    fingerprint = run("mfa-fleet", "authority", "create", authority, "--realm", "example.org").split()[-1]
    key = os.urandom(32)
    for verifier in verifiers:
        verifier.begin(authority, key, engine.configuration())
    engine.set_up_realm(verifiers[0])
    for line in check(verifiers[0]):
        print("    mfa-verifier check: " + line)
    step("three hosts join with tickets; users may enrol at host1 only")
    for host, group in zip(hosts, ("enrolling", "others", "others")):
        print("    %s: %s" % (host.name, host.join(verifiers[0], fingerprint, group)))
        host.begin()
        host.serve_ssh()


def check(verifier):
    ended = subprocess.run(verifier.command("mfa-verifier", "check", user="mfa"), capture_output=True, text=True,
                           timeout=30, check=False)
    return (ended.stdout + ended.stderr).strip().splitlines()


def act(engine, verifiers, hosts):
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

    engine.fail(user)

    step("the realm, administered by root on host1; host3 may not administer it")
    for arguments in (["list"], ["show", USER], ["realm", "status"], ["audit-log", "verify"]):
        for line in host1.run("mfa-admin", *arguments).splitlines():
            print("    " + line)
    if "host1.example.org" not in host1.run("mfa-admin", "realm", "hosts") or USER not in host1.run("mfa-admin", "list"):
        raise Failure("mfa-admin does not list the host or the user")
    if succeeds(*host3.command("mfa-admin", "list")):
        raise Failure("a host without administering = on listed the users")

    step("host2 is revoked")
    host1.run("mfa-admin", "realm", "revoke", "host2.example.org", "--yes")
    for line in host1.run("mfa-admin", "realm", "hosts").splitlines():
        print("    " + line)
    user.host = host2
    worked, _ = user.sign_in("a sign-in at host2, with a new code", PASSWORD,
                             play.wait_for_next(user.key, user.used), "the present code")
    if worked:
        raise Failure("a revoked host let the user in")


def set_up_machine():
    """Prepares the private machine. Returns the process that collects the system log."""
    WORK.mkdir()
    STATE.mkdir()
    STATE.chmod(0o755)
    for folder in OWN_FOLDERS:
        os.makedirs(folder, exist_ok=True)
    run("ip", "link", "add", "fleet", "type", "bridge")
    run("ip", "addr", "add", "10.77.0.1/24", "dev", "fleet")
    run("ip", "link", "set", "fleet", "up")
    run("ip", "link", "set", "lo", "up")
    return subprocess.Popen([sys.executable, play.__file__, "log", "/dev/log", str(WORK / "log")])


def create_data(kind, databases):
    """Creates the data folders of machines with an engine."""
    for database in databases:
        database.data.mkdir()
        shutil.chown(database.data, kind.user)
        database.data.chmod(0o700)


def create_machines(kind):
    """Creates the machines of a realm with an engine. Returns its databases, verifiers and hosts, which are not
    started yet."""
    databases = [kind.machine(*item) for item in DATABASES.items()]
    create_data(kind, databases)
    return databases, [Verifier(*item) for item in VERIFIERS.items()], [Host(*item) for item in HOSTS.items()]


def perform(name, body):
    """Calls `body` with a list, to which it adds its machines. Prints the ends of the logs after a failure, and ends all
    programs. Returns the exit status."""
    log = set_up_machine()
    machines = []
    try:
        body(machines)
    except Failure as failure:
        print("\n%s: error: %s" % (name, failure), file=sys.stderr)
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


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--engine", choices=ENGINES, default="postgresql")
    kind = ENGINES[parser.parse_args().engine]

    def body(machines):
        set_up_accounts()
        databases, verifiers, hosts = create_machines(kind)
        machines += databases + verifiers + hosts
        set_up_sshd()
        engine = kind(databases)
        set_up_realm(engine, verifiers, hosts)
        act(engine, verifiers, hosts)

    return perform("fleet-try", body)


if __name__ == "__main__":
    sys.exit(main())
