/// An element of a list in sudoers: a user, a host, an account to run commands as, or a command.
package struct SudoersMember: Hashable {
  /// What the element names.
  package enum Kind: Hashable {
    /// The word `ALL`.
    case all
    /// A user or a host.
    case name(String)
    case userID(Int64)
    case group(String)
    case groupID(Int64)
    case netgroup(String)
    /// A group of a group plugin.
    case pluginGroup(String)
    case network(String)
    case command(SudoersCommand)
    /// The user who runs sudo, as the account to run commands as.
    case invokingUser
  }

  /// What the element names.
  package let kind: Kind
  /// Whether the element has an exclamation mark, which excludes what it names.
  package let isNegated: Bool

  package init(_ kind: Kind, isNegated: Bool = false) {
    self.kind = kind
    self.isNegated = isNegated
  }

  /// The element with or without an exclamation mark.
  func negated(_ isNegated: Bool) -> SudoersMember {
    SudoersMember(kind, isNegated: self.isNegated != isNegated)
  }
}

extension SudoersMember {
  /// The element as in sudoers, without an exclamation mark.
  package var word: String {
    switch kind {
    case .all: "ALL"
    case .name(let name): name
    case .userID(let id): "#\(id)"
    case .group(let name): "%" + name
    case .groupID(let id): "%#\(id)"
    case .netgroup(let name): "+" + name
    case .pluginGroup(let name): "%:" + name
    case .network(let address): address
    case .command(let command): command.text
    case .invokingUser: ""
    }
  }
}
