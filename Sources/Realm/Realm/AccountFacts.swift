import MFABase

/// An account of a host, with its groups and its entry in the directory service.
package struct AccountFacts: Equatable, Sendable {
  /// The account, in the spelling of the host's name service.
  package let account: Account
  /// The names of all groups of the account.
  package private(set) var groups: [[UInt8]]
  /// Whether `groups` is complete.
  package private(set) var areGroupsCertain: Bool
  /// The entry of the account in the directory service of the host.
  package private(set) var identity: DirectoryIdentity

  /// The largest number of groups that are reported.
  package static let mostGroups = 1000
  /// The longest name of an account or group, in bytes.
  package static let longestName = 255

  /// Creates facts about an account.
  package init(
    account: Account, groups: [[UInt8]], areGroupsCertain: Bool,
    identity: DirectoryIdentity = .unknown
  ) {
    self.account = account
    self.groups = groups
    self.areGroupsCertain = areGroupsCertain
    self.identity = identity
  }

  /// Creates facts about an account of whose groups nothing is known.
  init(withoutGroups account: Account) {
    self.init(account: account, groups: [], areGroupsCertain: false)
  }

  /// Returns whether the account belongs to a group, or nil if that is unknown.
  package func isMember(of group: [UInt8]) -> Bool? {
    guard !group.isEmpty, !group.contains(0) else { return nil }
    if groups.contains(group) { return true }
    return areGroupsCertain ? false : nil
  }

  /// The same account without groups, of which nothing is certain.
  var withoutGroups: AccountFacts {
    var facts = self
    facts.groups = []
    facts.areGroupsCertain = false
    return facts
  }

  /// The same account with an entry of the directory service.
  func identified(by identity: DirectoryIdentity) -> AccountFacts {
    var facts = self
    facts.identity = identity
    return facts
  }
}
