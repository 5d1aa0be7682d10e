import Foundation

/// A resident service whose wall clock is ahead by a number of seconds, which can change at any time. The clock of the
/// machine and of the applications stays as it is.
package final class ShiftedService {
  private let service: ResidentService
  private let clock: String

  /// Starts the service. It ends with the test.
  package init(on machine: Machine) throws(HarnessFailure) {
    clock = machine.folder + "/clock"
    try Self.write(0, to: clock)
    service = try ResidentService(
      on: machine,
      through: [
        "/usr/bin/env", "LD_PRELOAD=\(try CompiledProgram.shiftedClock())",
        "MFA_TEST_CLOCK=\(clock)",
      ])
  }

  /// Sets how far the clock is ahead, in seconds.
  package func set(ahead seconds: Int) throws(HarnessFailure) { try Self.write(seconds, to: clock) }

  /// Writes into the file, which the processes of the service have mapped.
  private static func write(_ seconds: Int, to path: String) throws(HarnessFailure) {
    do {
      if !FileManager.default.fileExists(atPath: path) {
        try Data(count: MemoryLayout<Int64>.size).write(to: URL(fileURLWithPath: path))
      }
      let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
      let bytes = (0..<8).map { UInt8(truncatingIfNeeded: Int64(seconds) >> (8 * $0)) }
      try file.write(contentsOf: bytes)
      try file.close()
    } catch {
      throw HarnessFailure("\(path) cannot be written: \(error)")
    }
  }
}
