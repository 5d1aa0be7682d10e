extension Configuration {
  /// Who enrolls a second factor, and when.
  public enum Enrollment: UInt8, CaseIterable, Sendable {
    /// People who want one enroll it; who has none signs in without.
    case selfService
    /// Who has none signs in without as long as `Settings.Offer` allows, and has to enroll one then.
    case offered
    /// Who has none has to enroll one in order to sign in.
    case required

    /// The value in the file.
    public var name: String {
      switch self {
      case .selfService: "self-service"
      case .offered: "offered"
      case .required: "required"
      }
    }
  }
}
