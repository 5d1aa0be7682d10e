"""Three servers that Patroni manages, as packaging/patroni/patroni.yml configures it, with three members of etcd."""

import contextlib
import http.client
import pathlib
import signal
import time
import urllib.error
import urllib.request

import postgresql
from fleet import Failure, wait_for
from members import Members
from postgresql import (NETWORK, PROGRAMS, SETTINGS, Server, configuration, copy_log, create_database, send,
                        set_up_schema, tree)

ADDRESSES = {"db1": "10.77.0.11", "db2": "10.77.0.12", "db3": "10.77.0.13"}
EXAMPLE = pathlib.Path(__file__).resolve().parents[2] / "packaging/patroni/patroni.yml"


class Member(Server):
    """A machine with a member of etcd, Patroni, and the server that Patroni manages."""

    def configure(self):
        """Writes the configuration: the example, with the addresses and folders of this machine, and without TLS."""
        text = EXAMPLE.read_text()
        for name, address in ADDRESSES.items():
            text = text.replace("192.0.2." + address.rpartition(".")[2], address if name != "db1" else "OWN")
        # The list of the members of etcd names all machines; everything else is this machine.
        text = text.replace("hosts: OWN:2379", "hosts: %s:2379" % ADDRESSES["db1"]).replace("OWN", self.address)
        text = text.replace("name: db1\n", "name: %s\n" % self.name, 1).replace("192.0.2.0/24", NETWORK)
        text = text.replace("hostssl", "host").replace("scram-sha-256", "trust")
        text = text.replace("- local all postgres peer", "- local all all trust\n        - host all all %s trust" % NETWORK)
        text = text.replace("/var/lib/postgresql/15/mfa", str(self.data))
        text = text.replace("/usr/lib/postgresql/15/bin", str(PROGRAMS))
        # The machines of the test share this folder.
        text = text.replace("  authentication:\n", "  parameters:\n    unix_socket_directories: %s\n"
                            "  authentication:\n" % self.disk)
        # The small file system of the test.
        small = {key: SETTINGS[key] for key in ("shared_buffers", "min_wal_size", "max_wal_size", "wal_keep_size")}
        text = text.replace("      parameters:\n", "      parameters:\n" + "".join(
            "        %s: %s\n" % setting for setting in small.items()))
        text = text.replace("    - data-checksums\n", "    - data-checksums\n    - wal-segsize: '%d'\n" % postgresql.SEGMENT)
        self.file = self.folder / "patroni.yml"
        self.file.write_text(text)
        self.etcd = self.patroni = None

    def start_etcd(self):
        if self.etcd is not None and self.etcd.poll() is None:
            return
        peers = ",".join("%s=http://%s:2380" % item for item in ADDRESSES.items())
        own, client = "http://%s:2380" % self.address, "http://%s:2379" % self.address
        self.etcd = self.spawn(
            "etcd", "--name", self.name, "--data-dir", self.folder / "etcd", "--listen-peer-urls", own,
            "--initial-advertise-peer-urls", own, "--listen-client-urls", client, "--advertise-client-urls", client,
            "--initial-cluster", peers, "--log-level", "error", "--logger", "zap")

    def start_patroni(self):
        if self.patroni is None or self.patroni.poll() is not None:
            self.patroni = self.spawn("/usr/bin/patroni", self.file, user="postgres",
                                      environment={"HOME": str(self.disk)})

    def request(self, path, method="GET", body=None, seconds=2):
        """Returns the status of the answer of Patroni's REST interface, or None if there is none."""
        request = urllib.request.Request("http://%s:8008/%s" % (self.address, path), body, method=method,
                                         headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=seconds) as answer:
                return answer.status
        except urllib.error.HTTPError as error:
            return error.code
        except (OSError, http.client.HTTPException):
            return None

    def everything(self):
        """Returns the numbers of all processes of the machine."""
        found = self.running()
        for process in (self.patroni, self.etcd):
            if process is not None and process.poll() is None:
                found += tree(process.pid)
        return found

    def kill_everything(self):
        send(signal.SIGKILL, self.everything())
        self.patroni.wait()
        self.etcd.wait()


class PatroniCluster(Members):
    """The cluster. Patroni promotes, and `primary` is the leader that was seen last."""

    name = "patroni"
    # The part of the faults that concern the database: Patroni takes its time to fail over.
    share = 0.25
    kinds = ("kill-primary", "kill-standby", "stop-primary", "stop-standby", "isolate-standby", "isolate-primary",
             "cut-verifier", "cut-one-way", "slow-primary", "slow-standby", "full-primary", "full-standby",
             "cancelled-commits", "switchover", "kill-machine", "stop-patroni", "isolate-machine", "kill-etcd",
             "stop-etcd")

    def __init__(self):
        super().__init__([Member(*item) for item in ADDRESSES.items()])

    def configuration(self):
        """The line of verifier.conf."""
        return configuration(self.members)

    def start(self):
        for member in self.members:
            member.configure()
            member.start_etcd()
        for member in self.members:
            member.start_patroni()
        self.wait_until_healthy(90)
        self.primary.sql("CREATE ROLE mfa_owner LOGIN; CREATE ROLE mfa_verifier LOGIN;"
                         "GRANT pg_read_all_stats TO mfa_owner")
        create_database(self.primary)

    def set_up(self, _):
        set_up_schema(self.primary)

    def copy_log(self):
        return copy_log(self.primary)

    def is_healthy(self):
        """Returns whether there is a leader with two standbys, one of which is synchronous."""
        for member in self.members:
            if member.request("leader") == 200:
                with contextlib.suppress(Failure):
                    if member.sql("SELECT count(*) FILTER (WHERE sync_state <> 'async') || ' ' || count(*)"
                                  " FROM pg_stat_replication WHERE state = 'streaming'") == "1 2":
                        self.primary = member
                        return True
        return False

    def wait_until_healthy(self, seconds):
        wait_for("Patroni", self.is_healthy, seconds)

    def copy_anew(self):
        """Copies standbys anew that do not follow, as an administrator does with `patronictl reinit`.

        A former primary with WAL of its own after the promotion is not always recognised as one.
        """
        leader = next((member for member in self.members if member.request("leader") == 200), None)
        if leader is None:
            return
        with contextlib.suppress(Failure):
            following = leader.sql("SELECT string_agg(application_name, ' ') FROM pg_stat_replication").split()
            for member in self.members:
                if member is not leader and member.name not in following:
                    member.request("reinitialize", "POST", b'{"force": true}', 10)

    def restore(self):
        """Starts what does not run, and waits until Patroni has repaired the rest."""
        for member in self.members:
            send(signal.SIGCONT, member.everything())
            member.empty()
            member.start_etcd()
            member.start_patroni()
        begin, repaired = time.monotonic(), time.monotonic()
        while not self.is_healthy():
            if time.monotonic() > begin + 180:
                raise Failure("Patroni did not repair the cluster")
            if time.monotonic() > repaired + 25:
                repaired = time.monotonic()
                self.copy_anew()
            # A full disk or a crash ends Patroni, too, where PostgreSQL cannot start.
            for member in self.members:
                member.start_patroni()
            time.sleep(0.3)
