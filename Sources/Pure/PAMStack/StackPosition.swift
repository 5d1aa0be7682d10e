import MFABytes

/// The source location of a line in a service file.
public struct StackPosition: Equatable, Sendable {
  /// The file's path.
  public let file: [UInt8]
  /// The line number, counted from 1. For a continued line, the number of its first line.
  public let line: Int

  /// Creates a position.
  public init(file: [UInt8], line: Int) {
    self.file = file
    self.line = line
  }

  /// The position in the form `/etc/pam.d/sshd:12`.
  public var text: [UInt8] { file + joined([":", decimal(Int64(line))]) }
}
