"""What the gateways have in common: the message that they read, and the exit status.

See mfa-gateway(7).
"""

import datetime
import os
import signal
import sys

# Exit statuses (sysexits(3)). The message was not sent.
FAILED = 1
# Nothing was sent, and a second run may help (EX_TEMPFAIL).
AGAIN = 75
# The settings are not usable (EX_CONFIG).
NOT_CONFIGURED = 78
# Not an exit status: the message may have been sent.
UNKNOWN = -1
# Characters of ASCII that take 7 bits in a message, and those that take 14 (3GPP TS 23.038).
SEVEN_BITS = frozenset(
    "\n !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz")
FOURTEEN_BITS = frozenset("[\\]^{|}~")


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
    def is_plain(self):
        """Whether each modem can send the text with 7 or 14 bits for each character."""
        return (SEVEN_BITS | FOURTEEN_BITS).issuperset(self.text)


def main(send, prepare=lambda: 0):
    """Calls `prepare`, and if that returns 0, `send` with the message. Ends with an exit status that
    says what happened."""
    try:
        status = prepare() or send(Message())
    except (KeyError, ValueError):
        # The message is malformed, or a setting is missing.
        status = FAILED
    except OSError:
        # For example: the spool folder does not exist or is not writable, or the disk is full.
        status = FAILED
    # Nothing is printed: standard error is /dev/null, and a trace of calls could contain the code.
    if status == UNKNOWN:
        # No exit status says this. A gateway that a signal ends may have sent the message.
        os.kill(os.getpid(), signal.SIGKILL)
    os._exit(status)
