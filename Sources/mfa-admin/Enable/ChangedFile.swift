/// A file that a change has written, with what it takes to put it back.
struct ChangedFile: Equatable {
  /// The absolute path.
  let path: String
  /// What it held; nil where there was none.
  let old: [UInt8]?
  /// What was written.
  let new: [UInt8]
  /// Its permissions, the lower twelve bits of its mode.
  let permissions: UInt32
  /// Its owner's numeric identity.
  let owner: UInt32
  /// Its group's.
  let group: UInt32

  /// What it takes to put a file back.
  enum Remedy: Equatable {
    /// Nothing: it is as it was before.
    case none
    /// Nothing: somebody has taken our lines out, or the file away.
    case gone
    /// It held nothing but our lines: the file goes.
    case remove
    /// To write this; `isExact` is whether it is what was there, byte for byte. Else the file was
    /// edited since, and this is what it holds without our lines.
    case write([UInt8], isExact: Bool)
    /// Nothing can be done: this line among ours is another's.
    case altered(line: Int)
  }

  /// What it takes, where the file holds `present` now.
  func remedy(service: [UInt8], present: [UInt8]?) -> Remedy {
    if present == old { return .none }
    guard let present else { return .gone }
    if present == new { return old.map { .write($0, isExact: true) } ?? .remove }
    switch MarkedText(service: service).removing(from: present) {
    case .absent: return .gone
    case .altered(let line): return .altered(line: line)
    case .removed(let rest):
      return rest.isEmpty && old == nil ? .remove : .write(rest, isExact: false)
    }
  }
}
