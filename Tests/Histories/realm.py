"""A realm on a private machine: a database, verifiers, and what a run reads from them."""

import os
import shutil
import time

import fleet
import postgresql
import verifiers
from fleet import Failure


class Realm:
    """The machines of a realm. `create` makes the database, which is not started yet."""

    def __init__(self, program, create):
        self.key = os.urandom(32)
        self.verifiers = []
        self.database = None
        self.log = None
        self.program, self.create = program, create

    def start(self, addresses):
        """Starts the database and a verifier for each address."""
        self.set_up_machine()
        self.database = self.create()
        self.database.start()
        for item in addresses.items():
            self.verifiers.append(verifiers.Verifier(*item, self.key, self.database.configuration()))
        self.database.set_up(self.verifiers[0])
        for verifier in self.verifiers:
            verifier.start()

    def set_up_machine(self):
        self.log = fleet.set_up_machine()
        postgresql.STATE.mkdir()
        postgresql.STATE.chmod(0o755)
        shutil.copy(self.program, verifiers.PROGRAM)
        os.chmod(verifiers.PROGRAM, 0o755)
        verifiers.set_up_accounts()
        verifiers.set_up_clock()

    def begin(self, history):
        """Writes what the checker has to know about the realm."""
        history.event("key", key=self.key.hex())
        history.event("policy", **verifiers.THROTTLE)

    # --- The audit log ---

    def record_log(self, history):
        """Records a copy of the audit log to which nothing was appended while it was read."""
        for _ in range(20):
            copy = self.database.copy_log()
            if copy == self.database.copy_log():
                history.event("audit", lines=copy[0], end=copy[1])
                return
            time.sleep(0.1)
        raise Failure("the audit log did not rest")

    # --- The end ---

    @property
    def machines(self):
        return self.verifiers + (self.database.members if self.database else [])

    def close(self):
        for machine in self.machines:
            for process in machine.processes:
                if process.poll() is None:
                    postgresql.send(9, postgresql.tree(process.pid))
                process.wait()
        if self.log:
            self.log.kill()

    def show_logs(self):
        for machine in self.machines:
            machine.logs()
        print((fleet.WORK / "log").read_text(errors="replace")[-3000:])
