import MFASystem

/// The location of the key file. The directories above it are checked once, however often the key
/// is read.
public final class KeyFile {
  private let directory: Directory
  private let name: FileName

  /// Opens and checks the directory of the key file.
  ///
  /// Throws before the object exists: see `LocalFactorStoreEntry`.
  public convenience init(_ path: TrustedPath) throws(FactorStoreError) {
    self.init(try path.parent(of: .key), path.last)
  }

  private init(_ directory: consuming Directory, _ name: FileName) {
    self.directory = directory
    self.name = name
  }

  /// Opens the file, whose owner and mode have not been checked yet. `storeOwner` is the user who
  /// owns the store.
  public func open(storeOwner: UInt32) throws(FactorStoreError) -> File {
    do throws(SystemError) {
      return try directory.fileForReading(name)
    } catch {
      throw refusal(error, of: .key, name, in: directory, owner: storeOwner)
    }
  }
}
