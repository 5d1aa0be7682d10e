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
    /// No action: the file has its old contents.
    case none
    /// No action: another program or an administrator has removed our lines or the file.
    case gone
    /// Remove the file, which contains nothing but our lines.
    case remove
    /// Write these contents. If `isExact`, they are the old contents, byte for byte. Otherwise the
    /// file was edited since, and they are the current contents without our lines.
    case write([UInt8], isExact: Bool)
    /// Write the old contents, or remove the file if there were none, and keep the current contents
    /// beside the file.
    case putBack
    /// No safe action: this line between our marks is not one of our lines.
    case altered(line: Int)
  }

  /// Returns the action that restores the file if its current contents are `present`.
  ///
  /// `isTrial` is whether the change has not been confirmed. Then the old contents are restored even
  /// if the file was removed, or edited between our marks: the restoration must not lock users out.
  package func remedy(service: [UInt8], present: [UInt8]?, isTrial: Bool = false) -> Restoration {
    if present == old { return .none }
    guard let present else { return isTrial ? .putBack : .gone }
    if present == new { return old.map { .write($0, isExact: true) } ?? .remove }
    switch MarkedText(service: service).removing(from: present) {
    case .absent: return .gone
    case .altered(let line): return isTrial ? .putBack : .altered(line: line)
    case .removed(let rest):
      return rest.isEmpty && old == nil ? .remove : .write(rest, isExact: false)
    }
  }
}
