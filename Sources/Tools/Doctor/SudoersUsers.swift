import MFAAdmin
import MFABase

/// The users for whom the rules of sudo are evaluated.
///
/// They are the accounts that rules name, and one further member of each group and netgroup and of
/// `ALL`, whom no other rule names. So a rule for a group counts although another rule asks one member.
struct SudoersUsers {
  private let host: any ExaminedHost
  /// The accounts that the host lists.
  private let accounts: [KnownAccount]
  /// Whether these are all accounts.
  private let isComplete: Bool

  /// The maximum number of accounts whose groups are compared with groups of rules.
  private static let mostAccounts = 2000

  init(
    _ host: any ExaminedHost, _ known: Result<[KnownAccount], SystemError>,
    _ sources: NameServiceSwitch
  ) {
    self.host = host
    switch known {
    case .success(let known):
      accounts = known
      isComplete = sources.hasOnlyLocalAccounts
    case .failure:
      accounts = []
      isComplete = false
    }
  }

  /// Returns the users for a policy, without root.
  func all(_ policy: SudoersPolicy) -> [SudoersUser] {
    let rules = policy.rules.flatMap(\.users.members).map(\.kind)
    let settings = policy.defaults.filter { $0.scope == .users }.flatMap(\.members.members)
      .map(\.kind)
    let groups = policy.defaults.filter { $0.name == "exempt_group" }
      .compactMap { item -> SudoersMember.Kind? in
        guard case .text(let name) = item.value else { return nil }
        return .group(name)
      }
    var users: [SudoersUser] = []
    var seen: Set<SudoersUser> = []
    func add(_ user: SudoersUser) {
      guard !user.isRoot, seen.insert(user).inserted else { return }
      users.append(user)
    }
    for kind in rules + settings + groups { add(user(kind)) }
    // A rule for one group, and a setting for another.
    for rule in Set(rules) where Self.isShared(rule) {
      for setting in Set(settings + groups) where Self.isShared(setting) && setting != rule {
        add(SudoersUser(memberOf: [rule, setting]))
      }
    }
    return users
  }

  private static func isShared(_ kind: SudoersMember.Kind) -> Bool {
    switch kind {
    case .all, .group, .groupID, .netgroup, .pluginGroup: true
    case .name, .userID, .network, .command, .invokingUser: false
    }
  }

  private func user(_ kind: SudoersMember.Kind) -> SudoersUser {
    switch kind {
    case .name(let name): account(name)
    case .userID(let uid):
      accounts.first { Int64($0.account.uid) == uid }
        .map { account(String(decoding: $0.account.name, as: UTF8.self)) }
        ?? SudoersUser(name: nil, uid: uid, groups: [])
    case .all, .group, .groupID, .netgroup, .pluginGroup, .network, .command, .invokingUser:
      SudoersUser(memberOf: [kind])
    }
  }

  /// Returns the user with a name.
  func account(_ name: String) -> SudoersUser {
    guard case .success(let account?) = lookUp(name) else {
      return SudoersUser(name: name, uid: nil, groups: [])
    }
    return SudoersUser(
      name: name, uid: Int64(account.uid), groups: host.groups(of: account).map { Set($0) })
  }

  private func lookUp(_ name: String) -> Result<Account?, SystemError> {
    if let known = accounts.first(where: { $0.account.name == Array(name.utf8) }) {
      return .success(known.account)
    }
    do throws(SystemError) { return .success(try host.account(named: Array(name.utf8))) } catch {
      return .failure(error)
    }
  }

  /// Returns whether no account of the host is such a user.
  func isNobody(_ user: SudoersUser) -> Bool {
    guard isComplete, user.memberships.isEmpty || groups(of: user) != nil else { return false }
    guard !user.memberships.isEmpty else { return user.uid == nil }
    return members(of: user).isEmpty
  }

  /// Returns the user in words, with the known members of groups.
  func description(_ user: SudoersUser) -> String {
    let label = user.label ?? "unknown users"
    guard !user.memberships.isEmpty, groups(of: user) != nil else { return label }
    let members = members(of: user)
    return members.isEmpty ? label : "\(label) (\(NameList.text(members, most: 3)))"
  }

  /// Returns the groups whose members the user stands for, or nil if other users are meant too.
  private func groups(of user: SudoersUser) -> [String]? {
    var groups: [String] = []
    for kind in user.memberships where kind != .all {
      guard case .group(let name) = kind else { return nil }
      groups.append(name)
    }
    return groups.isEmpty ? nil : groups
  }

  private func members(of user: SudoersUser) -> [String] {
    guard let groups = groups(of: user) else { return [] }
    return accounts.prefix(Self.mostAccounts).filter { known in
      known.account.uid != 0
        && groups.allSatisfy { host.isMember(known.account, of: Array($0.utf8)) == true }
    }.map { VisibleText.escaping($0.account.name) }
  }
}
