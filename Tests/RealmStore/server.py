#!/usr/bin/env python3
"""A server of HTTP that fails in one way, for the tests of etcd's session.

    server.py MODE ADDRESS FOLDER

Listens on port 2379 of ADDRESS. Adds a line to FOLDER/requests for each request that it has received, and
creates FOLDER/ready when it listens. Modes:

    silent    never answers
    lost      closes the connection without an answer
    redirect  redirects to FOLDER/target, an address
    long      answers with more bytes than the session accepts
    broken    answers with something else than JSON
    lost-later  answers the first request on each connection, and closes it at the second one
"""

import pathlib
import socket
import sys
import threading

MODE, ADDRESS, FOLDER = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
STATUS = (b'{"header":{"cluster_id":"7","revision":"9"},"raftIndex":"20","raftAppliedIndex":"20",'
          b'"succeeded":true,"ID":"5"}')


def request(file):
    """Reads a request. Returns false at the end of the connection."""
    length = 0
    line = file.readline()
    if not line:
        return False
    while line.strip():
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
        line = file.readline()
    file.read(length)
    with open(FOLDER / "requests", "a", encoding="utf-8") as log:
        log.write("request\n")
    return True


def answer(file, status, body, *headers):
    file.write(b"HTTP/1.1 %s\r\nContent-Length: %d\r\n" % (status, len(body)))
    for header in headers:
        file.write(header + b"\r\n")
    file.write(b"\r\n" + body)
    file.flush()


def serve(connection):
    file = connection.makefile("rwb")
    number = 0
    while request(file):
        number += 1
        if MODE == "silent":
            threading.Event().wait()
        elif MODE == "redirect":
            target = (FOLDER / "target").read_bytes().strip()
            answer(file, b"307 Temporary Redirect", b"", b"Location: " + target)
        elif MODE == "long":
            answer(file, b"200 OK", b" " * (8 << 20))
        elif MODE == "broken":
            answer(file, b"200 OK", b"<html>")
        elif MODE == "lost-later" and number == 1:
            answer(file, b"200 OK", STATUS)
        else:
            break
    connection.shutdown(socket.SHUT_RDWR)
    connection.close()


def main():
    listener = socket.create_server((ADDRESS, 2379))
    (FOLDER / "ready").touch()
    while True:
        connection, _ = listener.accept()
        threading.Thread(target=serve, args=(connection,), daemon=True).start()


main()
