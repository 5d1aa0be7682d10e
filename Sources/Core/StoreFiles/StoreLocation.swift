import MFABytes
public import MFASystem

/// The location of the local store and of its key.
public struct StoreLocation: Sendable {
  /// The store's directory, of mode 0700. Its owner owns everything in it.
  public let directory: TrustedPath

  /// The file with the sealing key.
  public let key: TrustedPath

  /// Creates a location.
  public init(directory: TrustedPath, key: TrustedPath) {
    self.directory = directory
    self.key = key
  }

  /// The default location: /var/lib/mfa and /etc/mfa/key. Never nil, because both paths are
  /// well-formed.
  public static var standard: StoreLocation? {
    guard let directory = TrustedPath(InstalledPath.store), let key = TrustedPath(InstalledPath.key)
    else { return nil }
    return StoreLocation(directory: directory, key: key)
  }
}
