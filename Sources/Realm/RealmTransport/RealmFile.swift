import MFABase
import MFARealm

/// A configuration, certificate or key file of the realm.
///
/// MUST 1: a file that a user other than root or this process's user could have written is not used.
/// (Tests/Fleet: `untrusted files`)
/// MUST 2: a key is not used if another user may read it. (Tests/Fleet: `untrusted files`)
/// MUST 3: a file that is written replaces the earlier one as a whole, and only its owner may read it.
package struct RealmFile {
  private let path: TrustedPath
  /// The path as text.
  package let text: String

  private static var longest: Int64 { 1_048_576 }

  /// Creates a value. Throws if the path is not absolute.
  package init(_ path: String) throws(RealmError) {
    guard let trusted = TrustedPath(Array(path.utf8)) else {
      throw RealmError("\(path) is not an absolute path", hint: "write the path from the root on")
    }
    self.path = trusted
    text = path
  }

  /// Reads the file.
  package func read(isSecret: Bool = false) throws(RealmError) -> [UInt8] {
    do throws(SystemError) {
      return try contents(in: try ownFolder()) { status in
        Self.isOwner(status.owner) && (!isSecret || status.permissions & 0o077 == 0)
      }
    } catch {
      throw Self.error("cannot read \(text)", error, isSecret: isSecret)
    }
  }

  /// Reads a file that a program wrote into the folder of its own user. Only the user of the program vouches for the
  /// content, so nothing may depend on it.
  package func readReport() throws(RealmError) -> [UInt8] {
    do throws(SystemError) {
      let folder = try folder()
      let owner = try Self.owner(of: folder)
      return try contents(in: folder) { $0.owner == owner }
    } catch {
      throw Self.error("cannot read \(text)", error, isSecret: false)
    }
  }

  private func contents(
    in folder: borrowing Directory, if isTrusted: (FileStatus) -> Bool
  ) throws(SystemError) -> [UInt8] {
    let file = try folder.fileForReading(path.last)
    let status = try file.status()
    guard status.kind == .regular, isTrusted(status), !status.isWritableByOthers else {
      throw .forbidden(.read)
    }
    guard status.size <= Self.longest else { throw SystemError(.read, number: 27 /* EFBIG */) }
    return try file.read(count: Int(clamping: status.size))
  }

  /// Replaces the file, or creates it.
  package func write(_ bytes: [UInt8]) throws(RealmError) {
    do throws(SystemError) {
      let folder = try ownFolder()
      guard let temporary = FileName([0x2E] + path.last.bytes.prefix(200) + Array(".new".utf8))
      else { throw .forbidden(.write) }
      try folder.replace(path.last, with: bytes, by: temporary)
    } catch {
      throw Self.error("cannot write \(text)", error, isSecret: false)
    }
  }

  /// Opens the folder of the file, whose parents must belong to root or to this process's user.
  private func folder() throws(SystemError) -> Directory {
    let folder = Array(path.bytes.dropLast(path.last.bytes.count + 1))
    guard let folder = TrustedPath(folder) else { return try path.parent() }
    try folder.checkParents()
    let directory = try folder.lastDirectory()
    let status = try directory.status()
    guard !status.isWritableByOthers else { throw .untrusted(.wrongPermissions) }
    return directory
  }

  /// Opens the folder of the file, which must belong to root or to this process's user as well.
  private func ownFolder() throws(SystemError) -> Directory {
    let folder = try folder()
    guard Self.isOwner(try Self.owner(of: folder)) else { throw .untrusted(.wrongOwner) }
    return folder
  }

  private static func owner(of folder: borrowing Directory) throws(SystemError) -> UInt32 {
    try folder.status().owner
  }

  private static func isOwner(_ owner: UInt32) -> Bool {
    owner == 0 || owner == ProcessIdentity.current.user
  }

  private static func error(
    _ what: String, _ error: SystemError, isSecret: Bool
  ) -> RealmError {
    if let distrust = error.distrust {
      return RealmError(
        "\(what): a folder of the path is not trusted (\(distrust.name))",
        hint: "each folder must belong to root, and only root may write to it")
    }
    guard error.isForbidden, error.call == .read else {
      return RealmError("\(what): \(error.text)")
    }
    return RealmError(
      "\(what): the file is not trusted",
      hint: isSecret
        ? "the file must belong to root or to the user of this program, with mode 0600"
        : "the file must belong to root, and only root may write to it")
  }
}
