/// How a program ended.
public enum ExitStatus: Equatable, Sendable, CustomStringConvertible {
  /// Exited with a code.
  case exited(Int32)

  /// Killed by a signal.
  case killed(signal: Int32)

  /// Whether the program exited with code 0.
  public var isSuccess: Bool { self == .exited(0) }

  /// The status in words.
  public var description: String {
    switch self {
    case .exited(let code): "exited with code \(code)"
    case .killed(let signal): "killed by signal \(signal)"
    }
  }
}
