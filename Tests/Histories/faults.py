"""Faults of databases, networks, disks, clocks and processes, in a random order that a seed decides.

A lane is a thread that makes one fault after the other: one lane for the database, one for the verifiers. The faults
of the two lanes overlap.
"""

import collections
import contextlib
import random
import signal
import threading
import time
import traceback

import postgresql
from fleet import Failure, run
from postgresql import send

# A hardware address that no machine has. Packets to it are lost, as in a network that drops them.
NOWHERE = "02:00:00:00:00:01"


class Network:
    """Cuts and restores connections between machines, in one direction each."""

    def __init__(self):
        self.cuts = []

    def cut(self, sender, receiver):
        """Loses all packets from one machine to another."""
        run("ip", "-n", sender.name, "neigh", "replace", receiver.address, "lladdr", NOWHERE, "nud", "permanent",
            "dev", "eth0")
        self.cuts.append((sender, receiver))

    def separate(self, one, other):
        self.cut(one, other)
        self.cut(other, one)

    def restore(self):
        for sender, receiver in self.cuts:
            with contextlib.suppress(Failure):
                run("ip", "-n", sender.name, "neigh", "del", receiver.address, "dev", "eth0")
        self.cuts.clear()


class Lane:
    """Makes faults until it has made enough, or is stopped."""

    def __init__(self, name, seed, count, history):
        self.name, self.count, self.history = name, count, history
        self.random = random.Random("%d %s" % (seed, name))
        self.made = collections.Counter()
        self.stopping = threading.Event()
        self.failure = None
        self.thread = threading.Thread(target=self.act, daemon=True)

    def kinds(self):
        raise NotImplementedError

    def act(self):
        kinds = []
        try:
            while sum(self.made.values()) < self.count and not self.stopping.is_set():
                if not kinds:
                    # Each kind as often as the others.
                    kinds = list(self.kinds())
                    self.random.shuffle(kinds)
                self.make(kinds.pop())
                self.pause(0.2, 1.2)
        except Exception as error:  # pylint: disable=broad-except
            self.failure = "".join(traceback.format_exception(error))

    def make(self, kind):
        self.history.event("fault", kind=kind, lane=self.name, phase="begin")
        try:
            getattr(self, kind.replace("-", "_"))()
        finally:
            self.repair()
        self.history.event("fault", kind=kind, lane=self.name, phase="end")
        self.made[kind] += 1

    def repair(self):
        raise NotImplementedError

    def pause(self, least, most):
        self.stopping.wait(self.random.uniform(least, most))


class VerifierLane(Lane):
    """Faults of the verifiers' processes and clocks."""

    def __init__(self, verifiers, seed, count, history):
        super().__init__("verifiers", seed, count, history)
        self.verifiers = verifiers

    def kinds(self):
        return ("kill-worker", "kill-worker", "kill-verifier", "stop-verifier", "stop-workers", "clock-ahead",
                "clock-behind")

    def choose(self):
        return self.random.choice(self.verifiers)

    def kill_worker(self):
        workers = self.choose().workers()
        if workers:
            send(signal.SIGKILL, [self.random.choice(workers)])

    def kill_verifier(self):
        self.choose().kill()
        self.pause(0.1, 1)

    def stop_verifier(self):
        send(signal.SIGSTOP, self.choose().running())
        self.pause(0.5, 4)

    def stop_workers(self):
        """Stops some workers, so that decisions are late, and others go on."""
        workers = self.choose().workers()
        send(signal.SIGSTOP, self.random.sample(workers, (len(workers) + 1) // 2))
        self.pause(0.5, 4)

    def jump(self, sign):
        verifier = self.choose()
        verifier.jump(sign * self.random.choice((3, 10, 16, 40, 100)))
        self.pause(1, 4)
        verifier.jump(0)

    def clock_ahead(self):
        self.jump(1)

    def clock_behind(self):
        self.jump(-1)

    def repair(self):
        for verifier in self.verifiers:
            verifier.restart_if_ended()


class ServerLane(Lane):
    """Faults that every kind of database has. `servers` are its machines, `primary` is its primary at present."""

    def __init__(self, database, verifiers, seed, count, history):
        super().__init__("database", seed, count, history)
        self.database, self.verifiers = database, verifiers
        self.network = Network()
        self.tracers = []

    def kinds(self):
        return self.database.kinds

    def standby(self):
        return self.random.choice(self.database.standbys)

    def kill_primary(self):
        self.database.primary.kill()
        self.pause(0, 1)

    def kill_standby(self):
        for standby in self.random.sample(self.database.standbys, self.random.choice((1, 1, 2))):
            standby.kill()
        self.pause(0.5, 2)

    def stop_primary(self):
        send(signal.SIGSTOP, self.database.primary.running())
        self.pause(0.5, 4)

    def stop_standby(self):
        for standby in self.random.sample(self.database.standbys, self.random.choice((1, 2))):
            send(signal.SIGSTOP, standby.running())
        self.pause(0.5, 4)

    def isolate_standby(self):
        standby = self.standby()
        for other in self.database.members:
            if other is not standby:
                self.network.separate(standby, other)
        self.pause(1, 4)

    def isolate_primary(self):
        """Separates the primary from the standbys, and from the verifiers or not."""
        for standby in self.database.standbys:
            self.network.separate(self.database.primary, standby)
        for verifier in self.random.sample(self.verifiers, self.random.randint(0, len(self.verifiers))):
            self.network.separate(self.database.primary, verifier)
        self.pause(1, 4)

    def cut_verifier(self):
        self.network.separate(self.random.choice(self.verifiers), self.database.primary)
        self.pause(1, 4)

    def cut_one_way(self):
        """Loses the answers of the primary, or what is sent to it."""
        pair = [self.database.primary, self.random.choice(self.verifiers + self.database.standbys)]
        self.random.shuffle(pair)
        self.network.cut(*pair)
        self.pause(1, 4)

    def slow(self, server):
        self.tracers.append(server.slow_down(self.random.choice((20, 150, 700))))
        self.pause(2, 4)

    def slow_primary(self):
        self.slow(self.database.primary)

    def slow_standby(self):
        self.slow(self.standby())

    def fill(self, server):
        server.fill()
        with contextlib.suppress(Failure):
            self.database.primary.sql("SELECT pg_switch_wal()", seconds=2)
        self.pause(1, 3)

    def full_primary(self):
        self.fill(self.database.primary)

    def full_standby(self):
        self.fill(self.standby())

    def cancelled_commits(self):
        """Has an administrator cancel commits that wait for a standby, which makes them visible."""
        for standby in self.database.standbys:
            send(signal.SIGSTOP, standby.running())
        for _ in range(8):
            with contextlib.suppress(Failure):
                self.database.primary.sql("SELECT pg_cancel_backend(pid) FROM pg_stat_activity"
                                          " WHERE wait_event = 'SyncRep'", seconds=2)
            self.pause(0.1, 0.4)

    def repair(self):
        self.network.restore()
        for tracer in self.tracers:
            tracer.terminate()
            tracer.wait()
        self.tracers.clear()
        self.database.restore()


class ClusterLane(ServerLane):
    """Faults of a cluster without a manager, failovers by hand included."""

    def failover_killed(self):
        old = self.database.primary
        old.kill()
        self.pause(0, 0.5)
        self.database.fail_over()
        self.pause(0, 1)
        self.database.rejoin(old)

    def failover_isolated(self):
        """Promotes a standby while the former primary still runs, and some verifiers still reach it."""
        old = self.database.primary
        for standby in self.database.standbys:
            self.network.separate(old, standby)
        for verifier in self.random.sample(self.verifiers, self.random.randint(0, len(self.verifiers) - 1)):
            self.network.separate(old, verifier)
        self.database.fail_over()
        self.pause(1, 3)
        self.network.restore()
        self.pause(0, 0.5)
        self.database.rejoin(old)

    def failover_lossy(self):
        """Promotes the standby that lacks the last commits, because the two other servers are lost."""
        begin = time.monotonic()
        behind = self.standby()
        behind.follow(None)
        self.pause(1, 3)
        for server in self.database.members:
            if server is not behind:
                server.kill()
        self.database.promote(behind)
        self.history.event("loss", begin=begin)
        for server in self.database.standbys:
            server.copy(behind)


class PatroniLane(ServerLane):
    """Faults of machines with Patroni and etcd. Patroni fails over by itself."""

    # Longer than the time after which Patroni replaces a leader.
    lost = (21, 26)

    def switchover(self):
        body = b'{"leader": "%s"}' % self.database.primary.name.encode()
        self.database.primary.request("switchover", "POST", body, 20)

    def kill_machine(self):
        """Kills everything on the machine of the primary."""
        self.database.primary.kill_everything()
        self.pause(*self.lost)

    def stop_patroni(self):
        """Stops Patroni on the machine of the primary, and leaves the server running while another one is promoted."""
        send(signal.SIGSTOP, [self.database.primary.patroni.pid])
        self.pause(*self.lost)

    def isolate_machine(self):
        """Separates the machine of the primary from the others, but not from the verifiers, until it is replaced."""
        for standby in self.database.standbys:
            self.network.separate(self.database.primary, standby)
        self.pause(*self.lost)

    def kill_etcd(self):
        member = self.random.choice(self.database.members)
        member.etcd.kill()
        member.etcd.wait()
        self.pause(0.5, 3)

    def stop_etcd(self):
        for member in self.random.sample(self.database.members, self.random.choice((1, 2))):
            send(signal.SIGSTOP, [member.etcd.pid])
        self.pause(1, 4)


class EtcdLane(ServerLane):
    """Faults of a cluster of etcd. Restoring a backup loses commits."""

    def fill(self, server):
        server.fill()
        self.pause(1, 3)

    def kill_all(self):
        for member in self.database.members:
            member.kill()
        self.pause(0, 1)

    def new_leader(self):
        """Has the leader give up its place."""
        other = self.standby().status()
        with contextlib.suppress(OSError, TypeError):
            self.database.primary.ask("maintenance/transfer-leadership", {"targetID": other["header"]["member_id"]})
        self.pause(0.5, 2)

    def restore_lossy(self):
        begin = time.monotonic()
        backup = postgresql.STATE / "backup"
        backup.unlink(missing_ok=True)
        run("etcdctl", "--endpoints", self.database.primary.client, "snapshot", "save", backup,
            env={"ETCDCTL_API": "3", "PATH": "/usr/bin:/bin"})
        self.pause(1, 3)
        self.database.restore_backup(backup, "token-%d" % self.made["restore-lossy"])
        self.history.event("loss", begin=begin)
