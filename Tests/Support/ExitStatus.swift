/// How a program ended.
public enum ExitStatus: Equatable, Sendable, CustomStringConvertible {
  /// By itself, with a code.
  case exited(Int32)

  /// By a signal.
  case killed(signal: Int32)

  /// Whether it ended by itself with code 0.
  public var isSuccess: Bool { self == .exited(0) }

  /// How it ended, in words.
  public var description: String {
    switch self {
    case .exited(let code): "exited with code \(code)"
    case .killed(let signal): "killed by signal \(signal)"
    }
  }
}
