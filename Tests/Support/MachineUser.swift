/// A user with an account on the private machine.
package struct MachineUser: Sendable {
  /// The name of the account.
  package let name: String

  /// The password of the account.
  package let password: String

  /// Creates a value for an existing account.
  package init(name: String, password: String) {
    self.name = name
    self.password = password
  }

  /// The home folder.
  package var home: String { name == "root" ? "/root" : "/home/\(name)" }

  /// The identity of the programs that this user starts.
  package var identity: Identity { .user(name) }
}
