/// A line of a stack, the lines of other files among them where they are included.
public struct StackEntry: Equatable, Sendable {
  /// What the line does.
  public enum Kind: Equatable, Sendable {
    /// It asks a module.
    case module(name: [UInt8], arguments: [[UInt8]], StackControl)
    /// A substack begins: the entries that follow, as far as their level is higher.
    case substack
  }

  /// Where it stands.
  public let position: StackPosition
  /// What it does.
  public let kind: Kind
  /// In how many substacks it lies.
  public let level: Int

  /// Whether it asks the module of this file name, in the folder that libpam takes modules from: by
  /// the name alone, or in a folder `security`.
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
