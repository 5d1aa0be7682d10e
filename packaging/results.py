#!/usr/bin/env python3
"""Counts the results of a run of Swift Testing, from its event stream.

    results.py FILE STATUS

FILE is the event stream (one JSON record on each line), STATUS the exit status of the test process.
Prints failed tests, and skipped tests with the reason, to standard error. Prints one line to
standard output: the numbers of tests that passed, failed and were skipped; and then the failed tests again. A test
that did not end, or did not begin, counts as failed. If the process failed without a failed test, that counts as one
failed test.
"""

import json
import sys


def main():
    file_name, status = sys.argv[1], int(sys.argv[2])
    names, begun, outcome, reasons, issues = set(), set(), {}, {}, {}
    with open(file_name, encoding="utf-8", errors="replace") as file:
        for line in file:
            try:
                record = json.loads(line)
            except ValueError:
                # The incomplete last line of a process that was killed.
                continue
            payload = record["payload"]
            if record["kind"] == "test":
                if payload["kind"] == "function":
                    names.add(payload["id"])
                continue
            test, kind = payload.get("testID"), payload["kind"]
            messages = payload.get("messages", [])
            if kind == "testStarted":
                begun.add(test)
            elif kind == "testSkipped":
                outcome[test] = "skipped"
                reasons[test] = "; ".join(payload.get("_comments") or ["no reason given"])
            elif kind == "testEnded":
                symbols = [message["symbol"] for message in messages]
                outcome[test] = "failed" if "fail" in symbols else "passed"
            elif kind == "issueRecorded" and any(m["symbol"] == "fail" for m in messages):
                issues.setdefault(test, []).extend(message["text"] for message in messages)

    counts = {"passed": 0, "failed": 0, "skipped": 0}
    skipped, failures, never_begun = {}, [], 0
    for test in sorted(names):
        result = outcome.get(test, "failed")
        counts[result] += 1
        if result == "skipped":
            skipped.setdefault(reasons[test], []).append(test)
        elif result == "failed" and test not in begun:
            never_begun += 1
        elif result == "failed":
            failures.append("FAILED: " + test)
            failures += ("    " + text for text in issues.get(test, []))
            if test not in outcome:
                failures.append("    the test process ended with status %d during this test" % status)
    for reason in sorted(skipped):
        print("skipped, %d tests: %s" % (len(skipped[reason]), reason), file=sys.stderr)
        for test in skipped[reason]:
            print("    " + test, file=sys.stderr)

    if never_begun:
        failures.append("FAILED: %d tests did not begin" % never_begun)
    if not names or (status != 0 and counts["failed"] == 0):
        # An issue outside all tests, a crash at the end, or no tests.
        failures.append("FAILED: the test process ended with status %d" % status)
        failures += ("    " + text for text in issues.get(None, []))
        counts["failed"] += 1
    print("%(passed)d %(failed)d %(skipped)d" % counts)
    for text in failures:
        print(text.replace("\n", "\n    "), file=sys.stderr)
        # Once more, for the end of the run.
        print("\n    ".join(text.splitlines()[:20]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
