/// Why no app could be given the URL of a secret.
public enum OTPAppFailure: Equatable, Sendable {
  /// libsystemd, which speaks D-Bus for this library, is not installed.
  case libraryMissing
  /// The process has no session bus, or the bus does not answer: the user is not signed in to a
  /// desktop.
  case noSessionBus
  /// The session bus has no portal (`org.freedesktop.portal.Desktop`).
  case noPortal
  /// The desktop has no handler for the scheme `otpauth`, or the handler failed.
  case noHandler
  /// The user cancelled.
  case cancelled
  /// The desktop did not answer within two minutes.
  case timedOut
  /// The text is not an `otpauth:` URL.
  case unsupportedURL
}
