"""A server of PostgreSQL on a machine of its own, with its data on a small file system in memory."""

import contextlib
import glob
import os
import pathlib
import shutil
import signal
import subprocess
import time

from fleet import Machine, run, succeeds, tree

NETWORK = "10.77.0.0/24"
STATE = pathlib.Path("/var/lib/mfa-histories")
PROGRAMS = pathlib.Path(sorted(glob.glob("/usr/lib/postgresql/*/bin"))[-1])
# The size of the file system of a server, in MiB. The data take about 30.
SIZE = 128
# Short times, so that a run has many faults: a lost standby is noticed after some seconds.
SETTINGS = {
    "wal_level": "replica", "hot_standby": "on", "max_connections": "100", "shared_buffers": "16MB",
    "min_wal_size": "4MB", "max_wal_size": "16MB", "wal_keep_size": "8MB", "wal_sender_timeout": "3s",
    "wal_receiver_timeout": "3s", "wal_receiver_status_interval": "1s", "wal_retrieve_retry_interval": "300ms",
    "tcp_user_timeout": "5s", "tcp_keepalives_idle": "2", "tcp_keepalives_interval": "1",
    "tcp_keepalives_count": "3",
}
# The length of a WAL segment in MiB: with short segments, a full file system is noticed soon.
SEGMENT = 1


def is_running(process):
    """Returns whether a process exists and has not ended."""
    with contextlib.suppress(OSError):
        return pathlib.Path("/proc/%d/stat" % process).read_text().rpartition(")")[2].split()[0] not in "ZX"
    return False


def send(number, processes):
    for process in processes:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, number)


class Server(Machine):
    """A machine with a server. `leader` returns the number of its first process, which a subclass may find elsewhere."""

    def __init__(self, name, address):
        super().__init__(name, address)
        self.disk = STATE / name
        self.disk.mkdir()
        run("mount", "-t", "tmpfs", "-o", "size=%dm,mode=0700" % SIZE, "histories-" + name, self.disk)
        shutil.chown(self.disk, "postgres", "postgres")
        self.data = self.disk / "data"
        self.ballast = self.disk / "ballast"

    def unmount(self):
        run("umount", "--lazy", self.disk)

    def sql(self, text, database="postgres", seconds=5):
        """Returns the first value of a statement of the superuser, as text."""
        return run(PROGRAMS / "psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-d",
                   "host=%s user=postgres dbname=%s connect_timeout=%d" % (self.address, database, 2), "-c", text,
                   env={**os.environ, "PGOPTIONS": "-c statement_timeout=%ds" % seconds}).strip()

    def answers(self):
        """Returns whether the server answers, as a primary or as a standby."""
        return succeeds(PROGRAMS / "pg_isready", "-h", self.address, "-t", "1")

    def leader(self):
        """Returns the number of the first process of the server, or None if it does not run."""
        with contextlib.suppress(OSError, ValueError, IndexError):
            process = int((self.data / "postmaster.pid").read_text().split()[0])
            if is_running(process) and pathlib.Path("/proc/%d/comm" % process).read_text().strip() == "postgres":
                return process
        return None

    def running(self):
        """Returns the numbers of all processes of the server."""
        leader = self.leader()
        return [] if leader is None else tree(leader)

    def kill(self):
        """Ends all processes of the server at once, as a crash does."""
        ended = self.running()
        send(signal.SIGKILL, ended)
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline and any(map(is_running, ended)):
            for process in self.processes:
                process.poll()
            time.sleep(0.02)

    # --- Disks ---

    def fill(self):
        """Fills the file system."""
        free = os.statvfs(self.disk)
        with open(self.ballast, "wb") as file, contextlib.suppress(OSError):
            os.posix_fallocate(file.fileno(), 0, free.f_bavail * free.f_frsize)

    def empty(self):
        self.ballast.unlink(missing_ok=True)

    def slow_down(self, milliseconds):
        """Delays each synchronisation of the running processes. Returns the tracer, which ends the delay when it ends.

        No device mapper is needed: strace(1) delays the system calls.
        """
        arguments = ["strace", "--quiet=all", "--output=/dev/null", "--trace=fsync,fdatasync", "--follow-forks",
                     "--inject=fsync,fdatasync:delay_enter=%dms" % milliseconds]
        for process in self.running():
            arguments += ["--attach=%d" % process]
        return subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


# --- The database of a realm ---

def configuration(servers):
    """Returns the line of verifier.conf for several servers."""
    return "database = hostaddr=%s dbname=mfa user=mfa_verifier sslmode=disable connect_timeout=2\n" % ",".join(
        server.address for server in servers)


def create_database(primary):
    primary.sql("CREATE DATABASE mfa", seconds=20)
    primary.sql("GRANT CREATE ON DATABASE mfa TO mfa_owner")


def set_up_schema(primary):
    """Creates the schema and the realm, or brings the functions of the schema up to date."""
    run("mfa-verifier", "setup", "--owner", "hostaddr=%s dbname=mfa user=mfa_owner" % primary.address, "--role",
        "mfa_verifier")


def copy_log(primary):
    """Returns the lines of the audit log and its sealed end, as the realm has them."""
    lines = primary.sql("SELECT encode(line, 'hex') FROM mfa.log ORDER BY number", "mfa").split()
    end = primary.sql("SELECT encode(sealed_end, 'hex') FROM mfa.log_end", "mfa")
    return [bytes.fromhex(line).decode() for line in lines], end
