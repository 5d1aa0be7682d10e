#!/usr/bin/env python3
"""Shows that the checker finds each kind of violation in histories that are written by hand, and nothing else."""

import hashlib
import hmac
import pathlib
import struct
import sys
import tempfile
import unittest

import history
from checker import Checker

KEY = bytes(range(32))


def chain(*bodies):
    """Returns lines of an audit log, and the sealed end after them."""
    checksums = hmac.digest(KEY, b"mfa checksum key, version 1", hashlib.sha256)
    value, lines = bytes(32), []
    for number, body in enumerate(bodies, 1):
        body = "n=%d %s" % (number, body)
        value = hmac.digest(checksums, b"\4" + value + body.encode(), hashlib.sha256)
        lines.append("%s chain=%s\n" % (body, value.hex()))
    content = struct.pack(">BIq", 1, len(lines), sum(map(len, lines))) + value
    return lines, (content + hmac.digest(checksums, b"\x10" + content, hashlib.sha256)).hex()


class Written:
    """A history that a test writes, with times of its own."""

    def __init__(self):
        self.records = [{"type": "key", "time": 0, "key": KEY.hex()},
                        {"type": "policy", "time": 0, "after": 3, "first": 10, "longest": 20, "locked": 6}]
        self.number = 0

    def add(self, begin, end, operation, result, slow=0, fast=0, factor_made=None, **details):
        self.number += 1
        self.records.append({"type": "invoke", "time": begin, "number": self.number, "operation": operation, **details})
        if end is not None:
            made = {} if factor_made is None else {"factor": factor_made}
            self.records.append({"type": "result", "time": end, "number": self.number, "result": result,
                                 "slow": slow, "fast": fast, **made})
        return self

    def sign_in(self, begin, end, result, step=None, nonce=None, factor="f1", user="ada", host="web", serial="01",
                **offsets):
        return self.add(begin, end, "sign-in", result, user=user, factor=factor, step=step, host=host, serial=serial,
                        nonce=nonce or "nonce %d" % self.number, **offsets)

    def enrol(self, begin, end, factor, user="ada"):
        return self.add(begin, end, "enrol", "done", factor_made=factor, user=user)

    def loss(self, begin, end):
        self.records.append({"type": "loss", "time": end, "begin": begin})
        return self

    def audit(self, time, lines, end):
        self.records.append({"type": "audit", "time": time, "lines": lines, "end": end})
        return self

    def rules(self):
        return [violation.rule for violation in Checker(self.records).check()]


class CodeTests(unittest.TestCase):
    def test_codes_of_rising_steps_are_accepted(self):
        self.assertEqual(Written().sign_in(1, 2, "accepted", 5).sign_in(3, 4, "accepted", 6).rules(), [])

    def test_code_that_is_accepted_twice(self):
        written = Written().sign_in(1, 4, "accepted", 5).sign_in(2, 3, "accepted", 5)
        self.assertEqual(written.rules(), ["once"])

    def test_same_step_of_another_factor(self):
        written = Written().sign_in(1, 2, "accepted", 5).sign_in(3, 4, "accepted", 5, factor="f2")
        self.assertEqual(written.rules(), [])

    def test_code_that_is_accepted_twice_after_a_loss(self):
        written = Written().sign_in(1, 2, "accepted", 5).loss(1, 3).sign_in(4, 5, "accepted", 5)
        self.assertEqual(written.rules(), ["once"])

    def test_wrong_code_that_is_accepted(self):
        self.assertEqual(Written().sign_in(1, 2, "accepted", None).rules(), ["once"])

    def test_repeated_request_gets_the_same_answer(self):
        written = Written().sign_in(1, None, "unknown", 5, "n").sign_in(2, 3, "accepted", 5, "n")
        self.assertEqual(written.sign_in(4, 5, "accepted", 5, "n").rules(), [])

    def test_repeated_request_gets_another_answer(self):
        written = Written().sign_in(1, 2, "accepted", 5, "n").sign_in(3, 4, "replayed", 5, "n")
        self.assertEqual(written.rules(), ["answer"])

    def test_earlier_step_after_a_later_one(self):
        written = Written().sign_in(1, 2, "accepted", 6).sign_in(3, 4, "accepted", 5)
        self.assertEqual(written.rules(), ["rising"])

    def test_steps_in_any_order_at_the_same_time(self):
        written = Written().sign_in(1, 4, "accepted", 6).sign_in(3, 5, "accepted", 5)
        self.assertEqual(written.rules(), [])

    def test_earlier_step_whose_request_began_before_and_was_repeated(self):
        written = Written().sign_in(1, None, "unknown", 5, "n").sign_in(2, 3, "accepted", 6)
        self.assertEqual(written.sign_in(4, 5, "accepted", 5, "n").rules(), [])


class ThrottleTests(unittest.TestCase):
    @staticmethod
    def failures(count, gap=1.0):
        written = Written()
        for number in range(count):
            written.sign_in(number * gap, number * gap + 0.5, "wrong")
        return written

    def test_comparison_within_the_wait(self):
        self.assertEqual(self.failures(3).sign_in(5, 6, "wrong").rules(), ["throttle"])

    def test_right_code_within_the_wait(self):
        self.assertEqual(self.failures(3).sign_in(5, 6, "accepted", 5).rules(), ["throttle"])

    def test_comparison_after_the_wait(self):
        self.assertEqual(self.failures(3).sign_in(12, 13, "wrong").rules(), [])

    def test_wait_doubles(self):
        written = self.failures(3).sign_in(12, 13, "wrong").sign_in(24, 25, "wrong")
        self.assertEqual(written.rules(), ["throttle"])

    def test_refusal_within_the_wait(self):
        self.assertEqual(self.failures(3).sign_in(5, 6, "throttled").rules(), [])

    def test_comparison_after_the_lock(self):
        self.assertEqual(self.failures(6, 50).sign_in(1000, 1001, "wrong").rules(), ["throttle"])

    def test_success_clears_failures(self):
        self.assertEqual(self.failures(2).sign_in(3, 4, "accepted", 5).sign_in(5, 6, "wrong").rules(), [])

    def test_request_without_a_result_may_have_cleared_failures(self):
        written = self.failures(3).sign_in(3, None, "unknown", 5).sign_in(5, 6, "wrong")
        self.assertEqual(written.rules(), [])

    def test_wrong_code_without_a_result_clears_nothing(self):
        written = self.failures(3).sign_in(3, None, "unknown").sign_in(5, 6, "wrong")
        self.assertEqual(written.rules(), ["throttle"])

    def test_unlocking_clears_failures(self):
        written = self.failures(3).add(3, 4, "unlock", "done", user="ada").sign_in(5, 6, "wrong")
        self.assertEqual(written.rules(), [])

    def test_failures_of_another_user(self):
        self.assertEqual(self.failures(3).sign_in(5, 6, "wrong", user="bob").rules(), [])

    def test_failures_that_were_not_answered_yet(self):
        written = self.failures(2).sign_in(2, 9, "wrong").sign_in(5, 6, "wrong")
        self.assertEqual(written.rules(), [])

    def test_lost_failures(self):
        self.assertEqual(self.failures(3).loss(0, 4).sign_in(5, 6, "wrong").rules(), [])

    def test_clock_that_was_ahead(self):
        self.assertEqual(self.failures(3).sign_in(5, 6, "wrong", slow=40, fast=40).rules(), [])


class RevocationTests(unittest.TestCase):
    def test_revoked_user(self):
        written = Written().enrol(1, 2, "f1").add(3, 4, "revoke-user", "done", user="ada")
        self.assertEqual(written.sign_in(5, 6, "accepted", 5).rules(), ["revocation"])

    def test_sign_in_at_the_time_of_the_revocation(self):
        written = Written().enrol(1, 2, "f1").add(3, 6, "revoke-user", "done", user="ada")
        self.assertEqual(written.sign_in(5, 7, "accepted", 5).rules(), [])

    def test_revocation_without_acknowledgement(self):
        written = Written().enrol(1, 2, "f1").add(3, 4, "revoke-user", "unknown", user="ada")
        self.assertEqual(written.sign_in(5, 6, "accepted", 5).rules(), [])

    def test_lost_revocation(self):
        written = Written().enrol(1, 2, "f1").add(3, 4, "revoke-user", "done", user="ada").loss(3, 5)
        self.assertEqual(written.sign_in(6, 7, "accepted", 5).rules(), [])

    def test_revocation_before_a_loss(self):
        written = Written().enrol(1, 2, "f1").add(3, 4, "revoke-user", "done", user="ada").loss(5, 6)
        self.assertEqual(written.sign_in(7, 8, "accepted", 5).rules(), ["revocation"])

    def test_user_who_enrolled_again(self):
        written = Written().enrol(1, 2, "f1").add(3, 4, "revoke-user", "done", user="ada").enrol(5, 6, "f2")
        self.assertEqual(written.sign_in(7, 8, "accepted", 5, factor="f2").rules(), [])

    def test_revoked_host(self):
        written = Written().add(1, 2, "join", "done", host="web", serial="01")
        written.add(3, 4, "revoke-host", "done", host="web")
        self.assertEqual(written.sign_in(5, 6, "wrong").rules(), ["revocation"])

    def test_host_that_joined_again(self):
        written = Written().add(1, 2, "join", "done", host="web", serial="01")
        written.add(3, 4, "revoke-host", "done", host="web").add(5, 6, "join", "done", host="web", serial="02")
        self.assertEqual(written.sign_in(7, 8, "accepted", 5, serial="02").rules(), [])

    def test_earlier_certificate_of_a_host(self):
        written = Written().add(1, 2, "join", "done", host="web", serial="01")
        written.add(3, 4, "join", "done", host="web", serial="02")
        self.assertEqual(written.sign_in(5, 6, "accepted", 5).rules(), ["revocation"])


class AuditTests(unittest.TestCase):
    enrolled = "event=enrolled user=ada name=phone"
    revoked = "event=revoked user=ada name=-"

    def test_whole_log(self):
        written = Written().enrol(1, 2, "f1").add(3, 4, "revoke-user", "done", user="ada")
        self.assertEqual(written.audit(5, *chain(self.enrolled, self.revoked)).rules(), [])

    def test_changed_line(self):
        lines, end = chain(self.enrolled, self.revoked)
        lines[0] = lines[0].replace("ada", "bob")
        self.assertEqual(Written().audit(5, lines, end).rules(), ["audit"])

    def test_removed_line(self):
        lines, end = chain(self.enrolled, self.revoked)
        self.assertEqual(Written().audit(5, lines[1:], end).rules(), ["audit"])

    def test_removed_end(self):
        lines, end = chain(self.enrolled, self.revoked)
        self.assertEqual(Written().audit(5, lines[:1], end).rules(), ["audit"])

    def test_acknowledged_change_without_a_line(self):
        written = Written().enrol(1, 2, "f1").add(3, 4, "revoke-user", "done", user="ada")
        self.assertEqual(written.audit(5, *chain(self.enrolled)).rules(), ["audit"])

    def test_line_without_a_change(self):
        self.assertEqual(Written().audit(5, *chain(self.enrolled)).rules(), ["audit"])

    def test_lost_line(self):
        written = Written().enrol(1, 2, "f1").loss(1, 3)
        self.assertEqual(written.audit(5, *chain()).rules(), [])

    def test_earlier_copy_is_no_beginning(self):
        written = Written().enrol(1, 20, "f1").enrol(1, 20, "f1", user="bob")
        written.audit(3, *chain(self.enrolled))
        self.assertEqual(written.audit(5, *chain("event=enrolled user=bob name=phone")).rules(), ["audit"])


class FileTests(unittest.TestCase):
    def test_history_is_read_as_it_was_written(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "history"
            written = history.History(path)
            number = written.invoke("unlock", user="ada")
            written.finish(number, "done")
            written.invoke("unlock", user="bob")
            written.close()
            first, second = history.operations(history.read(path))
            self.assertEqual((first.result, first.user), ("done", "ada"))
            self.assertLess(first.begin, second.begin)
            self.assertEqual((second.result, second.end), (history.UNKNOWN, float("inf")))


if __name__ == "__main__":
    sys.exit(0 if unittest.main(exit=False).result.wasSuccessful() else 1)
