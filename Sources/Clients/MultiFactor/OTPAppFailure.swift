import MFAMessages

/// The reason why no app got the URL of a secret.
public enum OTPAppFailure: CaseIterable, Equatable, Sendable {
  /// libsystemd, which speaks D-Bus for this library, is not installed.
  case libraryMissing
  /// The process has no session bus, or the bus does not answer: the user is not signed in to a
  /// desktop.
  case noSessionBus
  /// No app is installed for the scheme `otpauth`.
  case noHandler
  /// The user's app for the scheme `otpauth` takes URLs only as arguments, which every user of the
  /// host can read. Its desktop file lacks `DBusActivatable=true`.
  case handlerNeedsArguments
  /// The app could not be started, or it refused the URL.
  case handlerFailed
  /// The app did not reply within 30 seconds.
  case timedOut
  /// The text is not an `otpauth:` URL.
  case unsupportedURL
}

extension OTPAppFailure {
  /// The reason as messages name it.
  var obstacle: AuthenticatorAppObstacle {
    switch self {
    case .libraryMissing, .noSessionBus: .noDesktop
    case .noHandler: .noApp
    case .handlerNeedsArguments: .appExposesKey
    case .handlerFailed, .timedOut: .appFailed
    case .unsupportedURL: .noLink
    }
  }
}
