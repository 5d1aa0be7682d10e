import Foundation
import MFACTestSupport
import MFABase
import MFATestSupport
import Testing

@testable import MFADecider

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
        let worker = Worker(
          listener: listener, host: ResidentHost(mail: .folder), share: share)
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
