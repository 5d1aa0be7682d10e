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
    case none
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
    if present.contents == old { return .none }
    guard let contents = present.contents else { return .gone }
    if contents == new { return old.map { .write($0, isExact: true) } ?? .remove }
    switch MarkedText(service: service).removing(from: contents) {
    case .absent: return .gone
    case .removed(let rest, nil):
      return rest.isEmpty && old == nil ? .remove : .write(rest, isExact: false)
    case .removed(let rest, let line?):
      return rest.isEmpty && old == nil ? .putBack : .writeKeeping(rest, editedLine: line)
    }
  }

  private func trialRemedy(_ present: PresentFile) -> Restoration {
    switch present {
    case .absent: return old == nil ? .none : .putBack
    case .other: return .putBack
    case .regular(let file, let isTrusted):
      if isTrusted, file == saved { return .none }
      guard file.contents == old || file.contents == new else { return .putBack }
      // Its owner or its permissions may have changed. Nothing was edited.
      return old.map { .write($0, isExact: true) } ?? .remove
    }
  }
}
