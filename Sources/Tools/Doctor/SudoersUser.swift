/// A user with whom rules are compared: an account, or the members of groups that rules name.
package struct SudoersUser: Hashable {
  /// The name, or nil if the user is not a known account.
  package var name: String?
  package var uid: Int64?
  /// The names of all groups, or nil if they cannot be looked up.
  package var groups: Set<String>? = []
  /// The groups, netgroups or `ALL` that the user belongs to, if the user stands for members whom no
  /// rule names. Empty for an account.
  package var memberships: Set<SudoersMember.Kind> = []

  /// Creates an account.
  package init(name: String?, uid: Int64?, groups: Set<String>?) {
    self.name = name
    self.uid = uid
    self.groups = groups
  }

  /// Creates a user who belongs to what elements of lists name.
  package init(memberOf memberships: Set<SudoersMember.Kind>) { self.memberships = memberships }

  /// The account that commands run as by default.
  package static let root = SudoersUser(name: "root", uid: 0, groups: ["root"])

  /// Whether the user is root, whom sudo never authenticates.
  package var isRoot: Bool { uid == 0 || name == "root" }

  /// The user in words, or nil if nothing is known.
  package var label: String? {
    guard memberships.isEmpty else {
      return memberships.map { Self.label($0) }.sorted().joined(separator: " who are ")
    }
    return name ?? uid.map { "uid \($0)" }
  }

  private static func label(_ membership: SudoersMember.Kind) -> String {
    switch membership {
    case .all: "all users"
    case .group(let name): "members of group \(name)"
    case .groupID(let id): "members of group \(id)"
    case .netgroup(let name): "members of netgroup \(name)"
    case .pluginGroup(let name): "members of \(name) of the group plugin"
    case .name, .userID, .network, .command, .invokingUser: SudoersMember(membership).word
    }
  }

  /// Returns whether an element of a list of users names the user. sudo ignores the case of names.
  package func match(_ member: SudoersMember) -> SudoersMatch {
    guard memberships.isEmpty else {
      return SudoersMatch(member.kind == .all || memberships.contains(member.kind))
    }
    switch member.kind {
    case .all: return .yes
    case .name(let name): return SudoersMatch(self.name?.lowercased() == name.lowercased())
    case .userID(let uid): return SudoersMatch(self.uid == uid)
    case .group(let group):
      guard let groups else { return .unknown }
      return SudoersMatch(groups.contains { $0.lowercased() == group.lowercased() })
    case .groupID, .netgroup, .pluginGroup: return .unknown
    case .network, .command, .invokingUser: return .no
    }
  }
}
