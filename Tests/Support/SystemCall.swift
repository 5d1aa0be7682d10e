/// One system call of a program's run, as strace counts them.
public struct SystemCall: Sendable, Hashable, CustomStringConvertible {
  /// Its name.
  public let name: String

  /// How many calls of that name there have been, with it.
  public let number: Int

  /// The line that strace wrote.
  public let line: String

  /// The call of a name that comes as the `number`th.
  public init(name: String, number: Int, line: String = "") {
    self.name = name
    self.number = number
    self.line = line
  }

  /// The call, as `fdatasync#2`.
  public var description: String { "\(name)#\(number)" }
}
