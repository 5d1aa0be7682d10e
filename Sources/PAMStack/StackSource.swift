/// Where service files come from.
public protocol StackSource {
  /// The file of a service, or one that others include, by its plain name; nil where there is none.
  func file(_ name: [UInt8]) throws(StackRefusal) -> StackFile?
}

/// A service file, unread.
public struct StackFile: Sendable {
  /// Its path, for messages.
  public let path: [UInt8]
  /// What it holds.
  public let contents: [UInt8]

  /// Puts a file together.
  public init(path: [UInt8], contents: [UInt8]) {
    self.path = path
    self.contents = contents
  }

  /// The longest file that is read, in bytes.
  public static var longest: Int { 65_536 }
}
