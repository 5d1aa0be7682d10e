import PAMStack

/// Service files as they would be if some of them held something else.
struct OverlaidStacks<Base: StackSource>: StackSource {
  /// The files as they are.
  let base: Base
  /// What others would hold, by name.
  private(set) var drafts: [[UInt8]: StackFile] = [:]
  /// Whether the service `other` counts.
  var hasOther = true

  init(_ base: Base) { self.base = base }

  /// The file of a service, holding something else.
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
