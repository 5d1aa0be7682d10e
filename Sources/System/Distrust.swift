/// Why something that was opened is not what it must be.
public enum Distrust: UInt8, Error, Sendable {
  case symbolicLink, notARegularFile, notADirectory, wrongOwner, wrongPermissions, severalNames
  case empty, tooLarge, wrongSize

  /// The reason as log lines and messages name it.
  public var name: StaticString {
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
  /// Nil when this is a regular file with one name, of one of `owners`, with exactly `permissions`.
  public func distrust(owners: (UInt32, UInt32), permissions: UInt32) -> Distrust? {
    if kind != .regular { return .notARegularFile }
    if owner != owners.0 && owner != owners.1 { return .wrongOwner }
    if self.permissions != permissions { return .wrongPermissions }
    if links != 1 { return .severalNames }
    return nil
  }
}
