import MFABase

/// Why the files for offline sign-ins cannot be used.
package enum OfflineStoreError: Error, Equatable, Sendable {
  /// A call to the system failed.
  case system(SystemError)
  /// The folder, or a folder above it, belongs to another user, or another user may write to it.
  case untrusted
  /// Another relay uses the files.
  case inUse
  /// A file is not as a relay wrote it.
  case damaged
  /// libcrypto failed.
  case cryptography

  /// The reason in a word, for the log.
  package var name: StaticString {
    switch self {
    case .system: "system"
    case .untrusted: "untrusted"
    case .inUse: "in-use"
    case .damaged: "damaged"
    case .cryptography: "cryptography"
    }
  }
}
