/// The host whose rules are evaluated.
package struct SudoersHost {
  /// The name that gethostname(2) returns.
  package let name: String
  /// Whether sudo looks up the full name (`fqdn`).
  package let usesFullName: Bool

  package init(name: String, usesFullName: Bool) {
    self.name = name
    self.usesFullName = usesFullName
  }

  /// Returns whether an element of a list of hosts names the host (`hostname_matches` in match.c).
  package func match(_ member: SudoersMember) -> SudoersMatch {
    switch member.kind {
    case .all: return .yes
    case .name(let text):
      let isFull = text.contains(".")
      let name = isFull ? self.name : String(self.name.prefix { $0 != "." })
      let matches = SudoersPattern(text.lowercased()).matches(name.lowercased())
      return !matches && isFull && usesFullName ? .unknown : SudoersMatch(matches)
    case .network, .netgroup: return .unknown
    case .userID, .group, .groupID, .pluginGroup, .command, .invokingUser: return .no
    }
  }
}
