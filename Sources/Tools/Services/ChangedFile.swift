import MFAAdmin
import MFABase

/// A file that a change has written, with the data needed to restore it.
package struct ChangedFile: Equatable {
  /// The absolute path.
  package let path: String
  /// The contents before the change, or nil if the file did not exist.
  package let old: [UInt8]?
  /// The contents that the change wrote.
  package let new: [UInt8]
  /// The permissions: the lower twelve bits of the mode.
  package let permissions: UInt32
  /// The owner's uid.
  let owner: UInt32
  /// The group's gid.
  package let group: UInt32

  /// The action that restores a file.
  package enum Restoration: Equatable {
    /// No action: the file is as it was.
    case unchanged
    /// No action: another program or an administrator has removed our lines or the file.
    case gone
    /// Remove the file, which contains nothing but our lines.
    case remove
    /// Write these contents. If `isExact`, they are the old contents, byte for byte. Otherwise the
    /// file was edited since, and they are the current contents without our lines.
    case write([UInt8], isExact: Bool)
    /// Write the old contents, or remove the file if there were none, and keep what is there now
    /// beside the file.
    case putBack
    /// Write these contents, which are the current ones without our lines, and keep what is there now
    /// beside the file: this line was edited between our marks.
    case writeKeeping([UInt8], editedLine: Int)
  }

  /// The file before the change, or nil if it did not exist.
  var saved: SystemFile? {
    old.map { SystemFile(contents: $0, permissions: permissions, group: group) }
  }

  /// Returns the action that restores the file if `present` is at its path.
  ///
  /// `isTrial` is whether the change has not been confirmed. Then the old file is restored whatever
  /// was edited: any edit, also one outside our marks, may be what locks users out.
  package func remedy(
    service: [UInt8], present: PresentFile, isTrial: Bool = false
  ) -> Restoration {
    if isTrial { return trialRemedy(present) }
    if present.contents == old { return .unchanged }
    guard let contents = present.contents else { return .gone }
    let marks = MarkedText(service: service)
    // The old file may have had what was left of our lines.
    if contents == new { return old.map { .write(marks.without($0), isExact: true) } ?? .remove }
    switch marks.removing(from: contents) {
    case .absent: return .gone
    case .removed(let rest, nil):
      return rest.isEmpty && old == nil ? .remove : .write(rest, isExact: false)
    case .removed(let rest, let line?):
      return rest.isEmpty && old == nil ? .putBack : .writeKeeping(rest, editedLine: line)
    }
  }

  private func trialRemedy(_ present: PresentFile) -> Restoration {
    switch present {
    case .absent: return old == nil ? .unchanged : .putBack
    case .other: return .putBack
    case .regular(let file, let isTrusted):
      if isTrusted, file == saved { return .unchanged }
      guard file.contents == old || file.contents == new else { return .putBack }
      // Its owner or its permissions may have changed. Nothing was edited.
      return old.map { .write($0, isExact: true) } ?? .remove
    }
  }
}

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
  static func at(_ path: String) throws(AdminError) -> PresentFile {
    do throws(AdminError) {
      return try SystemFile.inFolder(of: path, .any) { (folder, name, _) throws(SystemError) in
        try at(name, in: folder)
      }
    } catch {
      if case .file(_, let cause) = error, cause.isNotFound { return .absent }
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
  func keep(of path: String) throws(AdminError) -> String {
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
  ) throws(AdminError) -> Bool {
    if let contents { return taken.contents == contents }
    return try Self.identity(path) == Self.identity(copy)
  }

  private static func identity(_ path: String) throws(AdminError) -> FileIdentity? {
    try SystemFile.inFolder(of: path, .any) { (folder, name, _) throws(SystemError) in
      try folder.identity(of: name)
    }
  }

  private func keep(_ path: String, at copy: String) throws(AdminError) {
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
        throw .file(copy, error)
      }
    }
  }

  private static func isFolder(_ path: String) throws(AdminError) -> Bool {
    try SystemFile.inFolder(of: path, .any) { (folder, name, _) throws(SystemError) in
      try folder.status(of: name).kind == .directory
    }
  }
}
