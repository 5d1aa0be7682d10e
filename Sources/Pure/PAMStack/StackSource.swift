/// A source of service files.
public protocol StackSource {
  /// Returns the file of a service, or an included file, by its plain name; nil if it does not
  /// exist.
  func file(_ name: [UInt8]) throws(StackRefusal) -> StackFile?
}

/// A service file that has not been parsed.
public struct StackFile: Sendable {
  /// The path, for messages.
  public let path: [UInt8]
  /// The content of the file.
  public let contents: [UInt8]

  /// Creates a file.
  public init(path: [UInt8], contents: [UInt8]) {
    self.path = path
    self.contents = contents
  }

  /// The maximum length of a file in bytes.
  public static var longest: Int { 65_536 }
}
