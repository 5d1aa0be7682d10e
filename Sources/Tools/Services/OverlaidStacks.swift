import MFAPAMStack

/// The service files with the contents of some of them replaced.
struct OverlaidStacks<Base: StackSource>: StackSource {
  /// The unchanged files.
  let base: Base
  /// The replaced files, by service name.
  private(set) var drafts: [[UInt8]: StackFile] = [:]
  /// Whether the service `other` exists.
  var hasOther = true

  init(_ base: Base) { self.base = base }

  /// Returns a copy in which a service has a different file.
  func replacing(_ name: [UInt8], with file: StackFile) -> OverlaidStacks {
    var copy = self
    copy.drafts[name] = file
    return copy
  }

  func file(_ name: [UInt8]) throws(StackRefusal) -> StackFile? {
    if let draft = drafts[name] { return draft }
    guard hasOther || name != Array("other".utf8) else { return nil }
    return try base.file(name)
  }
}
