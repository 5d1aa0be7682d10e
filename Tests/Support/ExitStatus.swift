import Glibc

/// How a program ended.
package enum ExitStatus: Equatable, Sendable, CustomStringConvertible {
  /// Exited with a code.
  case exited(Int32)

  /// Killed by a signal.
  case killed(signal: Int32)

  /// Whether the program exited with code 0.
  package var isSuccess: Bool { self == .exited(0) }

  /// The status in words.
  package var description: String {
    switch self {
    case .exited(let code): "exited with code \(code)"
    case .killed(let signal): "killed by signal \(signal)"
    }
  }
}

extension ExitStatus {
  /// Waits for the end of a child process that was not started by `ChildProcess`. Returns nil if
  /// there is no such child.
  package static func ofChild(_ process: Int32) -> ExitStatus? {
    var status: Int32 = 0
    // SAFETY: the call writes `status`, which outlives it.
    guard unsafe waitpid(process, &status, 0) == process else { return nil }
    let signal = status & 0x7F
    return signal == 0 ? .exited(status >> 8 & 0xFF) : .killed(signal: signal)
  }
}
