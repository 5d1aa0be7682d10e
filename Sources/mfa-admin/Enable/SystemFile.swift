import System

/// A file of root's in a folder of root's, read and replaced as a whole.
///
/// MUST 1: no link is followed, and nothing that another could have written is taken for root's.
/// MUST 2: a file is the old one or the new one at every moment, and after a crash.
/// (`ChangeFaults`)
struct SystemFile: Equatable {
  /// What it holds.
  let contents: [UInt8]
  /// Its permissions.
  let permissions: UInt32
  /// Its group's numeric identity.
  let group: UInt32

  /// The longest that is read, in bytes.
  private static var longest: Int64 { 1 << 24 }

  /// Reads a file; nil where there is none, or no folder for it.
  static func read(_ path: String) throws(ChangeError) -> SystemFile? {
    let trusted = try place(path)
    do throws(TrustedPath.Refusal) {
      let folder = try trusted.parent()
      return try read(trusted.last, in: folder)
    } catch {
      if case .system(let error) = error, error.isNotFound { return nil }
      throw trouble(path, error)
    }
  }

  private static func read(
    _ name: FileName, in folder: borrowing Directory
  ) throws(TrustedPath.Refusal) -> SystemFile {
    var distrust: Distrust?
    do throws(SystemError) {
      let file = try folder.fileForReading(name)
      let status = try file.status()
      distrust = Self.distrust(status)
      if distrust == nil {
        return SystemFile(
          contents: try file.read(count: Int(clamping: status.size)),
          permissions: status.permissions, group: status.group)
      }
    } catch {
      throw error.isSymbolicLink ? .untrusted(.symbolicLink) : .system(error)
    }
    throw .untrusted(distrust ?? .notARegularFile)
  }

  private static func distrust(_ status: FileStatus) -> Distrust? {
    if status.kind != .regular { return .notARegularFile }
    if status.owner != 0 { return .wrongOwner }
    if status.isWritableByOthers { return .wrongPermissions }
    if status.links != 1 { return .severalNames }
    return status.size > longest ? .tooLarge : nil
  }

  /// Puts a file in the place of what has its path, if anything.
  static func write(
    _ contents: [UInt8], permissions: UInt32, group: UInt32, to path: String
  ) throws(ChangeError) {
    try inFolder(of: path) { (folder, name, draft) throws(SystemError) in
      try remove(draft, in: folder)
      do throws(SystemError) {
        try fill(draft, contents, permissions, group, in: folder)
        try folder.rename(draft, to: name)
        try folder.sync()
      } catch {
        // The draft is of no use; that it cannot be removed either changes nothing.
        do throws(SystemError) { try folder.unlink(draft) } catch {}
        throw error
      }
    }
  }

  /// Lays a file beside the one that has its path, so that it can take its place where the disk is full.
  static func reserve(
    _ contents: [UInt8], permissions: UInt32, group: UInt32, for path: String
  ) throws(ChangeError) {
    try write(contents, permissions: permissions, group: group, to: try reserved(path))
  }

  /// Puts what was laid aside in the place of what has its path, where it holds just that; whether it
  /// did.
  static func putReserve(
    _ contents: [UInt8], permissions: UInt32, group: UInt32, to path: String
  ) throws(ChangeError) -> Bool {
    let kept = try read(try reserved(path))
    guard kept == SystemFile(contents: contents, permissions: permissions, group: group) else {
      return false
    }
    guard let name = TrustedPath(Array(try reserved(path).utf8))?.last else { return false }
    try inFolder(of: path) { (folder, target, _) throws(SystemError) in
      try folder.rename(name, to: target)
      try folder.sync()
    }
    return true
  }

  /// Removes what was laid aside, if anything.
  static func removeReserve(of path: String) throws(ChangeError) {
    try remove(try reserved(path))
  }

  /// Where it lies: hidden, so that neither PAM nor sshd takes it for theirs.
  private static func reserved(_ path: String) throws(ChangeError) -> String {
    let name = try place(path).last.bytes
    return String(path.dropLast(name.count)) + "." + String(decoding: name, as: UTF8.self)
      + ".mfa-old"
  }

  /// Removes a file, which may be gone, and its draft.
  static func remove(_ path: String) throws(ChangeError) {
    try inFolder(of: path) { (folder, name, draft) throws(SystemError) in
      try remove(draft, in: folder)
      try remove(name, in: folder)
      try folder.sync()
    }
  }

  /// Removes what a process that was killed has left of a draft.
  static func removeDraft(of path: String) throws(ChangeError) {
    try inFolder(of: path) { (folder, _, draft) throws(SystemError) in
      try remove(draft, in: folder)
    }
  }

  /// Waits until the names in a file's folder are on the disk.
  static func sync(folderOf path: String) throws(ChangeError) {
    try inFolder(of: path) { (folder, _, _) throws(SystemError) in try folder.sync() }
  }

  private static func remove(
    _ name: FileName, in folder: borrowing Directory
  ) throws(SystemError) {
    do throws(SystemError) { try folder.unlink(name) } catch  where error.isNotFound {}
  }

  private static func fill(
    _ draft: FileName, _ contents: [UInt8], _ permissions: UInt32, _ group: UInt32,
    in folder: borrowing Directory
  ) throws(SystemError) {
    let file = try folder.create(draft)
    try file.write(contents)
    try file.changeGroup(to: group)
    try file.changeMode(to: permissions)
    try file.sync()
  }

  private static func inFolder(
    of path: String,
    _ body: (borrowing Directory, _ name: FileName, _ draft: FileName) throws(SystemError) -> Void
  ) throws(ChangeError) {
    let trusted = try place(path)
    let hidden = Array(".".utf8) + trusted.last.bytes + Array(".mfa-new".utf8)
    guard let draft = FileName(hidden) else { throw .file(path, .untrusted(.tooLarge)) }
    do throws(TrustedPath.Refusal) {
      let folder = try trusted.parent()
      do throws(SystemError) { try body(folder, trusted.last, draft) } catch {
        throw .system(error)
      }
    } catch {
      throw trouble(path, error)
    }
  }

  /// The names in a folder, in order, those that are hidden or the others; none where
  /// there is no folder.
  static func names(in path: String, hidden: Bool = false) throws(ChangeError) -> [String] {
    // A file of no name in it: what is opened is the folder.
    guard let inside = TrustedPath(Array((path + "/-").utf8)) else { return [] }
    var names: [String] = []
    do throws(TrustedPath.Refusal) {
      let folder = try inside.parent()
      do throws(SystemError) {
        try folder.forEachEntry { name in
          if (name.bytes.first == UInt8(ascii: ".")) == hidden {
            names.append(String(decoding: name.bytes, as: UTF8.self))
          }
          return true
        }
      } catch {
        throw .system(error)
      }
    } catch {
      if case .system(let error) = error, error.isNotFound { return [] }
      throw trouble(path, error)
    }
    return names.sorted()
  }

  private static func place(_ path: String) throws(ChangeError) -> TrustedPath {
    guard let trusted = TrustedPath(Array(path.utf8)) else {
      throw .file(path, .untrusted(.notARegularFile))
    }
    return trusted
  }

  static func trouble(_ path: String, _ refusal: TrustedPath.Refusal) -> ChangeError {
    switch refusal {
    case .system(let error): .file(path, .system(error))
    case .untrusted(let distrust): .file(path, .untrusted(distrust))
    }
  }
}
