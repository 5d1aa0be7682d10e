import Secrets

/// Where a line stands.
public struct StackPosition: Equatable, Sendable {
  /// The file's path.
  public let file: [UInt8]
  /// The line's number, from 1; that of the first one where it is continued.
  public let line: Int

  /// Puts a position together.
  public init(file: [UInt8], line: Int) {
    self.file = file
    self.line = line
  }

  /// `/etc/pam.d/sshd:12`
  public var text: [UInt8] { file + joined([":", decimal(Int64(line))]) }
}
