/// A client of the resident service that breaks the protocol, as a Python program: it is independent
/// of the product's code.
package enum ResidentClient {
  /// Functions for the programs, which follow Sources/Wire/Wire/SERVICE.md.
  private static let functions = """
    import fcntl, os, select, signal, socket, struct, sys, time
    EFFECTS = {1: "tell", 2: "log", 3: "audit", 4: "note", 5: "forward", 6: "text", 7: "confirm",
        8: "prompt"}
    BUSY = b"\\x81\\1\\0\\4"
    def connect(name="root"):
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        connection.settimeout(20)
        connection.connect("/run/mfa/" + name)
        return connection
    def listen(name="root"):
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        listener.bind("/run/mfa/" + name)
        listener.listen()
        return listener
    def field(value):
        return struct.pack(">H", len(value)) + value
    def answered(text):
        return b"\\0" if text is None else b"\\1" + field(text)
    def message(kind, fields):
        return bytes([kind]) + field(fields)
    def request(user, service, caller=0, continuation=b"", answer=None):
        fields = b"\\x41\\1\\1" + field(user.encode()) + field(service.encode()) + bytes(2)
        # One argument. Messages are shown, in UTF-8.
        fields += b"\\1" + field(b"tries=1") + b"\\1\\1" + struct.pack(">I", caller)
        # No note, no earlier methods, no earlier answer, no facts.
        return fields + b"\\0" + b"\\1" + field(b"") + bytes(2) + field(continuation) + answered(answer)
    def verdict(number):
        return b"\\x81\\1\\0\\1" + bytes([number])
    def send(connection, packet):
        try: connection.send(packet)
        except BrokenPipeError: pass  # The service has sent `busy` and closed the connection.
    def receive(connection):
        try: return connection.recv(65536)
        # The service has closed the connection without reading everything.
        except ConnectionResetError: return connection.recv(65536)
    class Reply:
        def __init__(self, packet):
            self.rest, self.words, self.continuation = packet[2:], [], b""
            if not packet:
                self.words.append("end")
                return
            assert packet[:2] == b"\\x81\\1", packet
            for _ in range(self.take(1)[0]):
                self.words.append(EFFECTS[self.take(3)[0]])
                self.text(), self.text()
            end = self.take(1)[0]
            if end == 1: self.words += ["verdict", str(self.take(1)[0])]
            if end == 2:
                self.words.append("question")
                self.text(), self.take(1)
                self.continuation = self.text()
            if end == 3: self.words.append("facts")
            if end == 4: self.words.append("busy")
            assert not self.rest
        def take(self, count):
            value, self.rest = self.rest[:count], self.rest[count:]
            return value
        def text(self):
            return self.take(struct.unpack(">H", self.take(2))[0])
    def heard(connection):
        return " ".join(Reply(receive(connection)).words)
    def asked(name, user, service, caller=0):
        connection = connect(name)
        connection.send(request(user, service, caller))
        return Reply(receive(connection)).continuation
    def say(text):
        print(text, flush=True)

    """

  /// Runs a program to its end, and returns what it printed.
  package static func run(
    _ program: String, _ arguments: [String] = [], as identity: Identity = .current
  ) throws(HarnessFailure) -> String {
    try Command.succeed(
      ["/usr/bin/python3", "-c", functions + program] + arguments, as: identity)
  }

  /// A program that runs until the test ends.
  package final class Running {
    private let process: ChildProcess
    private let output: Descriptor
    /// What the program printed after the last line that was returned.
    private var unread: [UInt8] = []

    fileprivate init(_ process: ChildProcess, _ output: consuming Descriptor) {
      self.process = process
      self.output = output
    }

    /// Waits until the program prints a line, and returns it with its end; what was printed last if the
    /// program ends.
    package func said() throws(HarnessFailure) -> String {
      while true {
        if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
          defer { unread.removeSubrange(...end) }
          return String(decoding: unread[...end], as: UTF8.self)
        }
        let part = try output.readSome()
        guard !part.isEmpty else { return String(decoding: unread, as: UTF8.self) }
        unread += part
      }
    }
  }

  /// Starts a program.
  package static func start(
    _ program: String, _ arguments: [String] = [], as identity: Identity = .current
  ) throws(HarnessFailure) -> Running {
    let output = try Pipe()
    let process = try ChildProcess(
      ["/usr/bin/python3", "-c", functions + program] + arguments, as: identity,
      descriptors: [1: output.writing.number, 2: 2])
    return Running(process, output.takeReading())
  }
}
