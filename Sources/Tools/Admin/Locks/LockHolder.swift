/// A process that holds the lock of a file in the store.
package struct LockHolder: Equatable {
  /// The state of a process.
  package enum State: String {
    case running
    /// Stopped by a signal or a tracer.
    case stopped
    /// In a frozen control group.
    case frozen
  }

  /// The process identifier.
  package let process: Int32
  /// The start time in clock ticks since boot. With the process identifier, it identifies the
  /// process uniquely.
  package let start: UInt64
  /// The start time in seconds since the epoch, or nil if unknown.
  let startTime: Int64?
  /// The program's name, as reported by the kernel.
  package let command: String
  /// The process's real UID.
  package let user: UInt32
  /// The user's name, or nil if no account has the UID.
  package let userName: [UInt8]?
  /// The state of the process.
  package let state: State
  /// The path of the locked file.
  package let file: String

  /// The process described in words.
  package var sentence: String {
    let name = userName.map { VisibleText.escaping($0) } ?? "uid \(user)"
    let start = startTime.flatMap { Timestamp($0) }.map { ", started \($0.full)" } ?? ""
    let program = VisibleText.escaping(command)
    return "process \(process) (\(program)) of \(name)\(start), \(state.rawValue)"
  }
}
