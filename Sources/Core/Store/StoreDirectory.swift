import MFABase

/// A directory of the store, opened and checked once for all its readers and writers.
///
/// MUST 1: the directory has mode 0700 or 02700 and belongs to the store's owner.
/// (`LocalFactorStoreTests`)
package final class StoreDirectory {
  /// The open directory.
  package let opened: Directory

  /// Opens `name` in the store's directory.
  ///
  /// Throws before the object exists: see `LocalFactorStoreEntry`.
  package convenience init(
    _ name: StaticString, in store: borrowing Directory, owner: UInt32,
    _ part: FactorStoreError.Part
  ) throws(FactorStoreError) {
    guard let fileName = FileName(name) else { throw .nameTooLong }
    let directory = try onPart(part) { () throws(SystemError) in try store.directory(fileName) }
    guard try Self.owner(of: directory, part) == owner else { throw .untrusted(part, .wrongOwner) }
    self.init(judged: directory)
  }

  /// Creates a value from a directory that has been opened and checked.
  package init(judged directory: consuming Directory) { opened = directory }

  /// Returns the owner of a directory that only its owner may enter.
  package static func owner(
    of directory: borrowing Directory, _ part: FactorStoreError.Part
  ) throws(FactorStoreError) -> UInt32 {
    let status: FileStatus
    do throws(SystemError) { status = try directory.status() } catch { throw .system(part, error) }
    // Mode bit 02000 gives new files the directory's group, whichever user started the helper.
    guard status.permissions & ~0o2000 == 0o700 else { throw .untrusted(part, .wrongPermissions) }
    return status.owner
  }
}
