/// The reason why no app on a desktop got the setup link of a key.
package enum AuthenticatorAppObstacle: CaseIterable, Equatable, Sendable {
  /// No app is installed for setup links.
  case noApp
  /// The app takes links only where all users can read them.
  case appExposesKey
  /// The app did not start, refused the link or did not reply.
  case appFailed
  /// The program is not connected to a desktop.
  case noDesktop
  /// The text is not a setup link.
  case noLink
}
