"""What the gateways have in common: the message that they read, and the deletion of spooled copies.

See mfa-gateway(7).
"""

import datetime
import os
import sys
import time

# The exit status that asks for a second run (EX_TEMPFAIL, sysexits(3)).
AGAIN = 75


class Message:
    """The message on the standard input."""

    def __init__(self):
        head, _, text = sys.stdin.buffer.read(4096).decode("utf-8").partition("\n\n")
        fields = dict(line.split(": ", 1) for line in head.split("\n"))
        self.to = fields["To"]
        self.id = fields["Id"]
        self.text = text.removesuffix("\n")
        expires = datetime.datetime.strptime(fields["Expires"], "%Y-%m-%dT%H:%M:%SZ")
        self.expires = expires.replace(tzinfo=datetime.timezone.utc).timestamp()

    @property
    def is_ascii(self):
        """Whether each modem can send the text with 7 bits for each character."""
        return self.text.isascii()


def put(text, folder, name):
    """Writes a file for the daemon of a spool folder, which finds it only when it is complete."""
    draft = os.path.join(folder, "." + name)
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(text)
    # The daemon is in the group of its folder.
    os.chown(draft, -1, os.stat(folder).st_gid)
    os.chmod(draft, 0o640)
    os.rename(draft, os.path.join(folder, name))


def remove(path):
    """Removes a file. Returns whether it existed."""
    try:
        os.unlink(path)
        return True
    except OSError:
        return False


def forget(message, name, outgoing, finished):
    """Deletes each copy of a message, in a process that outlives this one.

    The daemon moves the file from the folder `outgoing` to one of the folders `finished`, which has
    the code in it. If the daemon has not sent the message when its code expires, it must not send it
    any more.
    """
    if os.fork() != 0:
        return
    os.setsid()
    while time.time() < message.expires:
        if any([remove(os.path.join(folder, name)) for folder in finished]):
            os._exit(0)
        time.sleep(0.5)
    remove(os.path.join(outgoing, name))
    for folder in finished:
        remove(os.path.join(folder, name))
    os._exit(0)


def main(send):
    """Calls `send` with the message, and ends with an exit status that says what happened."""
    try:
        status = send(Message())
    except (KeyError, ValueError):
        # The message is malformed, or a setting is missing.
        status = 1
    except OSError:
        # For example: the spool folder does not exist or is not writable, or the disk is full.
        status = 1
    # Nothing is printed: standard error is /dev/null, and a trace of calls could contain the code.
    sys.stdout.flush()
    os._exit(status)
