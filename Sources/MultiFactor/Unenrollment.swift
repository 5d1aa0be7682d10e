/// What came of taking a factor away.
public struct Unenrollment: Equatable, Sendable {
  /// Whether the factor was the most recently enrolled one. The person is signed out then: the host
  /// remembers no sign-in any more, and the session is void.
  public let signedOut: Bool
  /// Whether the host's policy wants the person's other sessions on it to end. The caller ends them:
  /// the helper has no right to.
  public let endsSessions: Bool
}
