import MFABase
import MFAWire

/// An account of a host, with its groups and its entry in the directory service.
package struct AccountFacts: EncodedValue, Equatable, Sendable {
  /// The account, in the spelling of the host's name service.
  package private(set) var account: Account
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

  /// Facts whose fields are read next.
  package static var placeholder: AccountFacts { AccountFacts(withoutGroups: .nobody) }

  /// Reads or writes each field.
  package mutating func fields(_ coder: inout Coder) throws(PacketError) {
    try coder.account(&account)
    try coder.flag(&areGroupsCertain)
    try coder.longList(&groups, most: Self.mostGroups, longest: Self.longestName)
    try identity.fields(&coder)
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

/// What this host's name service knows of an account.
struct AccountLookup {
  private(set) var facts: AccountFacts?
  /// The accounts that share the ID.
  private(set) var sharing: [Account?] = []
  /// Whether no lookup of an account failed.
  private(set) var isCertain = true

  /// Looks up the account with an ID. Without groups, none of them is certain.
  init(uid: UInt32, withGroups: Bool = true) {
    do throws(SystemError) {
      facts = try Account.with(uid: uid).map { account in
        withGroups ? Self.facts(of: account) : AccountFacts(withoutGroups: account)
      }
    } catch {
      isCertain = false
    }
  }

  /// Looks up the account with a name, and those that share its ID.
  init(name: [UInt8]) {
    do throws(SystemError) {
      guard let account = try Account.named(name) else {
        imitate()
        return
      }
      facts = Self.facts(of: account)
      sharing.append(try account.sharing(at: 0))
      sharing += try account.listed(most: HostFacts.mostSharing - 1)
      isCertain = sharing.count < HostFacts.mostSharing
    } catch {
      isCertain = false
    }
  }

  private static func facts(of account: Account) -> AccountFacts {
    do throws(SystemError) {
      let names = try account.groupNames() ?? []
      let groups = names.filter { $0.count <= AccountFacts.longestName }
        .prefix(AccountFacts.mostGroups)
      return AccountFacts(
        account: account, groups: Array(groups), areGroupsCertain: groups.count == names.count)
    } catch {
      return AccountFacts(withoutGroups: account)
    }
  }

  /// Does the lookups for an account whose ID has one name, so that the time taken does not reveal
  /// which accounts exist. The lookup of an unknown ID could keep a directory service busy for
  /// minutes.
  private mutating func imitate() {
    do throws(SystemError) {
      _ = try Account.named(Account.nobody.name)
      _ = try Account.nobody.listed(most: HostFacts.mostSharing - 1)
      _ = try Account.with(uid: 0)?.groupNames()
    } catch {
      isCertain = false
    }
  }
}

/// Which entry of a directory service an account belongs to.
///
/// The name service tells names and numbers, which a directory can give to another person later. The id of an entry
/// (`entryUUID` of RFC 4530, `objectGUID` of Active Directory) is never used again.
package enum DirectoryIdentity: Hashable, Sendable {
  /// The host asks no directory service.
  case unknown
  /// The directory has no such account: it belongs to the host alone.
  case local
  /// The id of the entry, 1 to 64 bytes as the directory service writes it.
  case entry([UInt8])

  /// The longest id, in bytes. A UUID has 36.
  package static let longestID = 64

  mutating func fields(_ coder: inout Coder) throws(PacketError) {
    try coder.form(&self, of: [.unknown, .local, .entry([])])
    switch self {
    case .unknown: try coder.constant(1)
    case .local: try coder.constant(2)
    case .entry(var id):
      try coder.constant(3)
      try coder.name(&id, longest: Self.longestID)
      self = .entry(id)
    }
  }
}
