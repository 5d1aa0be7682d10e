/// Why an opened file or directory is not trusted.
package enum TrustFailure: UInt8, Error, Sendable {
  case symbolicLink, notARegularFile, notADirectory, wrongOwner, wrongPermissions, severalNames
  case empty, tooLarge, wrongSize

  /// The reason, as written in log lines and messages.
  package var name: StaticString {
    switch self {
    case .symbolicLink: "symbolic-link"
    case .notARegularFile: "not-a-regular-file"
    case .notADirectory: "not-a-directory"
    case .wrongOwner: "wrong-owner"
    case .wrongPermissions: "wrong-permissions"
    case .severalNames: "several-names"
    case .empty: "empty"
    case .tooLarge: "too-large"
    case .wrongSize: "wrong-size"
    }
  }
}

extension FileStatus {
  /// Returns nil if this is a regular file with a single hard link, an owner among `owners` and
  /// exactly `permissions`; otherwise returns what is wrong.
  ///
  /// With `mayBeReplaced`, the file may have no link: another process replaced or removed it after it
  /// was opened.
  package func distrust(
    owners: (UInt32, UInt32), permissions: UInt32, mayBeReplaced: Bool = false
  ) -> TrustFailure? {
    if kind != .regular { return .notARegularFile }
    if owner != owners.0 && owner != owners.1 { return .wrongOwner }
    if self.permissions != permissions { return .wrongPermissions }
    if links > 1 || links == 0 && !mayBeReplaced { return .severalNames }
    return nil
  }
}
