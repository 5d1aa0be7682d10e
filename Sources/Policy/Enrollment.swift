extension Configuration {
  /// Who enrolls a second factor, and when.
  public enum Enrollment: UInt8, CaseIterable, Sendable {
    /// People who want one enroll it; who has none signs in without.
    case selfService

    /// The value in the file.
    public var name: String {
      switch self {
      case .selfService: "self-service"
      }
    }
  }
}
