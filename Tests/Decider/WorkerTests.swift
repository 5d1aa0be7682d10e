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
  }

  static let user: UInt32 = 12345
  static let service: UInt32 = 12346

  /// Returns what a client of this user receives from a worker after a message. Other processes of
  /// `users` count as occupied. With `early`, the message is sent before the worker accepts the
  /// connection.
  static func answer(
    to message: () -> ModuleMessage, from user: UInt32, occupied users: [UInt32],
    early: Bool = false
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
      result[0] = receive(message(), from: user, at: path) { result[1] = 1 }.rawValue
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

  /// Becomes the user, sends a message, and returns what arrives.
  private static func receive(
    _ message: consuming ModuleMessage, from user: UInt32, at path: String, sent: () -> Void
  ) -> Answer {
    do throws(SystemError) {
      guard ctest_set_identities(user, user, user) == 0 else { return .failed }
      let connection = try PacketConnection(to: Array(path.utf8))
      if let packet = message.packet() {
        do throws(SystemError) { try connection.send(packet.span) } catch {
          guard error.isBrokenPipe else { throw error }
        }
      }
      sent()
      switch try connection.receive(seconds: 10) {
      case .packet(let packet): return packet.span.copied() == [0x82, 0, 0] ? .busy : .other
      case .ended: return .ended
      case .unread: return .ended
      case .silent: return .silent
      case .tooLong: return .other
      }
    } catch {
      return .failed
    }
  }

  @Test("a user who occupies too many processes is told that the service is busy")
  func busyUser() async {
    await #expect(processExitsWith: .success) {
      let occupied = [UInt32](repeating: Self.user, count: WorkerShare.processesPerUser)
      for early in [false, true] {
        let answer = try Self.answer(
          to: { .manage(terminal: nil) }, from: Self.user, occupied: occupied, early: early)
        #expect(answer == .busy, "early: \(early)")
      }
    }
  }

  @Test("a user's process that names a configuration file is told to decide by itself")
  func configurationOfUser() async {
    await #expect(processExitsWith: .success) {
      for (argument, expected) in [("config=/etc/shadow", Answer.busy), ("debug", .other)] {
        let answer = try Self.answer(
          to: {
            .start(
              ConversationStart(
                .auth,
                SignInRequest(
                  user: Array("nobody".utf8), service: Array("sshd".utf8),
                  arguments: [Array(argument.utf8)]), showsMessages: true, caller: Self.user,
                note: nil, tryNumber: 1, answered: []))
          }, from: Self.user, occupied: [])
        #expect(answer == expected, "\(argument)")
      }
    }
  }

  @Test("helpers of unknown users make no other user's helper refuse")
  func unknownHelpers() async {
    await #expect(processExitsWith: .success) {
      let occupied = [UInt32](repeating: Self.service, count: WorkerShare.processesForHelpers)
      let answer = try Self.answer(
        to: { .manage(terminal: nil) }, from: Self.service, occupied: occupied)
      #expect(answer == .ended)
    }
  }
}
