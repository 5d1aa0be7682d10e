import MFAAdmin
import MFABase

/// A root-owned file in a root-owned folder, which is read and replaced as a whole.
///
/// MUST 1: links are not followed, and files that another user could have written are rejected.
/// Only a rollback before the confirmation replaces such a file (`PresentFile`).
/// MUST 2: at every moment, and after a crash, a path has either the old file or the new file.
/// (`ChangeFaults`)
package struct SystemFile: Equatable {
  /// The contents.
  package let contents: [UInt8]
  /// The permissions.
  package let permissions: UInt32
  /// The group's gid.
  package let group: UInt32

  /// Which folders a file may be in.
  package enum FolderRequirement {
    /// Those that only root can change.
    case rootOnly
    /// Any: a rollback before the confirmation must not fail because of a folder's permissions.
    case any
  }

  /// The maximum size of a file that is read, in bytes.
  static var longest: Int64 { 1 << 24 }

  /// Reads a file. Returns nil if the file or its folder does not exist.
  package static func read(_ path: String) throws(AdminError) -> SystemFile? {
    let trusted = try place(path)
    do throws(SystemError) {
      let (contents, status) = try trusted.contents(longest: Int(longest))
      if let distrust = Self.distrust(status) { throw .untrusted(distrust) }
      return SystemFile(
        contents: contents, permissions: status.permissions, group: status.group)
    } catch {
      if error.isNotFound { return nil }
      throw .file(path, error)
    }
  }

  static func distrust(_ status: FileStatus) -> TrustFailure? {
    status.distrust ?? (status.links != 1 ? .severalNames : nil)
  }

  /// Writes this file and atomically replaces what is at the path, including a symbolic link.
  func write(to path: String, _ folders: FolderRequirement = .rootOnly) throws(AdminError) {
    try Self.inFolder(of: path, folders) { (folder, name, draft) throws(SystemError) in
      try folder.replace(name, by: draft, contents) { (file) throws(SystemError) in
        try file.changeGroup(to: group)
        try file.changeMode(to: permissions)
      }
    }
  }

  /// Returns the name of the draft of a file, or nil if it is too long. The name is hidden, so that
  /// neither PAM nor sshd reads the draft.
  static func draft(of name: FileName) -> FileName? {
    FileName(Array(".".utf8) + name.bytes + Array(".mfa-new".utf8))
  }

  /// Writes this file as a backup copy next to another file, which it can replace even if the disk is
  /// full.
  func reserve(for path: String) throws(AdminError) { try write(to: Self.reserved(path)) }

  /// Replaces what is at a path with the backup copy, if the copy is equal to this file. Returns
  /// whether it did.
  func putReserve(to path: String, _ folders: FolderRequirement) throws(AdminError) -> Bool {
    let reserve = try Self.reserved(path)
    guard try PresentFile.at(reserve) == .regular(self, isTrusted: true) else { return false }
    let name = try Self.place(reserve).last
    try Self.inFolder(of: path, folders) { (folder, target, _) throws(SystemError) in
      try folder.rename(name, to: target)
      try folder.sync()
    }
    return true
  }

  /// Returns whether a file has a backup copy, which exists before the file is changed.
  static func hasReserve(_ path: String) throws(AdminError) -> Bool {
    try PresentFile.at(try reserved(path)) != .absent
  }

  /// Removes a file's backup copy, if it exists.
  static func removeReserve(
    of path: String, _ folders: FolderRequirement = .rootOnly
  ) throws(AdminError) {
    try remove(try reserved(path), folders)
  }

  /// Returns the path of the backup copy. The name is hidden, so that neither PAM nor sshd reads
  /// the copy.
  private static func reserved(_ path: String) throws(AdminError) -> String {
    let name = try place(path).last.bytes
    return String(path.dropLast(name.count)) + "." + String(decoding: name, as: UTF8.self)
      + ".mfa-old"
  }

  /// Removes a file, if it exists, and its draft. Does nothing if the folder does not exist.
  package static func remove(
    _ path: String, _ folders: FolderRequirement = .rootOnly
  ) throws(AdminError) {
    try ifFolderExists { () throws(AdminError) in
      try inFolder(of: path, folders) { (folder, name, draft) throws(SystemError) in
        try remove(draft, in: folder)
        try remove(name, in: folder)
        try folder.sync()
      }
    }
  }

  /// Removes a draft left behind by an interrupted process.
  static func removeDraft(of path: String, _ folders: FolderRequirement) throws(AdminError) {
    try ifFolderExists { () throws(AdminError) in
      try inFolder(of: path, folders) { (folder, _, draft) throws(SystemError) in
        try remove(draft, in: folder)
      }
    }
  }

  private static func ifFolderExists(_ body: () throws(AdminError) -> Void) throws(AdminError) {
    do throws(AdminError) { try body() } catch {
      guard case .file(_, let cause) = error, cause.isNotFound else { throw error }
    }
  }

  /// Waits until the folder of a file is on the disk.
  static func sync(folderOf path: String) throws(AdminError) {
    try inFolder(of: path) { (folder, _, _) throws(SystemError) in try folder.sync() }
  }

  private static func remove(
    _ name: FileName, in folder: borrowing Directory
  ) throws(SystemError) {
    do throws(SystemError) { try folder.unlink(name) } catch  where error.isNotFound {}
  }

  /// Calls `body` with the open folder of a path, the name of the file, and the name of its draft.
  static func inFolder<Value>(
    of path: String, _ folders: FolderRequirement = .rootOnly,
    _ body: (borrowing Directory, _ name: FileName, _ draft: FileName) throws(SystemError) -> Value
  ) throws(AdminError) -> Value {
    let trusted = try place(path)
    guard let draft = draft(of: trusted.last) else { throw .file(path, .untrusted(.tooLarge)) }
    do throws(SystemError) {
      let folder = try folder(of: trusted, folders)
      return try body(folder, trusted.last, draft)
    } catch {
      throw .file(path, error)
    }
  }

  private static func folder(
    of path: TrustedPath, _ folders: FolderRequirement
  ) throws(SystemError) -> Directory {
    let folder = path.bytes.dropLast(path.last.bytes.count + 1)
    guard folders == .any, let folder = TrustedPath(Array(folder)) else {
      return try path.parent()
    }
    return try folder.lastDirectory()
  }

  /// Returns the sorted names in a folder, either only the hidden names or only the others. Returns
  /// an empty array if the folder does not exist.
  package static func names(in path: String, hidden: Bool = false) throws(AdminError) -> [String] {
    do throws(SystemError) {
      return try TrustedPath.names(in: path) { ($0.first == UInt8(ascii: ".")) == hidden }
    } catch {
      if error.isNotFound { return [] }
      throw .file(path, error)
    }
  }

  private static func place(_ path: String) throws(AdminError) -> TrustedPath {
    guard let trusted = TrustedPath(Array(path.utf8)) else {
      throw .file(path, .untrusted(.notARegularFile))
    }
    return trusted
  }
}
