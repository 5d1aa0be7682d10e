import MFABase

/// The sealing key, which is read again when its files have changed.
///
/// MUST 1: a key that was replaced is in use at the next `read`. (`StoreCacheTests`)
package final class CachedKey {
  private let path: TrustedPath
  private let owner: UInt32
  /// Whether the key is kept in memory once it has been read. An application must not keep it: a
  /// prompt can last for minutes.
  private let keepsKey: Bool
  /// The location of the key file, once the key has been read.
  private var keyFile: KeyFile?
  private var keptKey: SealingKey?
  /// The version of the key's files that `keptKey` was read from.
  private var keptKeyVersion: KeyFile.Version?

  /// Creates a cache for the key at `path`, which belongs to `owner`. Nothing is read yet.
  package init(_ path: TrustedPath, owner: UInt32, keepsKey: Bool) {
    self.path = path
    self.owner = owner
    self.keepsKey = keepsKey
  }

  /// Returns the key, and reads it if necessary.
  package func read() throws(FactorStoreError) -> SealingKey {
    let file = try file()
    guard keepsKey else { return try SealingKey(file, storeOwner: owner) }
    let version = try file.version()
    if version == keptKeyVersion, let key = keptKey?.shared() { return key }
    keptKey = nil
    keptKeyVersion = nil
    let time = Clock.nanoseconds()
    let key = try SealingKey(file, storeOwner: owner)
    // A younger version may become that of another key, so it is no better than none.
    if version.isOld(at: time) {
      keptKey = key.shared()
      keptKeyVersion = version
    }
    return key
  }

  /// Returns the location of the key file, whose directories have been checked.
  package func file() throws(FactorStoreError) -> KeyFile {
    if let keyFile { return keyFile }
    let file = try KeyFile(path)
    keyFile = file
    return file
  }
}
