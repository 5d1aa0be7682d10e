import Foundation
import MFAAttempt
import MFATestSupport
import Synchronization
import Testing

extension EndToEnd {
  /// The gateway service with gateways that are shell scripts: the MUSTs of GatewayWorker.swift and
  /// of GatewaySupervisor.swift.
  @Suite("Gateway service") struct GatewayServiceTests {
    static let number = "+15105551234"
    static let id = SendID(number: 0x0123_4567_89AB_CDEF)

    let service: GatewayService

    init() throws { service = try GatewayService(on: machine) }

    /// Hands over a message, as mfad and mfa-helper do.
    static func send(_ text: String = "123456 is your code.") throws -> GatewayReply {
      let message = GatewayMessage(
        to: Array(number.utf8).span, id: id, expires: 1_801_386_359, text: Array(text.utf8).span)
      guard let message else { throw HarnessFailure("the message is invalid") }
      return GatewayConnection().send(message)
    }

    @Test("a gateway gets the message and nothing else")
    func environment() throws {
      try service.use(
        """
        cat >$out/message
        tr '\\0' '\\n' </proc/$$/environ | sort >$out/environment
        echo $# >$out/arguments
        readlink /proc/$$/fd/* | sort -u >$out/descriptors
        id >$out/id
        ulimit -c >$out/core
        pwd >$out/directory
        ps -o pgid= -p $$ >$out/group; echo $$ >$out/process
        """)
      #expect(try Self.send("\u{E9}t\u{E9}\n2") == .accepted)
      #expect(
        service.contents(of: "message")
          == "To: +15105551234\nId: 0123456789abcdef\nExpires: 2027-01-31T09:05:59Z\n\n"
          + "\u{E9}t\u{E9}\n2\n")
      #expect(
        service.contents(of: "environment")
          == "LC_ALL=C.UTF-8\nPATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\n"
      )
      #expect(service.contents(of: "arguments") == "0\n")
      let descriptors = service.contents(of: "descriptors").split(separator: "\n")
      #expect(
        descriptors.allSatisfy {
          $0 == "/dev/null" || $0.hasPrefix("pipe:") || $0.hasSuffix("/send")
            || $0.hasSuffix("/descriptors")
        }, "\(descriptors)")
      let identity = service.contents(of: "id")
      #expect(identity.contains("(mfa-gateway) gid="), "\(identity)")
      #expect(!identity.contains("(mfa)") && !identity.contains("(root)"), "\(identity)")
      #expect(service.contents(of: "core") == "0\n")
      #expect(service.contents(of: "directory") == "/\n")
      #expect(
        service.contents(of: "group").trimmingCharacters(in: .whitespaces)
          == service.contents(of: "process"))
    }

    @Test("a gateway cannot read the key and the store")
    func cannotReadTheKey() throws {
      try service.use("cat /etc/mfa/key || ls /var/lib/mfa || ls /var/lib/mfa/phone || exit 9")
      #expect(try Self.send() == .failed(9))
    }

    struct Row: Sendable, CustomTestStringConvertible {
      let script: String
      let reply: GatewayReply
      /// The number of runs.
      let runs: Int
      var testDescription: String { script }
    }

    @Test(
      "the exit status decides",
      arguments: [
        Row(script: "exit 0", reply: .accepted, runs: 1),
        Row(script: "exit 1", reply: .failed(1), runs: 1),
        Row(script: "exit 74", reply: .failed(74), runs: 1),
        // Once more, and not a third time.
        Row(script: "exit 75", reply: .failed(75), runs: 2),
        Row(script: "[ $(wc -l <$out/runs) = 2 ] || exit 75", reply: .accepted, runs: 2),
        Row(script: "[ $(wc -l <$out/runs) = 2 ] && exit 4; exit 75", reply: .failed(4), runs: 2),
        Row(script: "kill -9 $$", reply: .killed, runs: 1),
        // Its output goes nowhere, and never blocks it.
        Row(
          script: "yes | head -c 10000000; yes | head -c 10000000 >&2", reply: .accepted, runs: 1),
        // It closes its standard input, and leaves the message unread.
        Row(script: "exec <&-", reply: .accepted, runs: 1),
      ])
    func exitStatus(row: Row) throws {
      try service.use("echo run >>$out/runs\n" + row.script)
      let start = try machine.log.position()
      #expect(try Self.send() == row.reply)
      #expect(service.contents(of: "runs").split(separator: "\n").count == row.runs)
      let entry = try machine.log.waitForEntry(containing: "id=0123456789abcdef", since: start)
      #expect(entry.line.contains("gateway=\(row.reply.name) "), "\(entry.line)")
    }

    @Test(
      "a gateway that another user could have written is not run",
      arguments: [
        (1, "chmod 0775 send", GatewayRefusal.writableByOthers),
        (2, "chmod 0757 send", .writableByOthers),
        (3, "chown mfa send", .wrongOwner),
        (4, "chown mfa-gateway send", .wrongOwner),
        (5, "chmod 0644 send", .notExecutable),
        (6, "rm send", .notFound),
        (7, "mv send other; ln -s other send", .notARegularFile),
        (8, "rm send; mkdir send", .notARegularFile),
        (9, "chmod 0777 .", .directoryWritableByOthers),
        (10, "chown mfa .", .directoryOwner),
      ])
    func untrusted(number: Int, script: String, refusal: GatewayRefusal) throws {
      try service.use("touch $out/ran")
      try Command.succeed(["/bin/sh", "-ec", "cd \(machine.folder); \(script)"])
      #expect(try Self.send() == .unusable(refusal), "row \(number)")
      #expect(!FileManager.default.fileExists(atPath: service.folder + "/ran"), "row \(number)")
      try Command.succeed(["/bin/chown", "root", machine.folder])
      try Command.succeed(["/bin/chmod", "0755", machine.folder])
    }

    @Test("without a gateway in mfa.conf, and with an error in mfa.conf, nothing is sent")
    func notSet() throws {
      try service.select(nil)
      #expect(try Self.send() == .notSet)
      try machine.writeConfiguration("[project]\ngateway = nothing\n")
      #expect(try Self.send() == .notSet)
    }

    @Test("a gateway that cannot be executed is reported")
    func notStarted() throws {
      let path = machine.folder + "/send"
      try machine.write("#!/no/such/shell\n", to: path, mode: "0755")
      try service.select(path)
      #expect(try Self.send() == .notStarted(UInt8(ENOENT)))
    }

    @Test("a hanging gateway is killed with its children, and delays no other message")
    func hangingGateway() throws {
      try service.use(
        """
        grep -q hang || exit 0
        sleep 1000 & echo $! >>$out/children
        echo $$ >>$out/children
        exec sleep 1000
        """)
      let hanging = SharedReply()
      let thread = Thread {
        do { hanging.set(try Self.send("hang")) } catch {}
      }
      thread.start()
      #expect(
        Deadline.usual.waits {
          service.contents(of: "children").split(separator: "\n").count == 2
        })
      for _ in 0..<3 { #expect(try Self.send() == .accepted) }
      #expect(!thread.isFinished, "the other messages waited for the hanging gateway")
      #expect(Deadline.long.waits { thread.isFinished })
      #expect(hanging.reply.withLock { $0 } == .tookTooLong)
      #expect(
        Deadline.usual.waits { Self.haveEnded(service, "children") },
        "processes of the gateway are left")
    }

    /// Returns whether all processes have ended whose IDs are in a file of the gateway.
    private static func haveEnded(_ service: GatewayService, _ name: String) -> Bool {
      service.contents(of: name).split(separator: "\n").allSatisfy {
        let status = FileManager.default.contents(atPath: "/proc/\($0)/status") ?? Data()
        return status.isEmpty || String(decoding: status, as: UTF8.self).contains("State:\tZ")
      }
    }

    /// Hands over a message in a thread, and waits until the gateway has written `count` lines to
    /// the file `children`.
    private static func sendInBackground(
      _ service: GatewayService, count: Int
    ) -> (thread: Thread, reply: SharedReply) {
      let reply = SharedReply()
      let thread = Thread {
        do { reply.set(try send()) } catch {}
      }
      thread.start()
      #expect(
        Deadline.usual.waits {
          service.contents(of: "children").split(separator: "\n").count == count
        })
      return (thread, reply)
    }

    @Test("the service is stopped: a message that is being sent is finished first")
    func stoppedService() throws {
      try service.use(
        """
        echo $$ >>$out/children
        while [ ! -e $out/go ]; do sleep 0.1; done
        """)
      let (thread, reply) = Self.sendInBackground(service, count: 1)
      service.send(signal: SIGTERM)
      #expect(Deadline.usual.waits { service.workers == 1 })
      try machine.write("", to: service.folder + "/go")
      #expect(Deadline.usual.waits { thread.isFinished })
      #expect(reply.reply.withLock { $0 } == .accepted)
      #expect(try service.wait() == .exited(0))
    }

    @Test("the supervisor is killed: a gateway keeps its time limit")
    func killedSupervisor() throws {
      try service.use(
        """
        sleep 1000 & echo $! >>$out/children
        echo $$ >>$out/children
        exec sleep 1000
        """)
      let (thread, reply) = Self.sendInBackground(service, count: 2)
      service.send(signal: SIGKILL)
      #expect(Deadline.long.waits { thread.isFinished })
      #expect(reply.reply.withLock { $0 } == .tookTooLong)
      #expect(
        Deadline.usual.waits { Self.haveEnded(service, "children") },
        "processes of the gateway are left")
    }

    @Test("a worker is killed: its gateway ends")
    func killedWorker() throws {
      try service.use(
        """
        echo $PPID >$out/worker
        echo $$ >>$out/children
        exec sleep 1000
        """)
      let (thread, _) = Self.sendInBackground(service, count: 1)
      let worker = service.contents(of: "worker").trimmingCharacters(in: .whitespacesAndNewlines)
      try Command.succeed(["/bin/kill", "-KILL", worker])
      #expect(Deadline.usual.waits { Self.haveEnded(service, "children") }, "the gateway is left")
      #expect(Deadline.usual.waits { thread.isFinished })
    }

    /// Sends a message from Python, and prints the reply. The identity is that of the caller.
    private static let client = """
      import socket
      s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
      s.connect("/run/mfa/gateway")
      try:
          s.send(MESSAGE)
          print(s.recv(9).hex())
      except (BrokenPipeError, ConnectionResetError):
          print("closed")
      """

    private static func reply(
      as user: String?,
      to message: String = "To: +15105551234\nId: 0123456789abcdef\n"
        + "Expires: 2027-01-31T09:05:59Z\n\ntext\n"
    ) throws -> String {
      let bytes = Array(message.utf8).map { "\($0)" }.joined(separator: ",")
      let program = client.replacingOccurrences(of: "MESSAGE", with: "bytes([\(bytes)])")
      return try Command.succeed(
        ["/usr/bin/python3", "-c", program], as: user.map { .user($0) } ?? .current)
    }

    @Test("only root and the user mfa can have messages sent, even if the socket is open to all")
    func otherUsers() throws {
      try service.use("touch $out/ran")
      let user = try machine.addUser()
      #expect(throws: HarnessFailure.self) { try Self.reply(as: user.name) }
      try Command.succeed(["/bin/chmod", "0666", GatewayService.socket])
      for name in [user.name, "mfa-gateway"] {
        // The service does not read the message, so that the reply may be lost.
        #expect(try ["0700\n", "closed\n"].contains(Self.reply(as: name)), "\(name)")
      }
      #expect(!FileManager.default.fileExists(atPath: service.folder + "/ran"))
      #expect(try Self.reply(as: "mfa") == "a500\n")
      #expect(try Self.reply(as: nil) == "a500\n")
    }

    @Test(
      "a malformed message reaches no gateway",
      arguments: [
        "x", "To: +15105551234\n\ntext\n",
        "To: 15105551234\nId: 0123456789abcdef\nExpires: 2027-01-31T09:05:59Z\n\ntext\n",
        "To: +1510555\nId: 0123456789abcdef\nExpires: 2027-01-31T09:05:59Z\n\ntext\n",
        "To: +15105551234\nId: 0123456789ABCDEF\nExpires: 2027-01-31T09:05:59Z\n\ntext\n",
        "To: +15105551234\nId: 0123456789abcdef\nExpires: soon\n\ntext\n",
        "To: +15105551234\nId: 0123456789abcdef\nExpires: 2027-01-31T09:05:59Z\n\n\n",
        "To: +15105551234\nId: 0123456789abcdef\nExpires: 2027-01-31T09:05:59Z\n\na\u{1B}b\n",
        "To: +15105551234\nId: 0123456789abcdef\nExpires: 2027-01-31T09:05:59Z\n\n"
          + String(repeating: "x", count: 1001) + "\n",
      ])
    func malformed(message: String) throws {
      try service.use("touch $out/ran")
      #expect(try Self.reply(as: nil, to: message) == "0700\n")
      #expect(!FileManager.default.fileExists(atPath: service.folder + "/ran"))
    }

    @Test("the log has the identifier and the duration, and neither the number nor the text")
    func log() throws {
      let start = try machine.log.position()
      for script in ["exit 0", "exit 1", "kill -9 $$"] {
        try service.use(script)
        _ = try Self.send("987654 is your code.")
      }
      _ = try machine.log.waitForEntry(containing: "gateway=killed", since: start)
      for entry in try machine.log.entries(since: start) {
        #expect(!entry.line.contains("5551234") && !entry.line.contains("987654"))
      }
      let line = try machine.log.waitForEntry(containing: "gateway=accepted", since: start).line
      #expect(line.contains(#/gateway=accepted id=0123456789abcdef ms=[0-9]+/#), "\(line)")
    }

    @Test("without the service, the message is not sent")
    func noService() throws {
      try machine.remove(GatewayService.socket)
      #expect(try Self.send() == .noService)
    }
  }
}

/// A reply that one thread sets and another one reads.
private final class SharedReply: Sendable {
  let reply = Mutex<GatewayReply?>(nil)

  func set(_ reply: GatewayReply) { self.reply.withLock { $0 = reply } }
}
