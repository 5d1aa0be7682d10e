import MFAAdmin
import MFABase

/// What is at the path of a file that a change has written, whoever put it there.
package enum PresentFile: Equatable {
  /// Nothing.
  case absent
  /// A regular file. `isTrusted` is whether only root can have written it.
  case regular(SystemFile, isTrusted: Bool)
  /// Anything else: a symbolic link, a folder, or a file that is too large or cannot be read.
  case other

  /// The contents, if they are known.
  package var contents: [UInt8]? {
    guard case .regular(let file, _) = self else { return nil }
    return file.contents
  }

  /// The regular file, if it is one.
  var file: SystemFile? {
    guard case .regular(let file, _) = self else { return nil }
    return file
  }

  /// Looks at a path without following a symbolic link.
  ///
  /// MUST 1: nothing but a missing folder or a path that cannot be examined makes this fail, because
  /// a rollback begins with it. (`EndToEnd.Enable.editedOnTrial`)
  static func at(_ path: String) throws(ChangeError) -> PresentFile {
    do throws(ChangeError) {
      var present = PresentFile.absent
      try SystemFile.inFolder(of: path, .any) { (folder, name, _) throws(SystemError) in
        present = try at(name, in: folder)
      }
      return present
    } catch {
      if case .file(_, .system(let error)) = error, error.isNotFound { return .absent }
      throw error
    }
  }

  private static func at(
    _ name: FileName, in folder: borrowing Directory
  ) throws(SystemError) -> PresentFile {
    do throws(SystemError) {
      guard try folder.status(of: name).kind == .regular else { return .other }
    } catch {
      guard error.isNotFound else { throw error }
      return .absent
    }
    do throws(SystemError) {
      let file = try folder.fileForReading(name)
      let status = try file.status()
      guard status.kind == .regular, status.size <= SystemFile.longest else { return .other }
      return .regular(
        SystemFile(
          contents: try file.read(count: Int(clamping: status.size)),
          permissions: status.permissions, group: status.group),
        isTrusted: SystemFile.distrust(status) == nil)
    } catch {
      return .other
    }
  }

  /// Keeps what is at a path in a new file beside it, under a name that neither PAM nor sshd reads.
  /// Only root can write to the new file. A symbolic link is kept as a link.
  ///
  /// - Returns: the path of the new file, or of an earlier one that already has the same contents.
  func keep(of path: String) throws(ChangeError) -> String {
    var number = 0
    while true {
      let copy = path + (number == 0 ? "" : ".\(number)") + ".mfa-edited"
      let taken = try PresentFile.at(copy)
      guard taken == .absent || number == 99 else {
        if try isKept(taken, at: copy, path) { return copy }
        number += 1
        continue
      }
      try keep(path, at: copy)
      return copy
    }
  }

  private func isKept(
    _ taken: PresentFile, at copy: String, _ path: String
  ) throws(ChangeError) -> Bool {
    if let contents { return taken.contents == contents }
    return try Self.identity(path) == Self.identity(copy)
  }

  private static func identity(_ path: String) throws(ChangeError) -> FileIdentity? {
    var identity: FileIdentity?
    try SystemFile.inFolder(of: path, .any) { (folder, name, _) throws(SystemError) in
      identity = try folder.identity(of: name)
    }
    return identity
  }

  private func keep(_ path: String, at copy: String) throws(ChangeError) {
    switch self {
    case .absent: return
    case .regular(let file, _):
      let permissions = file.permissions & 0o755
      try SystemFile(contents: file.contents, permissions: permissions, group: file.group)
        .write(to: copy, .any)
    case .other:
      let isFolder = try Self.isFolder(path)
      do throws(SystemError) {
        // A folder cannot have two names.
        if isFolder {
          try ChangeFolder.move(path, to: copy)
        } else {
          try ChangeFolder.link(path, as: copy)
        }
      } catch {
        throw .file(copy, .system(error))
      }
    }
  }

  private static func isFolder(_ path: String) throws(ChangeError) -> Bool {
    var isFolder = false
    try SystemFile.inFolder(of: path, .any) { (folder, name, _) throws(SystemError) in
      isFolder = try folder.status(of: name).kind == .directory
    }
    return isFolder
  }
}
