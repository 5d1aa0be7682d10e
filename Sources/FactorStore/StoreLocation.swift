public import System

/// Where the local store and its key lie.
public struct StoreLocation: Sendable {
  /// The store's directory, of mode 0700: its owner owns everything in it.
  public let directory: TrustedPath

  /// The file with the sealing key.
  public let key: TrustedPath

  /// Puts a location together.
  public init(directory: TrustedPath, key: TrustedPath) {
    self.directory = directory
    self.key = key
  }

  /// /var/lib/mfa and /etc/mfa/key. Nil never happens: both are well-formed paths.
  public static var standard: StoreLocation? {
    guard let directory = TrustedPath("/var/lib/mfa"), let key = TrustedPath("/etc/mfa/key") else {
      return nil
    }
    return StoreLocation(directory: directory, key: key)
  }
}
