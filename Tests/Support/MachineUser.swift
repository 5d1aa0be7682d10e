/// A person with an account of the private machine.
public struct MachineUser: Sendable {
  /// The name of the account.
  public let name: String

  /// The password of the account.
  public let password: String

  /// Somebody who has an account already.
  public init(name: String, password: String) {
    self.name = name
    self.password = password
  }

  /// The home folder.
  public var home: String { "/home/\(name)" }

  /// Whom a program runs as that this person starts.
  public var identity: Identity { .user(name) }
}
