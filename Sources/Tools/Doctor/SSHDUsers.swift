import MFAAdmin
import MFAModel
import MFABase

/// The users whose names and groups are compared with `Match` lines.
struct SSHDUsers {
  /// A user, or a name that a user could have.
  struct User {
    let name: String
    /// The names of the user's groups; empty if the account is not known.
    let groups: [String]
    /// Whether the name is an example that matches a pattern, and not that of an account.
    let isInvented: Bool
  }

  /// The users: root, those asked for, those that lines name, the members of groups that lines name,
  /// the listed accounts, and names for the patterns that none of these matches.
  private(set) var all: [User] = []
  /// The number of accounts that are not compared.
  private(set) var omitted = 0
  /// Whether accounts exist that the system may not list.
  let hasDirectory: Bool

  /// The maximum number of accounts that are compared.
  static let mostAccounts = 2000

  /// The maximum number of members that are compared for each group that a line names.
  private static let mostMembers = 8

  private let host: any ExaminedHost
  private var known: [[UInt8]: Account] = [:]
  private let needsGroups: Bool
  private var names: Set<String> = []

  /// Finds the users that matter for these lines.
  init(
    _ lines: [SSHDCriteria], requested: [UserName],
    accounts: Result<[KnownAccount], SystemError>, on host: any ExaminedHost
  ) {
    self.host = host
    needsGroups = lines.contains { !$0.groups.isEmpty }
    hasDirectory = Self.hasDirectory(host)
    var listed: [KnownAccount] = []
    if case .success(let found) = accounts { listed = Array(found.prefix(Self.mostAccounts)) }
    if lines.contains(where: \.hasUserPatterns), case .success(let found) = accounts {
      omitted = found.count - listed.count
    }
    for account in listed { known[account.account.name] = account.account }
    add("root")
    for user in requested { add(String(decoding: user.bytes, as: UTF8.self)) }
    for account in listed where account.isPersonal { add(account.account) }
    for name in lines.flatMap(\.users).flatMap(\.positive) where !SSHDPatterns.isPattern(name) {
      add(name)
    }
    let groups = lines.flatMap(\.groups).flatMap(\.positive).filter { !SSHDPatterns.isPattern($0) }
    for members in host.members(ofGroups: groups.map { Array($0.utf8) }) {
      for member in members.prefix(Self.mostMembers) {
        add(String(decoding: member, as: UTF8.self))
      }
    }
    // Accounts for programs can sign in with keys too.
    for account in listed { add(account.account) }
    for line in lines { invent(line) }
  }

  /// Returns whether the criteria of a line about the user hold.
  static func concern(_ user: User, _ criteria: SSHDCriteria) -> Bool {
    criteria.users.allSatisfy { $0.matches(user: user.name) }
      && criteria.groups.allSatisfy { $0.matches(groups: user.groups) }
  }

  private static func hasDirectory(_ host: any ExaminedHost) -> Bool {
    do throws(TrustedPath.Refusal) {
      return !(try NameServiceSwitch(of: host).hasOnlyLocalAccounts)
    } catch {
      return true
    }
  }

  private mutating func add(_ account: Account) {
    let name = String(decoding: account.name, as: UTF8.self)
    guard names.insert(name).inserted else { return }
    append(name, account)
  }

  /// Adds the user with a name, if the account exists or cannot be looked up.
  private mutating func add(_ name: String) {
    guard names.insert(name).inserted else { return }
    if let account = known[Array(name.utf8)] { return append(name, account) }
    do throws(SystemError) {
      if let account = try host.account(named: Array(name.utf8)) { append(name, account) }
    } catch {
      append(name, nil)
    }
  }

  private mutating func append(_ name: String, _ account: Account?) {
    let groups = needsGroups ? account.flatMap { host.groups(of: $0) } : nil
    all.append(User(name: name, groups: groups ?? [], isInvented: false))
  }

  /// Adds a name for a line about names that no user has: an account of a directory that is not listed,
  /// or that is made later, can have it.
  private mutating func invent(_ criteria: SSHDCriteria) {
    guard !criteria.users.isEmpty, criteria.groups.isEmpty,
      !all.contains(where: { Self.concern($0, criteria) })
    else { return }
    let patterns = criteria.users.flatMap(\.positive).filter { SSHDPatterns.isPattern($0) }
    let invented = patterns.flatMap { SSHDPatterns.words(matching: $0) }
      .map { User(name: $0, groups: [], isInvented: true) }
      .first { !names.contains($0.name) && Self.concern($0, criteria) }
    guard let invented else { return }
    names.insert(invented.name)
    all.append(invented)
  }
}
