import Foundation
import MFABase
import MFAModule
import MFAResidentTestSupport
import MFATestSupport
import MFAWire
import Testing

/// The MUSTs of Deciders.swift, with a listener that follows a script and a program in place of the helper.
@Suite("Who replies to the module")
struct DecidersTests {
  /// The result of a request: the reply, or the reason for its absence.
  enum End: Equatable {
    case verdict(UInt8)
    case other
    case failure(DeciderFailure)
  }

  private static let missing = Array("/nonexistent/mfa-helper".utf8)
  private static let noSocket = Array("/tmp/mfa-service-that-does-not-exist".utf8)
  private static let text = MessageSamples.text(MessageSamples.call())

  private static func ask(
    socket: [UInt8] = noSocket, helper: [UInt8] = missing, owner: UInt32 = geteuid(),
    patience: Int64 = 20, isConfined: Bool = false,
    _ call: () -> SignInCall = { MessageSamples.call() }
  ) -> End {
    var call = call()
    let deciders = Deciders(
      socket: socket, helper: helper, owner: owner, patience: patience, isConfined: isConfined)
    do throws(DeciderFailure) {
      guard case .verdict(let number) = try deciders.reply(to: &call).end else { return .other }
      return .verdict(number)
    } catch {
      return .failure(error)
    }
  }

  /// Calls `body` with the path of a shell script in place of the helper, and with the path of a file that
  /// exists if the script was started.
  private static func withHelper(
    _ script: String, _ body: (_ helper: [UInt8], _ mark: String) throws -> Void
  ) throws {
    let path = FileManager.default.temporaryDirectory
      .appendingPathComponent("helper-\(UUID().uuidString)").path
    // Written by another process, because a file that is open for writing cannot be executed.
    try Command.succeed(
      ["/usr/bin/install", "-m", "0755", "/dev/stdin", path],
      input: Array("#!/bin/sh\n: >'\(path).started'\n\(script)\n".utf8))
    defer {
      for file in [path, path + ".started"] where FileManager.default.fileExists(atPath: file) {
        #expect(throws: Never.self) { try FileManager.default.removeItem(atPath: file) }
      }
    }
    try body(Array(path.utf8), path + ".started")
  }

  private static func packet(_ call: consuming SignInCall) -> [UInt8] {
    guard let packet = call.packet() else { return [] }
    return packet.span.copied()
  }

  private static func wasStarted(_ mark: String) -> Bool {
    FileManager.default.fileExists(atPath: mark)
  }

  /// A command of the shell that writes bytes.
  private static func write(_ bytes: [UInt8]) -> String {
    "printf '" + bytes.map { "\\" + String($0, radix: 8).leftPadded(to: 3) }.joined() + "'"
  }

  /// The frame of a reply with a verdict.
  private static func frame(_ verdict: UInt8) -> [UInt8] {
    [0, 0, 0, 5, 0x81, 1, 0, 1, verdict]
  }

  // MARK: The service

  @Test("the service's reply is returned")
  func reply() throws {
    let service = try ScriptedService([
      { served in
        try served.receive()
        try served.reply(SignInReply([], .verdict(3)))
      }
    ])
    #expect(Self.ask(socket: service.path) == .verdict(3))
    #expect(service.isUsedUp())
    #expect(service.heard == [Self.text])
  }

  @Test("every request has a connection of its own")
  func severalRequests() throws {
    let part: ScriptedService.Part = { served in
      try served.receive()
      try served.reply(SignInReply([], .verdict(1)))
      try served.receive()
    }
    let service = try ScriptedService([part, part])
    #expect(Self.ask(socket: service.path) == .verdict(1))
    #expect(Self.ask(socket: service.path) == .verdict(1))
    #expect(service.isUsedUp())
    #expect(service.heard == [Self.text, "ended", Self.text, "ended"])
  }

  @Test("a listener of another user is not trusted: it receives nothing, and no helper is started")
  func owner() throws {
    try Self.withHelper(Self.write(Self.frame(1))) { helper, mark in
      let service = try ScriptedService([{ try $0.receive() }])
      #expect(
        Self.ask(socket: service.path, helper: helper, owner: geteuid() + 1)
          == .failure(.untrusted(geteuid())))
      #expect(service.isUsedUp())
      #expect(service.heard == ["ended"])
      #expect(!Self.wasStarted(mark))
    }
  }

  @Test("a service that has read the request has limited time, and no helper is started")
  func silence() throws {
    try Self.withHelper(Self.write(Self.frame(1))) { helper, mark in
      let service = try ScriptedService([
        { served in
          try served.receive()
          // Until the module has given up.
          try served.receive()
        }
      ])
      #expect(Self.ask(socket: service.path, helper: helper, patience: 1) == .failure(.silent))
      #expect(service.isUsedUp())
      #expect(service.heard == [Self.text, "ended"])
      #expect(!Self.wasStarted(mark))
    }
  }

  /// What a service does after it has read the request, instead of sending a reply, and the failure.
  private static let ends: [(name: String, part: ScriptedService.Part, failure: DeciderFailure)] = [
    ("the connection is closed", { _ in }, .ended),
    ("an empty packet", { try $0.send(bytes: []) }, .ended),
    (
      "a packet that is too long",
      { try $0.send(bytes: [UInt8](repeating: 0x81, count: 65_537)) }, .malformed
    ),
    ("an unknown packet", { try $0.send(bytes: [0xFF, 1, 0, 1, 1]) }, .malformed),
    ("another version", { try $0.send(bytes: [0x81, 2, 0, 1, 1]) }, .malformed),
    ("a reply that is cut", { try $0.send(bytes: [0x81, 1, 0, 1]) }, .malformed),
    ("a reply that is too long", { try $0.send(bytes: [0x81, 1, 0, 1, 1, 0]) }, .malformed),
    ("the module's request", { try $0.send(bytes: [0x41, 1, 0, 1, 1]) }, .malformed),
    ("a reply to the helper", { try $0.reply(ManagementReply(.busy)) }, .malformed),
  ]

  @Test("if a service that has read the request sends no reply, no helper is started")
  func everyEnd() throws {
    try Self.withHelper(Self.write(Self.frame(1))) { helper, mark in
      for (name, part, failure) in Self.ends {
        let service = try ScriptedService([
          { served in
            try served.receive()
            try part(served)
          }
        ])
        #expect(Self.ask(socket: service.path, helper: helper) == .failure(failure), "\(name)")
        #expect(service.isUsedUp())
      }
      #expect(!Self.wasStarted(mark))
    }
  }

  // MARK: The helper

  @Test("where no service listens, the helper replies, which is started for this request")
  func noService() throws {
    let mark = FileManager.default.temporaryDirectory
      .appendingPathComponent("request-\(UUID().uuidString)").path
    let packet = Self.packet(MessageSamples.call())
    let script = "head -c \(packet.count + 4) >'\(mark)'\n" + Self.write(Self.frame(4))
    try Self.withHelper(script) { helper, _ in
      #expect(Self.ask(helper: helper) == .verdict(4))
      let request = try Data(contentsOf: URL(fileURLWithPath: mark))
      #expect(Array(request) == [0, 0, 0, UInt8(packet.count)] + packet)
      try FileManager.default.removeItem(atPath: mark)
    }
  }

  @Test("the helper is started if the service has not read the request")
  func unread() throws {
    let parts: [ScriptedService.Part] = [
      { _ in },
      // Long enough for the request to arrive, or short enough for it to come too late.
      { _ in Clock.pause(milliseconds: 200) },
    ]
    try Self.withHelper("cat >/dev/null & \(Self.write(Self.frame(4)))") { helper, mark in
      for part in parts {
        let service = try ScriptedService([part])
        #expect(Self.ask(socket: service.path, helper: helper) == .verdict(4))
        #expect(service.isUsedUp())
        #expect(Self.wasStarted(mark))
        try FileManager.default.removeItem(atPath: mark)
      }
    }
  }

  @Test("the helper is started if the service is busy, before or after the request arrived")
  func busy() throws {
    try Self.withHelper("cat >/dev/null & \(Self.write(Self.frame(4)))") { helper, mark in
      for reads in [false, true] {
        let service = try ScriptedService([
          { served in
            if reads { try served.receive() }
            try served.reply(SignInReply([], .busy))
          }
        ])
        #expect(Self.ask(socket: service.path, helper: helper) == .verdict(4))
        #expect(service.isUsedUp())
        #expect(Self.wasStarted(mark))
        try FileManager.default.removeItem(atPath: mark)
      }
    }
  }

  @Test("a request that does not fit in a packet is denied without asking anybody")
  func tooLong() throws {
    let argument = [UInt8](repeating: 0x61, count: SignInRequest.longestItem)
    let request = SignInRequest(
      user: [], service: [], arguments: [[UInt8]](repeating: argument, count: 64))
    try Self.withHelper(Self.write(Self.frame(1))) { helper, mark in
      #expect(Self.ask(helper: helper) { MessageSamples.call(request) } == .failure(.malformed))
      #expect(!Self.wasStarted(mark))
    }
  }

  @Test(
    "a program that is not a helper is reported",
    arguments: [
      (1, "/nonexistent/mfa-helper", DeciderFailure.system(SystemError(.process, number: 2))),
      (2, "/etc/passwd", .system(SystemError(.process, number: 13))),
      (3, "/bin/true", .ended),
      // A program that echoes requests, which are not replies.
      (4, "/bin/cat", .malformed),
    ])
  func noHelper(number: Int, path: String, failure: DeciderFailure) {
    #expect(Self.ask(helper: Array(path.utf8)) == .failure(failure), "row \(number)")
  }

  struct Row: Sendable, CustomTestStringConvertible {
    let title: String
    let output: [UInt8]
    let end: End
    var testDescription: String { "\(title)" }
  }

  static let rows = [
    Row(title: "a reply", output: frame(1), end: .verdict(1)),
    Row(title: "a reply and more", output: frame(2) + frame(1), end: .verdict(2)),
    Row(title: "nothing", output: [], end: .failure(.ended)),
    Row(title: "half a header", output: [0, 0], end: .failure(.ended)),
    Row(title: "half a reply", output: Array(frame(1).dropLast()), end: .failure(.ended)),
    Row(title: "an empty frame", output: [0, 0, 0, 0], end: .failure(.malformed)),
    Row(title: "a frame that is too long", output: [0, 1, 0, 1], end: .failure(.malformed)),
    Row(title: "the longest length", output: [0xFF, 0xFF, 0xFF, 0xFF], end: .failure(.malformed)),
    Row(title: "an unknown packet", output: [0, 0, 0, 1, 0xFF], end: .failure(.malformed)),
    Row(
      title: "a response to a client of the helper", output: [0, 0, 0, 1, 0x88],
      end: .failure(.malformed)),
  ]

  @Test("the helper's output is read as one frame", arguments: rows)
  func output(row: Row) throws {
    try Self.withHelper("head -c 1 >/dev/null\n" + Self.write(row.output)) { helper, _ in
      #expect(Self.ask(helper: helper) == row.end, "\(row.testDescription)")
    }
  }

  @Test("a reply that was written before the helper ended is read, even if no request was read")
  func writtenAndEnded() throws {
    let script = "exec <&-\n\(Self.write(Self.frame(1)))\nexec >&-"
    try Self.withHelper(script) { helper, _ in
      #expect(Self.ask(helper: helper) == .verdict(1))
    }
  }

  @Test("a helper has limited time for its reply")
  func silentHelper() throws {
    for output in [[], Array(Self.frame(1).prefix(6))] {
      try Self.withHelper("\(Self.write(output))\nexec sleep 30") { helper, _ in
        #expect(Self.ask(helper: helper, patience: 1) == .failure(.silent))
      }
    }
  }

  @Test("a process with no_new_privs starts nothing, and says so in the log")
  func confined() throws {
    try Self.withHelper(Self.write(Self.frame(1))) { helper, mark in
      #expect(Self.ask(helper: helper, isConfined: true) == .failure(.confined))
      #expect(!Self.wasStarted(mark))
      let application = RecordedApplication()
      let deciders = Deciders(socket: Self.noSocket, helper: helper, isConfined: true)
      let verdict = ModuleConversation(
        .auth, MessageSamples.request, application: application,
        identity: ProcessIdentity(user: 1000, actsAsRoot: false, isConfined: true),
        decider: deciders
      ).run()
      #expect(verdict == .deny)
      #expect(
        application.logged == [
          "3 result=error user=alice service=sshd rhost=203.0.113.9 tty=ssh part=helper reason=no-new-privileges"
        ])
      #expect(!Self.wasStarted(mark))
    }
  }

  @Test("a process with no_new_privs is served by the service")
  func confinedAndServed() throws {
    let service = try ScriptedService([
      { served in
        try served.receive()
        try served.reply(SignInReply([], .verdict(1)))
      }
    ])
    #expect(Self.ask(socket: service.path, isConfined: true) == .verdict(1))
  }

  @Test("the facts are those of this process")
  func facts() {
    let facts = Deciders(socket: [], helper: []).facts
    let peer = Connection.peer().map { address in
      (0..<16).map { UInt8(truncatingIfNeeded: address >> (120 - 8 * UInt128($0))) }
    }
    #expect(facts.peer == peer)
    #expect(facts.session == ProcessInstance.ownSession?.bytes)
    #expect(facts.enclosingSessions == ProcessInstance.enclosing.map { $0.bytes })
    #expect(facts.leadsSession == ProcessInstance.isLeader)
    #expect(facts.terminal == ControllingTerminal.name)
  }
}

extension String {
  /// Returns the text with zeros in front.
  fileprivate func leftPadded(to length: Int) -> String {
    String(repeating: "0", count: max(length - count, 0)) + self
  }
}
