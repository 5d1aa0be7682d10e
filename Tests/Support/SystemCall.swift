/// One system call of a program run, numbered as strace numbers it.
package struct SystemCall: Sendable, Hashable, CustomStringConvertible {
  /// The name.
  package let name: String

  /// The number of calls with this name up to and including this one.
  package let number: Int

  /// The line that strace wrote.
  package let line: String

  /// Creates the `number`th call with a name.
  package init(name: String, number: Int, line: String = "") {
    self.name = name
    self.number = number
    self.line = line
  }

  /// The call, for example `fdatasync#2`.
  package var description: String { "\(name)#\(number)" }
}
