extension Configuration {
  /// Whether a second factor is required.
  package enum State: Int64, CaseIterable, Sendable {
    /// A second factor is required.
    case enabled
    /// No second factor is required.
    case disabled
    /// No second factor is required, and the log shows what the decision would have been.
    case observe

    /// The value in the file.
    package var name: String {
      switch self {
      case .enabled: "enabled"
      case .disabled: "disabled"
      case .observe: "observe"
      }
    }
  }
}
