"""A PostgreSQL primary and two synchronous standbys, and failovers as an administrator makes them by hand."""

import contextlib
import shutil
import signal
import time

from fleet import Failure, wait_for
from members import Members
from postgresql import (NETWORK, PROGRAMS, SEGMENT, SETTINGS, Server, configuration, copy_log, create_database, send,
                        set_up_schema)

ADDRESSES = {"db1": "10.77.0.11", "db2": "10.77.0.12", "db3": "10.77.0.13"}


class Member(Server):
    """A server of the cluster."""

    def create(self):
        self.run(PROGRAMS / "initdb", "--pgdata", self.data, "--auth=trust", "--wal-segsize=%d" % SEGMENT,
                 "--no-sync", user="postgres")
        settings = {**SETTINGS, "listen_addresses": "'*'", "unix_socket_directories": "''",
                    "synchronous_standby_names": "'ANY 1 (db1, db2, db3)'"}
        with open(self.data / "postgresql.conf", "a", encoding="utf-8") as file:
            file.writelines("%s = %s\n" % setting for setting in settings.items())
        with open(self.data / "pg_hba.conf", "a", encoding="utf-8") as file:
            file.write("host all all %s trust\nhost replication all %s trust\n" % (NETWORK, NETWORK))
        self.start()

    def copy(self, primary):
        """Makes a new standby of a primary."""
        shutil.rmtree(self.data, ignore_errors=True)
        self.run(PROGRAMS / "pg_basebackup", "--pgdata", self.data, "--write-recovery-conf", "--checkpoint=fast",
                 "--no-sync", "--dbname", "host=%s user=postgres connect_timeout=2 application_name=%s" % (
                     primary.address, self.name), user="postgres")
        self.data.chmod(0o700)
        self.start()

    def start(self):
        """Starts the server unless it runs. A server that is about to end is started after its end."""
        def is_started():
            if self.leader() is None:
                (self.data / "postmaster.pid").unlink(missing_ok=True)
                self.spawn(PROGRAMS / "postgres", "-D", self.data, user="postgres")
                time.sleep(0.3)
            return self.answers()
        wait_for(self.name, is_started)

    def follow(self, primary):
        """Replicates from a primary from now on, or from none."""
        text = "host=%s user=postgres connect_timeout=2 application_name=%s" % (primary.address, self.name) \
            if primary else ""
        self.sql("ALTER SYSTEM SET primary_conninfo = '%s'" % text)
        self.sql("SELECT pg_reload_conf()")

    def received(self):
        """Returns the position of the WAL up to which a standby has received and written it."""
        return int(self.sql("SELECT pg_wal_lsn_diff(greatest(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn()),"
                            " '0/0')"))

    def promote(self):
        self.sql("SELECT pg_promote(true, 20)", seconds=25)


class Cluster(Members):
    """Three servers, one of which is the primary."""

    name = "postgresql"
    # The part of the faults that concern the database.
    share = 0.4
    kinds = ("kill-primary", "kill-standby", "stop-primary", "stop-standby", "isolate-standby", "isolate-primary",
             "cut-verifier", "cut-one-way", "slow-primary", "slow-standby", "full-primary", "full-standby",
             "cancelled-commits", "failover-killed", "failover-isolated", "failover-lossy")

    def __init__(self):
        super().__init__([Member(*item) for item in ADDRESSES.items()])

    def configuration(self):
        """The line of verifier.conf."""
        return configuration(self.members)

    def start(self):
        self.primary.create()
        # Before there is a standby, commits would wait for one.
        self.primary.sql("SET synchronous_commit = local; CREATE ROLE mfa_owner LOGIN;"
                         "CREATE ROLE mfa_verifier LOGIN; GRANT pg_read_all_stats TO mfa_owner")
        for standby in self.standbys:
            standby.copy(self.primary)
        self.wait_until_healthy()
        create_database(self.primary)

    def set_up(self, _):
        set_up_schema(self.primary)

    def copy_log(self):
        return copy_log(self.primary)

    def is_healthy(self):
        """Returns whether both standbys replicate."""
        with contextlib.suppress(Failure):
            return int(self.primary.sql(
                "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming' AND sync_state <> 'async'")) == 2
        return False

    def wait_until_healthy(self):
        wait_for("the standbys", self.is_healthy)

    def restore(self):
        """Starts what does not run, and makes standbys anew that do not follow."""
        for member in self.members:
            send(signal.SIGCONT, member.running())
            member.empty()
        self.primary.start()
        deadline = time.monotonic() + 6
        while not self.is_healthy() and time.monotonic() < deadline:
            for standby in self.standbys:
                if standby.leader() is None:
                    with contextlib.suppress(Failure):
                        standby.start()
            time.sleep(0.1)
        if not self.is_healthy():
            following = self.primary.sql("SELECT string_agg(application_name, ' ') FROM pg_stat_replication").split()
            for standby in self.standbys:
                if standby.name not in following:
                    standby.kill()
                    standby.copy(self.primary)
        self.wait_until_healthy()

    # --- Failovers ---

    def detach(self):
        """Ends the replication of all standbys, so that a primary that still runs can commit no more."""
        for standby in self.standbys:
            standby.follow(None)
        for standby in self.standbys:
            wait_for(standby.name, lambda: standby.sql("SELECT count(*) FROM pg_stat_wal_receiver") == "0")

    def fail_over(self):
        """Promotes the standby that has the most, and has the other one follow it.

        Any one standby may have acknowledged a commit alone. Both must be asked, and both must have stopped to
        replicate before.
        """
        self.detach()
        new = max(self.standbys, key=lambda standby: standby.received())
        self.promote(new)

    def promote(self, new):
        new.promote()
        self.primary = new

    def rejoin(self, old):
        """Makes standbys of all servers that are not the primary. `old` is the former primary, which is copied anew."""
        for standby in self.standbys:
            if standby is not old:
                standby.follow(self.primary)
        old.kill()
        old.copy(self.primary)
