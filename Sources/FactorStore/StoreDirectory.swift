import System

/// A directory of the store's that was opened and judged once, for all who read and write in it.
///
/// MUST 1: it is of mode 0700 or 02700 and belongs to the store's owner. (`LocalFactorStoreTests`)
final class StoreDirectory {
  let opened: Directory

  /// Opens `name` in the store's directory.
  ///
  /// Throws before there is an object: see `LocalFactorStoreEntry`.
  convenience init(
    _ name: StaticString, in store: borrowing Directory, owner: UInt32,
    _ part: FactorStoreError.Part
  ) throws(FactorStoreError) {
    guard let fileName = FileName(name) else { throw .nameTooLong }
    let directory = try onPart(part) { () throws(SystemError) in try store.directory(fileName) }
    guard try Self.owner(of: directory, part) == owner else { throw .untrusted(part, .wrongOwner) }
    self.init(judged: directory)
  }

  /// One that was opened and judged.
  init(judged directory: consuming Directory) { opened = directory }

  /// The owner of a directory that only its owner may enter.
  static func owner(
    of directory: borrowing Directory, _ part: FactorStoreError.Part
  ) throws(FactorStoreError) -> UInt32 {
    let status: FileStatus
    do throws(SystemError) { status = try directory.status() } catch { throw .system(part, error) }
    // With 02000 what is made in it belongs to its group, whoever started the helper.
    guard status.permissions & ~0o2000 == 0o700 else { throw .untrusted(part, .wrongPermissions) }
    return status.owner
  }
}
