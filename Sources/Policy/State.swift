extension Configuration {
  /// Whether a second factor is asked for.
  public enum State: UInt8, CaseIterable, Sendable {
    /// It is asked for and decides.
    case enabled
    /// It is not asked for.
    case disabled
    /// It is not asked for, and the log says what would have been decided.
    case observe

    /// The value in the file.
    public var name: String {
      switch self {
      case .enabled: "enabled"
      case .disabled: "disabled"
      case .observe: "observe"
      }
    }

    /// How much it protects, to compare two states.
    var strictness: UInt8 {
      switch self {
      case .disabled: 0
      case .observe: 1
      case .enabled: 2
      }
    }
  }
}
