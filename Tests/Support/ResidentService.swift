import MFACTestSupport
import Foundation

/// The resident service, started as on a host without a service manager.
package final class ResidentService {
  /// The folder of its sockets.
  package static let folder = "/run/mfa"
  /// The installed path of the program.
  package static let program = "/usr/lib/mfa/mfad"

  private let process: ChildProcess

  /// Starts the service and waits until it listens. The service ends with the test. `wrapper` is a
  /// command line that ends by executing the command after it in the same process.
  package init(on machine: Machine, through wrapper: [String] = []) throws(HarnessFailure) {
    try Command.succeed(["/bin/mkdir", "-p", "-m", "0755", Self.folder])
    try Self.removeSockets()
    process = try ChildProcess(wrapper + [Self.program, "--listen", Self.folder])
    machine.atTheEnd("stop mfad") { [process] in
      try Self.end(process)
      try Self.removeSockets()
    }
    // Two processes wait for connections to each socket.
    guard Deadline.usual.waits(until: { workers.count == 4 }) else {
      throw HarnessFailure("mfad does not listen")
    }
  }

  /// Removes the sockets that a service left.
  package static func removeSockets() throws(HarnessFailure) {
    try Command.succeed(["/bin/rm", "-f", folder + "/root", folder + "/users"])
  }

  /// Stops the service as a service manager does, and waits until it has ended.
  package func stop() throws(HarnessFailure) {
    process.send(signal: SIGTERM)
    guard let status = try process.wait() else { throw HarnessFailure("mfad does not stop") }
    // The signal may arrive before the service handles it.
    guard [.exited(0), .killed(signal: SIGTERM)].contains(status) else {
      throw HarnessFailure("mfad \(status)")
    }
  }

  /// Ends the service's first process without a chance to act, and waits until all of them have ended.
  package func kill() throws(HarnessFailure) { try Self.end(process) }

  private static func end(_ process: ChildProcess) throws(HarnessFailure) {
    let numbers = numbers(of: process)
    process.send(signal: SIGKILL)
    guard try process.wait() != nil else { throw HarnessFailure("mfad cannot be killed") }
    // The kernel ends the other processes, which have lost their parent.
    let haveEnded = Deadline.usual.waits {
      numbers.allSatisfy { !FileManager.default.fileExists(atPath: "/proc/\($0)") }
    }
    guard haveEnded else { throw HarnessFailure("processes of mfad remain: \(numbers)") }
  }

  /// The number of the first process, which starts the others.
  package var supervisor: Int32 { process.number }

  /// The numbers of the processes that serve connections.
  package var workers: [Int32] { Self.numbers(of: process).filter { $0 != process.number } }

  /// Stops all processes of the service (SIGSTOP): the first one before the others, because it would
  /// start more of them.
  package func suspend() throws(HarnessFailure) {
    try process.suspend()
    for number in workers { try Self.suspend(number) }
  }

  private static func suspend(_ number: Int32) throws(HarnessFailure) {
    _ = Glibc.kill(number, SIGSTOP)
    let isStopped = Deadline.usual.waits {
      let status = FileManager.default.contents(atPath: "/proc/\(number)/status") ?? Data()
      return String(decoding: status, as: UTF8.self).contains("State:\tT")
    }
    guard isStopped else { throw HarnessFailure("the process \(number) of mfad is not stopped") }
  }

  /// Lets the processes of the service continue.
  package func resume() {
    for number in workers { _ = Glibc.kill(number, SIGCONT) }
    process.resume()
  }

  /// Attaches strace to the processes that serve connections, which must be waiting. `command` is
  /// strace's command line from `SystemCallTrace`. Returns the strace process, which ends with the
  /// last of them.
  package func trace(with command: [String]) throws(HarnessFailure) -> ChildProcess {
    let workers = workers
    let tracer = try ChildProcess(command + workers.flatMap { ["-p", "\($0)"] })
    let areTraced = Deadline.usual.waits {
      workers.allSatisfy { number in
        let status = FileManager.default.contents(atPath: "/proc/\(number)/status") ?? Data()
        let text = String(decoding: status, as: UTF8.self)
        // A process may have been killed at the very call in which it waits.
        return !text.contains("TracerPid:\t0\n") || text.contains("State:\tZ")
      }
    }
    guard areTraced else { throw HarnessFailure("strace does not attach to mfad") }
    return tracer
  }

  private static func numbers(of process: ChildProcess) -> [Int32] {
    let path = "/proc/\(process.number)/task/\(process.number)/children"
    let list = String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
    return [process.number] + list.split(separator: " ").compactMap { Int32($0) }
  }

  /// The memory of all its processes in KiB. Shared memory is divided among those that share it.
  package var memory: Int {
    Self.numbers(of: process).reduce(0) { sum, number in
      let map = FileManager.default.contents(atPath: "/proc/\(number)/smaps_rollup") ?? Data()
      let size = String(decoding: map, as: UTF8.self).firstMatch(of: /\nPss: +(\d+) kB/)
      return sum + (size.flatMap { Int($0.output.1) } ?? 0)
    }
  }
}
