"""The files that gateways put into the folders of daemons, and their deletion.

A daemon takes a file from a folder of outgoing files, may keep it in other folders while it waits,
and may put a copy into folders of finished files, where the code would stay readable. The name of
each file has the time when its message expires, so that each later process can delete it:

    mfa-1801386359-0123456789abcdef, with what the daemon needs before and after

See mfa-gateway(7).
"""

import contextlib
import os
import re
import socket
import struct
import time

import gateway

NAME = re.compile(r"mfa-([0-9]{10,11})-[0-9a-f]{16}")
# How long a file may stay, in seconds, even if its message is valid for longer.
LONGEST = 3600
# A draft that is older, in seconds, belongs to a gateway that was killed: that happens after 10.
OLD_DRAFT = 15
# The seconds between two looks at the folders.
INTERVAL = 0.5


def setting(path, key, default=None):
    """The last value of a key in a configuration file with lines `key = value`."""
    return dict(settings(path)).get(key, default)


def settings(path, section=None):
    """The keys and values in a configuration file, of all sections or of one. A key that appears
    more than once has its last value."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            lines = file.read().split("\n")
    except OSError:
        return []
    values, found = [], None
    for line in lines:
        head = re.match(r"\s*\[(.+)\]", line)
        found = head[1].lower() if head else found
        pair = re.match(r"\s*(\w+)\s*=\s*(\S+)", line)
        if pair and section in (None, found):
            values.append((pair[1].lower(), pair[2]))
    return values


def remove(path):
    """Removes a file if that is possible."""
    with contextlib.suppress(OSError):
        os.unlink(path)


def entries(folder):
    """The files of gateways in a folder, drafts included: path, time of expiry, and time of the
    last change."""
    found = []
    with contextlib.suppress(OSError), os.scandir(folder) as folder_entries:
        for entry in folder_entries:
            name = NAME.search(entry.name)
            with contextlib.suppress(OSError):
                if name and entry.is_file(follow_symlinks=False):
                    changed = entry.stat(follow_symlinks=False).st_mtime
                    found.append((entry.path, int(name[1]), changed))
    return found


def is_old(path, expires, changed):
    """Whether a file must go. A clock that was set can show times in the future."""
    now = time.time()
    is_draft = os.path.basename(path).startswith(".")
    return now >= expires or abs(now - changed) > (OLD_DRAFT if is_draft else LONGEST)


class Spool:
    """The folders of a daemon."""

    def __init__(self, outgoing, waiting, finished):
        self.outgoing = outgoing
        # Folders of files that are not sent yet.
        self.waiting = waiting
        # Folders of copies.
        self.finished = finished

    @property
    def is_safe(self):
        """Whether the files that the daemon makes can be deleted, and other users cannot read them.
        They can belong to the daemon, and only the owner deletes from a folder with the sticky bit."""
        for folder in [*self.waiting, *self.finished]:
            try:
                mode = os.stat(folder).st_mode
            except FileNotFoundError:
                # The daemon cannot put a file there.
                continue
            except OSError:
                return False
            if mode & 0o1007 or not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
                return False
        return True

    def name(self, message):
        """The part of a file's name that identifies the message."""
        return f"mfa-{int(min(message.expires, time.time() + LONGEST)):010}-{message.id}"

    def put(self, content, name):
        """Writes a file for the daemon, which finds it only when it is complete."""
        draft = os.path.join(self.outgoing, "." + name)
        try:
            descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
                # The daemon is in the group of its folder.
                os.fchown(descriptor, -1, os.stat(self.outgoing).st_gid)
                os.fchmod(descriptor, 0o640)
            os.rename(draft, os.path.join(self.outgoing, name))
        finally:
            remove(draft)

    def sweep(self):
        """Deletes copies, expired files and old drafts. Returns whether files are left that must be
        deleted later."""
        for folder in self.finished:
            for path, _, _ in entries(folder):
                remove(path)
        is_complete = True
        for folder in [self.outgoing, *self.waiting]:
            for entry in entries(folder):
                if is_old(*entry):
                    remove(entry[0])
                else:
                    is_complete = False
        return not is_complete

    def is_watched(self, claim):
        """Whether another process of this user watches the folders. If not, the socket `claim` says from
        now on that this one does. Other users can take the name, as they can lock every file that they
        can read, but the kernel says whose socket it is."""
        status = os.stat(self.outgoing)
        name = f"\0mfa-gateway-{status.st_dev}-{status.st_ino}"
        with contextlib.suppress(OSError):
            claim.bind(name)
            claim.listen()
            return False
        with socket.socket(socket.AF_UNIX) as other, contextlib.suppress(OSError):
            other.setblocking(False)
            other.connect(name)
            peer = other.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("iII"))
            return struct.unpack("iII", peer)[1] == os.geteuid()
        return False

    def watch(self):
        """Sweeps until no file is left. Returns at once if another process does that: it looks for
        files again after it has given its claim back."""
        while self.sweep():
            with socket.socket(socket.AF_UNIX) as claim:
                claim.setblocking(False)
                if self.is_watched(claim):
                    return
                while self.sweep():
                    time.sleep(INTERVAL)
                    # The queue stays empty for those who ask.
                    with contextlib.suppress(OSError):
                        while True:
                            claim.accept()[0].close()

    def prepare(self):
        """Starts a process that outlives this one and its time limit, and watches the folders as
        soon as this one has ended. Called before the message is read, so that the process does not
        have the code. At most one such process stays. Returns an exit status if files could stay, or
        other users could read them."""
        if not self.is_safe:
            return gateway.NOT_CONFIGURED
        self.sweep()
        reading, writing = os.pipe()
        if os.fork() != 0:
            os.close(reading)
            return 0
        try:
            os.setsid()
            os.close(writing)
            os.read(reading, 1)
            self.watch()
        finally:
            os._exit(0)


def gammu():
    """The folders of gammu-smsd with its FILES backend."""
    def folder(key, default):
        return setting("/etc/gammu-smsdrc", key, "/var/spool/gammu/" + default)
    return Spool(
        folder("outboxpath", "outbox/"), [],
        [folder("sentsmspath", "sent/"), folder("errorsmspath", "error/")])


def smstools():
    """The folders of smsd of the SMS Server Tools 3, which sends from `checked` or from the folders
    of its queues."""
    path = "/etc/smsd.conf"
    waiting = [setting(path, "checked", "/var/spool/sms/checked")]
    waiting += [folder for _, folder in settings(path, section="queues")]
    finished = [setting(path, "sent"), setting(path, "failed")]
    return Spool(
        setting(path, "outgoing", "/var/spool/sms/outgoing"), waiting,
        [folder for folder in finished if folder])
