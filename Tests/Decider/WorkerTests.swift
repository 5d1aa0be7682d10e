import Foundation
import MFABase
import MFACTestSupport
import MFAResidentTestSupport
import MFATestSupport
import MFAWire
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
        #expect(try Self.answer(to: packet, from: Self.user, occupied: []) == .ended, "\(packet)")
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

/// MUST 1 of WorkerShare.swift: no user other than root occupies more processes than
/// `processesPerUser`.
@Suite("Processes of the resident service")
struct WorkerShareTests {
  /// The user of the service and of the helper.
  private static let service: UInt32 = 999

  /// Has the process in `slot` begin to serve a user. Returns whether it may.
  private static func begin(_ share: WorkerShare, _ slot: Int, for user: UInt32) -> Bool {
    share.started(in: slot)
    share.slot = slot
    return share.begin(for: user)
  }

  @Test("a user occupies a limited number of processes, which does not limit other users or root")
  func perUser() throws {
    let share = try #require(WorkerShare(ownUser: WorkerShareTests.service))
    for slot in 0..<WorkerShare.processesPerUser {
      #expect(Self.begin(share, slot, for: 1000))
    }
    #expect(!Self.begin(share, 100, for: 1000))
    #expect(!share.isDispensable(100))
    for slot in 50..<(50 + WorkerShare.processesPerUser) {
      #expect(Self.begin(share, slot, for: 1001))
    }
    for slot in 200..<(200 + 2 * WorkerShare.processesPerUser) {
      #expect(Self.begin(share, slot, for: 0))
    }
    // A refused process becomes free again, and so does one that has finished.
    share.slot = 100
    #expect(share.end())
    #expect(!Self.begin(share, 101, for: 1000))
    share.slot = 101
    #expect(share.end())
    share.slot = 0
    #expect(share.end())
    #expect(Self.begin(share, 102, for: 1000))
  }

  @Test("the last user ID, whose successor is 0, is limited too")
  func lastUser() throws {
    let share = try #require(WorkerShare(ownUser: WorkerShareTests.service))
    for slot in 0..<WorkerShare.processesPerUser {
      #expect(Self.begin(share, slot, for: .max - 1))
    }
    #expect(!Self.begin(share, 100, for: .max - 1))
  }

  @Test("a process that serves the helper counts for the helper's caller")
  func relayed() throws {
    let share = try #require(WorkerShare(ownUser: WorkerShareTests.service))
    for slot in 0..<(2 * WorkerShare.processesPerUser) {
      #expect(Self.begin(share, slot, for: Self.service))
      #expect(share.take(for: UInt32(2000 + slot)))
    }
    for slot in 0..<WorkerShare.processesPerUser {
      share.slot = slot
      #expect(share.take(for: 3000))
    }
    share.slot = 100
    #expect(!share.take(for: 3000))
  }

  @Test("helpers whose users are not known yet occupy a limited number of processes")
  func helpers() throws {
    let share = try #require(WorkerShare(ownUser: Self.service))
    for slot in 0..<WorkerShare.processesForHelpers {
      #expect(Self.begin(share, slot, for: Self.service))
    }
    #expect(!Self.begin(share, WorkerShare.processesForHelpers, for: Self.service))
    share.slot = 0
    #expect(share.take(for: 1000))
    #expect(Self.begin(share, WorkerShare.processesForHelpers, for: Self.service))
  }

  @Test("a process that ended while it served a user occupies nothing")
  func ended() throws {
    let share = try #require(WorkerShare(ownUser: WorkerShareTests.service))
    for slot in 0..<WorkerShare.processesPerUser {
      #expect(Self.begin(share, slot, for: 1000))
    }
    #expect(share.idleProcesses == 0)
    share.ended(in: 0)
    #expect(share.idleProcesses == 0)
    #expect(Self.begin(share, 1, for: 1000))
    share.started(in: 5)
    #expect(share.idleProcesses == 1)
    share.ended(in: 5)
    #expect(share.idleProcesses == 0)
  }

  @Test("of the processes that work for the same purpose, a number is limited")
  func claimants() throws {
    let share = try #require(WorkerShare(ownUser: Self.service))
    for slot in 0..<10 {
      #expect(Self.begin(share, slot, for: 0) && share.serve(1000, most: 10))
    }
    #expect(Self.begin(share, 200, for: 0) && !share.serve(1000, most: 10))
    #expect(share.serve(1001, most: 10))
    share.slot = 3
    #expect(share.end())
    #expect(Self.begin(share, 201, for: 0) && share.serve(1000, most: 10))
    share.ended(in: 4)
    #expect(Self.begin(share, 202, for: 0) && share.serve(1000, most: 10))
    #expect(Self.begin(share, 203, for: 0) && !share.serve(1000, most: 10))
  }

  @Test("the last process turns connections away")
  func full() throws {
    let share = try #require(WorkerShare(ownUser: Self.service))
    for slot in 0..<(WorkerShare.maximumProcesses - 1) {
      #expect(Self.begin(share, slot, for: 0), "\(slot)")
    }
    #expect(!Self.begin(share, WorkerShare.maximumProcesses - 1, for: 0))
    #expect(share.end())
    share.ended(in: 7)
    #expect(Self.begin(share, 7, for: 0))
  }

  @Test("the number of idle processes is limited, and none stays when the service stops")
  func idle() throws {
    let share = try #require(WorkerShare(ownUser: WorkerShareTests.service))
    for slot in 0..<WorkerShare.usualIdle { share.started(in: slot) }
    share.slot = 20
    #expect(!share.end())
    let database = try #require(WorkerShare(ownUser: Self.service, most: 40, mostIdle: 40))
    for slot in 0..<39 { database.started(in: slot) }
    database.slot = 39
    #expect(database.end())
    database.slot = 40
    #expect(!database.end())
    let other = try #require(WorkerShare(ownUser: WorkerShareTests.service))
    other.isStopping = true
    #expect(!other.end())
  }

  @Test("a process that begins as the last idle one wakes the supervisor")
  func wakes() async {
    await #expect(processExitsWith: .success) {
      let share = try #require(WorkerShare(ownUser: WorkerShareTests.service))
      let attention = try Attention()
      #expect(WorkerShareTests.begin(share, 0, for: 0))
      // Returns at once; otherwise this test would hang.
      #expect(try !attention.wait(for: [share.need], seconds: nil))
      #expect(share.idleProcesses == 0)
    }
  }
}

/// A supervisor in a process of its own.
@Suite("The supervisor of the resident service", .privateMachine)
struct SupervisorTests {
  /// A user who has no processes.
  static let user: UInt32 = 12347

  /// Runs a supervisor as this user, when `numbers[0]` is set. Sets `numbers[1]` to
  /// 1 when it is this user, and to 2 when it runs.
  static func run(_ worker: Worker, _ numbers: SharedNumbers) {
    guard ctest_set_identities(user, user, user) == 0 else { return }
    numbers[1] = 1
    do throws(SystemError) {
      var supervisor = try Supervisor([worker])
      while numbers[0] == 0 { Clock.pause(milliseconds: 1) }
      numbers[1] = 2
      try supervisor.run()
    } catch {}
  }

  /// Sets the number of processes that the user of a process may have. Root in a container may not.
  static func limit(_ process: Int32, to count: Int) throws {
    try Command.succeed([
      "/usr/bin/setpriv", "--reuid=\(user)", "--regid=0", "--clear-groups", "/usr/bin/prlimit",
      "--pid", "\(process)", "--nproc=\(count):4096",
    ])
  }

  /// Waits until a process waits for something.
  static func waitUntilAsleep(_ process: Int32) {
    let path = "/proc/\(process)/stat"
    while true {
      let status = String(
        decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
      if status.split(separator: ")").last?.hasPrefix(" S") ?? true { return }
      Clock.pause(milliseconds: 1)
    }
  }

  @Test("a process that could not be started is started later")
  func startsLater() async {
    await #expect(processExitsWith: .success) {
      let path = "/tmp/mfa-supervisor-\(UUID().uuidString)"
      let listener = try PacketListener(creating: Array(path.utf8), permissions: 0o666)
      let share = try #require(WorkerShare(ownUser: Self.user))
      let numbers = try #require(SharedNumbers(count: 2))
      var process: Int32 = 0
      switch try WorkerProcess.start() {
      case .copy(let copy): process = copy
      case .thisProcess:
        let worker = Worker(listener: listener, host: ResidentHost(mail: .folder), share: share)
        Alarm.set(seconds: 30)
        Self.run(worker, numbers)
        WorkerProcess.leave(0)
      }
      while numbers[1] == 0 { Clock.pause(milliseconds: 1) }
      try Self.limit(process, to: 0)
      numbers[0] = 1
      while numbers[1] == 1 { Clock.pause(milliseconds: 1) }
      Self.waitUntilAsleep(process)
      #expect(share.idleProcesses == 0)
      try Self.limit(process, to: 4096)
      let connection = try PacketConnection(to: Array(path.utf8))
      try connection.send([0xFF].span)
      #expect(try connection.nextPacket(seconds: 15) == .ended)
      WorkerProcess.stop(process)
      try FileManager.default.removeItem(atPath: path)
    }
  }
}
