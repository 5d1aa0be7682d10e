/// The consequences of removing a factor.
public struct Unenrollment: Equatable, Sendable {
  /// Whether the factor was the most recently enrolled one. If so, the user is signed out: the
  /// session is invalid. The host clears remembered sign-ins after any removal.
  public let signedOut: Bool
  /// Whether policy requires the user's other sessions on the host to end. The caller must end
  /// them, because the helper is not permitted to.
  public let endsSessions: Bool
}
