/// A client of the resident service that breaks the protocol, as a Python program: it is independent
/// of the product's code.
package enum ResidentClient {
  /// Functions for the programs, which follow Sources/Wire/Wire/SERVICE.md.
  private static let functions = """
    import os, signal, socket, struct, sys
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
    def message(kind, fields):
        return bytes([kind]) + field(fields)
    def start(user, service, caller=0, arguments=()):
        fields = bytes([1, 1, 1, 1]) + struct.pack(">I", caller)
        fields += field(user.encode()) + field(service.encode()) + bytes(3)
        fields += bytes([len(arguments)]) + b"".join(field(text.encode()) for text in arguments)
        return message(1, fields + bytes(1))
    def send(connection, packet):
        try: connection.send(packet)
        except BrokenPipeError: pass  # The service has sent `busy` and closed the connection.
    def heard(connection):
        try: packet = connection.recv(65536)
        # The service has closed the connection without reading everything.
        except ConnectionResetError: packet = connection.recv(65536)
        kinds = []
        while packet:
            kinds.append("%02x" % packet[0])
            packet = packet[3 + struct.unpack(">H", packet[1:3])[0]:]
        return " ".join(kinds) or "end"
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
