"""A proxy that speaks PostgreSQL's protocol and withholds the notices of the server from the client."""

import contextlib
import socket
import struct
import threading


def whole(connection, count):
    """Reads bytes from a socket. Raises EOFError at the end."""
    data = b""
    while len(data) < count:
        part = connection.recv(count - len(data))
        if not part:
            raise EOFError
        data += part
    return data


class Proxy:
    """Listens at an address, and forwards connections to the server that `target` returns. There is no TLS."""

    def __init__(self, address, port, target):
        self.target = target
        self.dropped = 0
        self.listener = socket.create_server((address, port))
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            try:
                server = socket.create_connection((self.target(), 5432), 2)
                server.settimeout(None)
            except OSError:
                client.close()
                continue
            for forward in (self.to_server, self.to_client):
                threading.Thread(target=self.run, args=(forward, client, server), daemon=True).start()

    @staticmethod
    def run(forward, client, server):
        with contextlib.suppress(OSError, EOFError):
            forward(client, server)
        for connection in (client, server):
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    @staticmethod
    def to_server(client, server):
        while data := client.recv(65536):
            server.sendall(data)

    def to_client(self, client, server):
        while True:
            head = whole(server, 5)
            body = whole(server, struct.unpack(">I", head[1:])[0] - 4)
            # NoticeResponse
            if head[:1] == b"N":
                self.dropped += 1
            else:
                client.sendall(head + body)

    def close(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
