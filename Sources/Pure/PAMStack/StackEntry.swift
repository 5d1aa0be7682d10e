/// A line of a stack, which may come from an included file.
public struct StackEntry: Equatable, Sendable {
  /// The effect of the line.
  public enum Kind: Equatable, Sendable {
    /// Calls a module.
    case module(name: [UInt8], arguments: [[UInt8]], StackControl)
    /// Begins a substack, which consists of the following entries of a higher level.
    case substack
  }

  /// The source location of the line.
  public let position: StackPosition
  /// The effect of the line.
  public let kind: Kind
  /// The number of substacks that contain the line.
  public let level: Int

  /// Returns whether the entry calls the module with this file name in the folder from which libpam
  /// loads modules: by its name alone, or in a folder named `security`.
  public func asks(module file: StaticString) -> Bool {
    switch kind {
    case .substack: return false
    case .module(let name, _, _):
      var parts: [[UInt8]] = [[]]
      for byte in name {
        if byte == UInt8(ascii: "/") {
          parts = [parts.last ?? [], []]
        } else {
          let part = parts.popLast() ?? []
          parts.append(part + [byte])
        }
      }
      guard parts.last == Word.bytes(file) else { return false }
      return parts.count == 1 || parts.first == Word.bytes("security")
    }
  }
}
