/// A line of a stack, which may come from an included file.
package struct StackEntry: Equatable, Sendable {
  /// The effect of the line.
  package enum Kind: Equatable, Sendable {
    /// Calls a module.
    case module(name: [UInt8], arguments: [[UInt8]], StackControl)
    /// Begins a substack, which consists of the following entries of a higher level.
    case substack
  }

  /// The source location of the line.
  package let position: StackPosition
  /// The effect of the line.
  package let kind: Kind
  /// The number of substacks that contain the line.
  package let level: Int

  /// The file name of the module that the line calls, if libpam loads it from its own folder: the line has the name
  /// alone, or in a folder named `security`. Nil for a module elsewhere, and for a substack.
  package var moduleFile: [UInt8]? {
    guard case .module(let name, _, _) = kind else { return nil }
    var file: [UInt8] = []
    var isElsewhere = false
    for byte in name {
      if byte == UInt8(ascii: "/") {
        isElsewhere = file != Word.bytes("security")
        file = []
      } else {
        file.append(byte)
      }
    }
    return isElsewhere ? nil : file
  }

  /// Returns whether the line calls the module with this file name, and libpam loads it from its own folder.
  package func asks(module file: StaticString) -> Bool { moduleFile == Word.bytes(file) }
}
