"""Checks the history of a run against what a realm promises.

    checker.py FILE     prints the violations in a history that a run has written

The rules, each of which must hold whatever fails:

once        a code, that is a time step of a factor, is accepted once
rising      of two accepted codes of a factor, the one that was requested after the other was accepted has a
            later time step
answer      repeated requests with the same nonce get the same result of a comparison
throttle    no code is compared while the failures before it require a wait, or have locked the factors
revocation  nothing is accepted for a factor, or from a host, after its revocation was acknowledged
audit       the audit log is one chain up to its sealed end, an earlier copy of it is its beginning, and it has
            each acknowledged change

An operation that ended without a result may have been carried out at any time after it began. A loss is a failover
or restore that may have lost commits: acknowledged revocations, failures and lines of the audit log may be gone
after it. `once` and `rising` hold all the same.
"""

import collections
import hashlib
import hmac
import math
import struct
import sys

import history

# Results for which a code was compared.
COMPARED = ("accepted", "wrong", "replayed")
FAILED = ("wrong", "replayed")
# For how long after it began an operation without a result may still be carried out, in seconds. No fault of a run
# lasts longer, and a process of the service ends after 60 seconds of work.
SETTLED = 120
# Times in the store are whole seconds.
ROUNDING = 1.0
# The lines of the audit log that acknowledged operations leave.
EVENTS = {"enrol": "enrolled", "revoke-user": "revoked", "unlock": "unlocked", "join": "host-joined",
          "revoke-host": "host-revoked"}


class Policy:
    """The part of the policy that limits attempts."""

    def __init__(self, after=5, first=30, longest=900, locked=100):
        self.after, self.first, self.longest, self.locked = after, first, longest, locked

    def wait(self, failures):
        """Returns the wait in seconds that follows consecutive failures."""
        if failures < self.after:
            return 0
        return min(self.first << min(failures - self.after, 17), self.longest)


class Violation:
    """A broken rule, with the operations that show it."""

    def __init__(self, rule, text, *operations):
        self.rule, self.text, self.operations = rule, text, operations

    def __str__(self):
        return "%s: %s" % (self.rule, self.text)


class Request:
    """The sign-ins with one nonce: one request, which may have been repeated at several verifiers."""

    def __init__(self, tries):
        self.tries = tries
        self.first = tries[0]
        self.begin = min(single.begin for single in tries)
        self.compared = [single for single in tries if single.result in COMPARED]
        # The result was committed before it was first told.
        self.end = min((single.end for single in self.compared), default=math.inf)
        self.results = {single.result for single in self.compared}
        self.is_accepted = "accepted" in self.results
        self.is_failure = bool(self.results) and not self.is_accepted

    @property
    def settled(self):
        """The time after which the request changes nothing any more."""
        return self.end if self.results else self.begin + SETTLED


class Checker:
    """The operations of a history, ordered by what they concern."""

    def __init__(self, records):
        self.records = records
        self.operations = history.operations(records)
        self.violations = []
        # Comparisons that a wait was required for.
        self.waits_checked = 0
        self.losses = [(record["begin"], record["time"]) for record in records if record["type"] == "loss"]
        policies = [record for record in records if record["type"] == "policy"]
        self.policy = Policy(*(policies[0][key] for key in ("after", "first", "longest", "locked"))) if policies \
            else Policy()
        nonces = collections.defaultdict(list)
        for operation in self.operations:
            if operation.name == "sign-in":
                nonces[operation.nonce].append(operation)
        self.requests = [Request(tries) for tries in nonces.values()]

    def named(self, *names):
        return [operation for operation in self.operations if operation.name in names]

    def report(self, rule, text, *operations):
        self.violations.append(Violation(rule, text, *operations))

    def may_be_lost(self, operation):
        """Returns whether a failover may have lost what an operation has changed."""
        return any(begin <= operation.end and operation.begin <= end for begin, end in self.losses)

    def check(self):
        self.check_steps()
        self.check_answers()
        self.check_throttle()
        self.check_users()
        self.check_hosts()
        self.check_audit()
        return self.violations

    # --- Codes ---

    def check_steps(self):
        factors = collections.defaultdict(list)
        for request in self.requests:
            if not request.is_accepted:
                continue
            if request.first.step is None:
                self.report("once", "%s was accepted with a code of no time step" % request.first.user, request)
            else:
                factors[request.first.factor].append(request)
        for factor, accepted in factors.items():
            steps = {}
            for request in accepted:
                other = steps.setdefault(request.first.step, request)
                if other is not request:
                    self.report("once", "step %d of %s's factor %s was accepted twice, at %.3f and at %.3f" % (
                        request.first.step, request.first.user, factor, other.end, request.end), other, request)
            self.check_order(accepted)

    def check_order(self, accepted):
        """Finds a code that was accepted although a later one had been accepted before it was requested."""
        ended = sorted(accepted, key=lambda request: request.end)
        latest, position = None, 0
        for request in sorted(accepted, key=lambda request: request.begin):
            while ended[position].end < request.begin:
                if latest is None or ended[position].first.step > latest.first.step:
                    latest = ended[position]
                position += 1
            if latest is not None and request.first.step < latest.first.step:
                self.report("rising", "%s was accepted with step %d after step %d" % (
                    request.first.user, request.first.step, latest.first.step), latest, request)

    def check_answers(self):
        for request in self.requests:
            if request.is_accepted and len(request.results) > 1 and not any(map(self.may_be_lost, request.compared)):
                self.report("answer", "a request of %s was answered with %s" % (
                    request.first.user, " and ".join(sorted(request.results))), request)

    # --- Failures ---

    def check_throttle(self):
        users = collections.defaultdict(list)
        for request in self.requests:
            users[request.first.user].append(request)
        changes = collections.defaultdict(list)
        for operation in self.named("unlock", "revoke-user", "enrol"):
            changes[operation.user].append((operation.begin, min(operation.end, operation.begin + SETTLED), None))
        for user, requests in users.items():
            resets = changes[user] + [(begin, end, None) for begin, end in self.losses] + [
                (request.begin, request.settled, request) for request in requests
                if request.is_accepted or not request.results and request.first.step is not None]
            failures = [request for request in requests if request.is_failure]
            for request in requests:
                if request.results:
                    self.check_wait(request, failures, resets)

    def check_wait(self, request, failures, resets):
        """Finds the failures that certainly counted when a code was compared."""
        # What began later than the result cannot have cleared the failures before.
        cleared = max((end for begin, end, reset in resets if begin < request.end and reset is not request),
                      default=-math.inf)
        counted = [failure for failure in failures if failure.begin > cleared and failure.end < request.begin]
        if not counted:
            return
        if len(counted) >= self.policy.locked:
            self.report("throttle", "a code of %s was compared after %d failures" % (
                request.first.user, len(counted)), request)
            return
        wait = self.policy.wait(len(counted))
        if wait == 0:
            return
        self.waits_checked += 1
        # The times by the clocks of the verifiers that decided, which may have been wrong.
        last = max(failure.begin + min(single.slow for single in failure.tries) for failure in counted)
        now = request.end + max(single.fast for single in request.tries)
        if now - last < wait - ROUNDING:
            self.report("throttle", "a code of %s was compared %.1f s after %d failures, which require %d s" % (
                request.first.user, now - last, len(counted), wait), request)

    # --- Revocation ---

    def check_users(self):
        enrolments = collections.defaultdict(list)
        for operation in self.named("enrol"):
            if operation.result == "done":
                enrolments[operation.user].append(operation)
        revoked = {}
        for operation in self.named("revoke-user"):
            if operation.result != "done" or self.may_be_lost(operation):
                continue
            for enrolment in enrolments[operation.user]:
                if enrolment.end < operation.begin:
                    earlier = revoked.setdefault(enrolment.factor, operation)
                    if operation.end < earlier.end:
                        revoked[enrolment.factor] = operation
        for request in self.requests:
            revocation = revoked.get(request.first.factor)
            if request.is_accepted and revocation is not None and request.begin > revocation.end:
                self.report("revocation", "%s was accepted with factor %s, %.1f s after its revocation" % (
                    request.first.user, request.first.factor, request.end - revocation.end), revocation, request)

    def check_hosts(self):
        """A host that joins again, or is revoked, is not served with its earlier certificates."""
        ends = [operation for operation in self.named("revoke-host", "join")
                if operation.result == "done" and not self.may_be_lost(operation)]
        joined = {(operation.host, operation.serial): operation for operation in self.named("join")
                  if operation.result == "done"}
        for request in self.requests:
            for single in request.compared:
                joining = joined.get((single.host, single.serial))
                for end in ends if joining is not None else []:
                    if end.host == single.host and joining.end < end.begin and single.begin > end.end:
                        self.report("revocation", "a code was compared for %s, %.1f s after its certificate ended" % (
                            single.host, single.end - end.end), end, request)
                        break

    # --- The audit log ---

    def check_audit(self):
        keys = [record["key"] for record in self.records if record["type"] == "key"]
        copies = [record for record in self.records if record["type"] == "audit"]
        earlier = None
        for copy in copies:
            fault = broken(bytes.fromhex(keys[0]), copy["lines"], bytes.fromhex(copy["end"]))
            if fault:
                self.report("audit", fault)
                return
            if earlier is not None and copy["lines"][:len(earlier["lines"])] != earlier["lines"] \
                    and not any(begin <= copy["time"] and earlier["time"] <= end for begin, end in self.losses):
                self.report("audit", "lines that were read at %.3f had changed at %.3f" % (
                    earlier["time"], copy["time"]))
            earlier = copy
        if earlier is not None:
            self.check_entries(earlier)

    def check_entries(self, copy):
        """Compares the numbers of lines with the operations that were acknowledged, and with those that were tried."""
        found = collections.Counter()
        for line in copy["lines"]:
            pairs = dict(pair.split("=", 1) for pair in line.split())
            found[pairs["event"], self.subject(pairs)] += 1
        tried, certain = collections.Counter(), collections.Counter()
        for operation in self.named(*EVENTS):
            if operation.begin > copy["time"]:
                continue
            entry = EVENTS[operation.name], operation.details.get("user") or operation.details.get("host")
            tried[entry] += 1
            if operation.result == "done" and operation.end < copy["time"] and not self.may_be_lost(operation):
                certain[entry] += 1
        for entry in certain:
            if found[entry] < certain[entry]:
                self.report("audit", "the log has %d lines about %s of %s, and %d were acknowledged" % (
                    found[entry], *entry, certain[entry]))
        for entry in found:
            if entry[0] in EVENTS.values() and found[entry] > tried[entry]:
                self.report("audit", "the log has %d lines about %s of %s, and %d were requested" % (
                    found[entry], *entry, tried[entry]))

    @staticmethod
    def subject(pairs):
        return pairs["name"] if pairs["event"].startswith("host-") else pairs["user"]


def broken(key, lines, end):
    """Returns what is wrong with the chain of an audit log, or None. `key` is the sealing key of the realm."""
    checksums = hmac.digest(key, b"mfa checksum key, version 1", hashlib.sha256)
    value, length = bytes(32), 0
    for index, line in enumerate(lines, 1):
        body, separator, trailer = line.rpartition(" chain=")
        if not separator or not body.startswith("n=%d " % index):
            return "line %d of the audit log has another number" % index
        value = hmac.digest(checksums, b"\4" + value + body.encode(), hashlib.sha256)
        if trailer.rstrip("\n") != value.hex():
            return "line %d of the audit log does not follow the line before it" % index
        length += len(line.encode())
    content = struct.pack(">BIq", 1, len(lines), length) + value
    if end != content + hmac.digest(checksums, b"\x10" + content, hashlib.sha256) and (lines or end):
        return "the sealed end of the audit log is not its last line, %d" % len(lines)
    return None


def main():
    if len(sys.argv) != 2:
        print("usage: checker.py FILE", file=sys.stderr)
        return 64
    violations = Checker(history.read(sys.argv[1])).check()
    for violation in violations:
        print(violation)
    print("%d violations" % len(violations))
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
