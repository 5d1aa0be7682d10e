import Foundation
import MFAWire
import MFACTestSupport
import MFAResidentTestSupport
import MFABase
import MFATestSupport
import Testing

@testable import MFADecider

/// Workers in processes of their own, and their clients.
@Suite("Workers of the resident service", .privateMachine)
struct WorkerTests {
  /// What a client receives first.
  enum Answer: UInt32 {
    case busy = 1
    case ended, other, silent, failed
    /// A denial because a configuration file may not be read.
    case forbidden
    /// Another denial.
    case denied
  }

  static let user: UInt32 = 12345
  static let service: UInt32 = 12346

  /// Returns what a client of this user receives from a worker after a packet. Other processes of
  /// `users` count as occupied. With `early`, the packet is sent before the worker accepts the
  /// connection.
  static func answer(
    to packet: [UInt8], from user: UInt32, occupied users: [UInt32], early: Bool = false
  ) throws -> Answer? {
    let path = "/tmp/mfa-worker-\(UUID().uuidString)"
    let listener = try PacketListener(creating: Array(path.utf8), permissions: 0o666)
    let share = try #require(WorkerShare(ownUser: service))
    for (slot, user) in users.enumerated() {
      share.slot = slot + 1
      _ = share.take(for: user)
    }
    let result = try #require(SharedNumbers(count: 2))
    let client = try start {
      result[0] = receive(packet, from: user, at: path) { result[1] = 1 }.rawValue
    }
    while early && result[1] == 0 && result[0] == 0 { Clock.pause(milliseconds: 1) }
    let worker = try start {
      share.slot = 0
      share.started(in: 0)
      Worker(listener: listener, host: ResidentHost(mail: .folder), share: share).run()
    }
    while result[0] == 0 { Clock.pause(milliseconds: 1) }
    for process in [worker, client] { WorkerProcess.end(process) }
    try FileManager.default.removeItem(atPath: path)
    return Answer(rawValue: result[0])
  }

  /// Calls `body` in a copy of this process, which an alarm ends.
  private static func start(_ body: () -> Void) throws -> Int32 {
    switch try WorkerProcess.start() {
    case .copy(let process): return process
    case .thisProcess:
      Alarm.set(seconds: 20)
      body()
      WorkerProcess.leave(0)
    }
  }

  /// Becomes the user, sends a packet, and returns what arrives.
  private static func receive(
    _ sent: [UInt8], from user: UInt32, at path: String, isSent: () -> Void
  ) -> Answer {
    do throws(SystemError) {
      guard ctest_set_identities(user, user, user) == 0 else { return .failed }
      let connection = try PacketConnection(to: Array(path.utf8))
      do throws(SystemError) { try connection.send(sent.span) } catch {
        guard error.isBrokenPipe else { throw error }
      }
      isSent()
      switch try connection.receive(seconds: 10) {
      case .packet(let packet): return answer(packet)
      case .ended: return .ended
      case .unread: return .ended
      case .silent: return .silent
      case .tooLong: return .other
      }
    } catch {
      return .failed
    }
  }

  private static func answer(_ packet: consuming SecretBytes) -> Answer {
    do throws(PacketError) {
      let reply = try SignInReply(packet: packet)
      switch reply.end {
      case .busy: return reply.effects.isEmpty ? .busy : .other
      case .verdict(0):
        let texts = reply.effects.map { MessageSamples.text($0.text.copy()) }
        return texts.contains { $0.contains("part=configuration") && $0.contains("errno=EACCES") }
          ? .forbidden : .denied
      default: return .other
      }
    } catch {
      return .other
    }
  }

  /// The packet of a helper.
  private static func manage() throws -> [UInt8] {
    var call = MessageSamples.management()
    guard let packet = call.packet() else { throw SystemError(.write, number: 90) }
    return packet.span.copied()
  }

  /// The packet of a request with an argument.
  private static func call(_ argument: String) throws -> [UInt8] {
    var call = MessageSamples.call(
      SignInRequest(
        user: Array("nobody".utf8), service: Array("sshd".utf8),
        arguments: [Array(argument.utf8)]))
    guard let packet = call.packet() else { throw SystemError(.write, number: 90) }
    return packet.span.copied()
  }

  @Test("a user who occupies too many processes is told that the service is busy")
  func busyUser() async {
    await #expect(processExitsWith: .success) {
      let occupied = [UInt32](repeating: Self.user, count: WorkerShare.processesPerUser)
      for packet in [try Self.manage(), try Self.call("debug")] {
        for early in [false, true] {
          let answer = try Self.answer(
            to: packet, from: Self.user, occupied: occupied, early: early)
          #expect(answer == .busy, "early: \(early)")
        }
      }
    }
  }

  @Test("a user's process may name only a configuration file that every user can read")
  func configurationOfUser() async {
    await #expect(processExitsWith: .success) {
      let rows: [(String, UInt32, Answer)] = [
        ("config=/etc/shadow", Self.user, .forbidden), ("config=/etc/passwd", Self.user, .denied),
        ("config=/nonexistent", Self.user, .denied), ("debug", Self.user, .denied),
        ("config=/etc/shadow", 0, .denied),
      ]
      for (argument, user, expected) in rows {
        let answer = try Self.answer(to: try Self.call(argument), from: user, occupied: [])
        #expect(answer == expected, "\(argument) \(user)")
      }
    }
  }

  @Test("a malformed packet, and a request of a process that is not the helper, are ended")
  func otherPackets() async {
    await #expect(processExitsWith: .success) {
      let call = try Self.call("debug")
      let packets = [
        [0xFF], [0x41], Array(call.dropLast()), call + [0], [0x42, 1, 0, 0],
        try Self.manage(),
      ]
      for packet in packets {
        #expect(
          try Self.answer(to: packet, from: Self.user, occupied: []) == .ended, "\(packet)")
      }
    }
  }

  @Test("helpers of unknown users make no other user's helper refuse")
  func unknownHelpers() async {
    await #expect(processExitsWith: .success) {
      let occupied = [UInt32](repeating: Self.service, count: WorkerShare.processesForHelpers)
      let answer = try Self.answer(to: try Self.manage(), from: Self.service, occupied: occupied)
      #expect(answer == .ended)
    }
  }
}
