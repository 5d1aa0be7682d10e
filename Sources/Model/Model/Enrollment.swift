extension Configuration {
  /// Whether and when users enrol a second factor, from the most lenient to the strictest.
  package enum Enrollment: Int64, CaseIterable, Sendable {
    /// Enrolment is optional. A user without a factor signs in without a code.
    case selfService
    /// A user without a factor can sign in without a code until `Settings.Offer` ends, and must
    /// enrol then.
    case offered
    /// A user without a factor must enrol one to sign in.
    case required

    /// The value in the file.
    package var name: String {
      switch self {
      case .selfService: "self-service"
      case .offered: "offered"
      case .required: "required"
      }
    }
  }
}
