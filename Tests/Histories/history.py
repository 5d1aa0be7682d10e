"""The history of a run: a line of JSON for each invocation, each result and each fault, with monotonic times."""

import json
import threading
import time

# The result of an operation that ended without an answer, so that it may have been carried out, and may still be.
UNKNOWN = "unknown"


class History:
    """Records operations from several threads, in memory and in a file."""

    def __init__(self, path):
        self.records = []
        self.lock = threading.Lock()
        self.file = open(path, "w", encoding="utf-8")
        self.last = 0

    def add(self, record):
        with self.lock:
            record["time"] = round(time.monotonic(), 6)
            self.records.append(record)
            self.file.write(json.dumps(record, sort_keys=True) + "\n")
        return record

    def invoke(self, operation, **details):
        """Records that an operation begins. Returns its number."""
        with self.lock:
            self.last += 1
            number = self.last
        self.add({"type": "invoke", "number": number, "operation": operation, **details})
        return number

    def finish(self, number, result, **details):
        """Records the result of an operation."""
        self.add({"type": "result", "number": number, "result": result, **details})

    def event(self, name, **details):
        """Records something that is no operation: a fault, a loss, a copy of the audit log."""
        self.add({"type": name, **details})

    def close(self):
        self.file.close()


def read(path):
    """Returns the records of a file."""
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


class Operation:
    """An operation. The end of one without a known result is infinite: it may still be carried out."""

    def __init__(self, invocation):
        self.begin = invocation["time"]
        self.end = float("inf")
        self.name = invocation["operation"]
        self.result = UNKNOWN
        self.details = invocation

    def finish(self, record):
        self.details = {**self.details, **{key: value for key, value in record.items() if key != "time"}}
        self.result = record["result"]
        if self.result != UNKNOWN:
            self.end = record["time"]

    def __getattr__(self, name):
        try:
            return self.details[name]
        except KeyError:
            raise AttributeError(name) from None


def operations(records):
    """Returns the operations of a history, in the order of their invocations."""
    found = {}
    for record in records:
        if record["type"] == "invoke":
            found[record["number"]] = Operation(record)
        elif record["type"] == "result":
            found[record["number"]].finish(record)
    return list(found.values())
