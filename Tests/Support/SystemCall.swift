/// One system call of a program run, numbered as strace numbers it.
public struct SystemCall: Sendable, Hashable, CustomStringConvertible {
  /// The name.
  public let name: String

  /// The number of calls with this name up to and including this one.
  public let number: Int

  /// The line that strace wrote.
  public let line: String

  /// Creates the `number`th call with a name.
  public init(name: String, number: Int, line: String = "") {
    self.name = name
    self.number = number
    self.line = line
  }

  /// The call, for example `fdatasync#2`.
  public var description: String { "\(name)#\(number)" }
}
