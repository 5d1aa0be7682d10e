"""Three members of etcd, with their data on small file systems in memory."""

import base64
import contextlib
import json
import shutil
import signal
import time
import urllib.request

from fleet import Failure, run, wait_for
from members import Members
from postgresql import Server, send, tree

ADDRESSES = {"etcd1": "10.77.0.41", "etcd2": "10.77.0.42", "etcd3": "10.77.0.43"}
PREFIX = b"/mfa/"
# What precedes the number in the value of the log's end: the token of the commit.
TOKEN = 8


class Member(Server):
    """A machine with a member."""

    etcd = None

    @property
    def client(self):
        return "http://%s:2379" % self.address

    def start(self, *arguments):
        if self.etcd is not None and self.etcd.poll() is None:
            return
        own = "http://%s:2380" % self.address
        self.etcd = self.spawn(
            "etcd", "--name", self.name, "--data-dir", self.data, "--listen-peer-urls", own,
            "--initial-advertise-peer-urls", own, "--listen-client-urls", self.client, "--advertise-client-urls",
            self.client, "--initial-cluster", peers(), "--log-level", "error", "--logger", "zap",
            "--auto-compaction-mode", "revision", "--auto-compaction-retention", "1000", *arguments)

    def running(self):
        return tree(self.etcd.pid) if self.etcd is not None and self.etcd.poll() is None else []

    def kill(self):
        send(signal.SIGKILL, self.running())
        self.etcd.wait()

    def ask(self, method, body, seconds=2):
        """Returns the answer of the member to a request of the JSON interface."""
        request = urllib.request.Request(self.client + "/v3/" + method, json.dumps(body).encode())
        with urllib.request.urlopen(request, timeout=seconds) as answer:
            return json.load(answer)

    def status(self):
        """Returns the status, or None if the member does not answer."""
        with contextlib.suppress(OSError, ValueError):
            return self.ask("maintenance/status", {})
        return None


def peers():
    return ",".join("%s=http://%s:2380" % item for item in ADDRESSES.items())


class EtcdCluster(Members):
    """The cluster. `primary` is the leader that was seen last."""

    name = "etcd"
    # The part of the faults that concern the database.
    share = 0.4
    kinds = ("kill-primary", "kill-standby", "kill-all", "stop-primary", "stop-standby", "isolate-standby",
             "isolate-primary", "cut-verifier", "cut-one-way", "slow-primary", "slow-standby", "full-primary",
             "full-standby", "new-leader", "restore-lossy")

    def __init__(self):
        super().__init__([Member(*item) for item in ADDRESSES.items()])

    def configuration(self):
        """The lines of verifier.conf."""
        return "engine = etcd\nendpoints = %s\n" % " ".join(member.client for member in self.members)

    def start(self):
        for member in self.members:
            member.start()
        self.wait_until_healthy()

    def set_up(self, verifier):
        """Creates the realm, as the verifier that is set up."""
        if verifier.administer("setup") is None:
            raise Failure("the realm could not be created")

    def is_healthy(self):
        """Returns whether all members follow one leader, and have its entries."""
        found = [member.status() for member in self.members]
        if None in found or len({status.get("leader") for status in found}) != 1 or not found[0].get("leader"):
            return False
        indices = [int(status["raftAppliedIndex"]) for status in found]
        for member, status in zip(self.members, found):
            if status["header"]["member_id"] == status["leader"]:
                self.primary = member
        return max(indices) - min(indices) < 50

    def wait_until_healthy(self):
        wait_for("etcd", self.is_healthy)

    def restore(self):
        for member in self.members:
            send(signal.SIGCONT, member.running())
            member.empty()
            member.start()
        deadline = time.monotonic() + 60
        while not self.is_healthy():
            if time.monotonic() > deadline:
                raise Failure("etcd did not recover")
            # A member ends if its disk is full.
            for member in self.members:
                member.start()
            self.disarm()
            time.sleep(0.2)
        self.disarm()

    def disarm(self):
        """Ends the alarm of a full disk, after which a member accepts no changes."""
        for member in self.members:
            with contextlib.suppress(OSError, ValueError):
                for alarm in member.ask("maintenance/alarm", {"action": "GET"}).get("alarms", []):
                    member.ask("maintenance/alarm", {"action": "DEACTIVATE", "memberID": alarm["memberID"],
                                                     "alarm": alarm["alarm"]})
                return

    def restore_backup(self, backup, token):
        """Begins a new cluster from a backup."""
        for member in self.members:
            member.kill()
            shutil.rmtree(member.data)
            run("etcdctl", "snapshot", "restore", backup, "--name", member.name, "--data-dir", member.data,
                "--initial-cluster", peers(), "--initial-cluster-token", token, "--initial-advertise-peer-urls",
                "http://%s:2380" % member.address, env={"ETCDCTL_API": "3", "PATH": "/usr/bin:/bin"})
        for member in self.members:
            member.start()
        self.wait_until_healthy()

    # --- The audit log ---

    def copy_log(self):
        """Returns the lines of the audit log and its sealed end, as the realm has them."""
        def encoded(key):
            return base64.b64encode(PREFIX + key).decode()
        try:
            lines = self.primary.ask("kv/range", {"key": encoded(b"line/"), "range_end": encoded(b"line0")}, 10)
            end = self.primary.ask("kv/range", {"key": encoded(b"log-end")})
        except OSError as error:
            raise Failure("etcd does not answer: %s" % error) from error
        values = [base64.b64decode(pair["value"]) for pair in lines.get("kvs", [])]
        last = b"".join(base64.b64decode(pair["value"]) for pair in end.get("kvs", []))
        return [value[4:4 + int.from_bytes(value[:4], "big")].decode() for value in values], last[TOKEN + 4:].hex()
