/// A user with an account on the private machine.
public struct MachineUser: Sendable {
  /// The name of the account.
  public let name: String

  /// The password of the account.
  public let password: String

  /// Creates a value for an existing account.
  public init(name: String, password: String) {
    self.name = name
    self.password = password
  }

  /// The home folder.
  public var home: String { name == "root" ? "/root" : "/home/\(name)" }

  /// The identity of the programs that this user starts.
  public var identity: Identity { .user(name) }
}
