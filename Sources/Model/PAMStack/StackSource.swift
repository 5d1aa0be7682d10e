/// A source of service files.
package protocol StackSource {
  /// Returns the file of a service, or an included file, by its plain name; nil if it does not
  /// exist.
  func file(_ name: [UInt8]) throws(StackRefusal) -> StackFile?
}

/// A service file that has not been parsed.
package struct StackFile: Sendable {
  /// The path, for messages.
  package let path: [UInt8]
  /// The content of the file.
  package let contents: [UInt8]

  /// Creates a file.
  package init(path: [UInt8], contents: [UInt8]) {
    self.path = path
    self.contents = contents
  }

  /// The maximum length of a file in bytes.
  package static var longest: Int { 65_536 }
}
