import MFABase

/// The source location of a line in a service file.
package struct StackPosition: Equatable, Sendable {
  /// The file's path.
  package let file: [UInt8]
  /// The line number, counted from 1. For a continued line, the number of its first line.
  package let line: Int

  /// Creates a position.
  package init(file: [UInt8], line: Int) {
    self.file = file
    self.line = line
  }

  /// The position in the form `/etc/pam.d/sshd:12`.
  package var text: [UInt8] { file + joined([":", decimal(Int64(line))]) }
}
