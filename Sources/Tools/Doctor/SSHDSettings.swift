import MFAAdmin
import MFABase
import MFAModel

/// The effective settings of sshd that `sshd -T` prints, in general or for one connection.
package struct SSHDSettings: Equatable {
  private var values: [String: String]

  /// The ports at which sshd listens.
  let ports: [String]

  /// The entries of the lists of users and groups. sshd prints a line for each entry.
  private let entries: [String: [String]]

  /// Parses the output of `sshd -T`. Each line is a key in lower case, a blank and the value.
  package init(_ output: [UInt8]) {
    var values: [String: String] = [:]
    var ports: [String] = []
    var entries: [String: [String]] = [:]
    for line in output.split(separator: UInt8(ascii: "\n")) {
      let parts = line.split(separator: UInt8(ascii: " "), maxSplits: 1)
      guard let key = parts.first else { continue }
      let value = parts.count > 1 ? String(decoding: parts[1], as: UTF8.self) : ""
      // The first line for a key counts.
      let name = String(decoding: key, as: UTF8.self).lowercased()
      if values[name] == nil { values[name] = value }
      if Self.lists.contains(name) {
        entries[name, default: []] += value.split(separator: " ").map { String($0) }
      }
      if name == "listenaddress" || name == "port",
        let port = value.split(separator: ":").last.map({ String($0) }), UInt16(port) != nil,
        !ports.contains(port)
      {
        ports.append(port)
      }
    }
    self.values = values
    self.ports = ports
    self.entries = entries
  }

  /// Returns the value of a key, or nil if sshd does not print the key.
  package func value(of key: String) -> String? { values[key] }

  /// Returns the entries of a list of users or groups.
  func entries(of list: String) -> [String] { entries[list] ?? [] }

  /// Returns whether the value of a key is `yes`.
  func isOn(_ key: String) -> Bool { values[key]?.lowercased() == "yes" }

  /// Whether keyboard-interactive authentication is enabled, so that PAM can prompt the user.
  var asksByKeyboard: Bool {
    // Old versions of sshd use the second name.
    isOn("kbdinteractiveauthentication") || isOn("challengeresponseauthentication")
  }

  /// The lists of AuthenticationMethods, or nil if any single method is enough. A sign-in must
  /// complete all methods of one list.
  package var methodLists: [[String]]? {
    guard let text = values["authenticationmethods"], text.lowercased() != "any" else { return nil }
    return text.split(separator: " ").map { list in
      list.split(separator: ",").map { method in
        let method = method.lowercased()
        // sshd has no other device than PAM; a list with another one cannot be completed.
        return method == "keyboard-interactive:pam" ? "keyboard-interactive" : method
      }
    }
  }

  /// Returns whether sshd calls PAM for the user to complete a list of methods. `none` is the method
  /// for accounts with an empty password.
  package static func asksPAM(_ methods: [String]) -> Bool {
    methods.contains {
      $0.hasPrefix("keyboard-interactive") || $0 == "password" || $0 == "none"
    }
  }

  /// Returns the settings with other values of some keys.
  package func with(_ changes: [(key: String, value: String)]) -> SSHDSettings {
    var settings = self
    for change in changes { settings.values[change.key.lowercased()] = change.value }
    return settings
  }

  /// Returns whether a method is enabled.
  private func isEnabled(_ method: String) -> Bool {
    switch method {
    case "publickey": isOn("pubkeyauthentication")
    case "hostbased": isOn("hostbasedauthentication")
    case "gssapi-with-mic": isOn("gssapiauthentication")
    case "gssapi-keyex": isOn("gssapikeyexchange")
    case "password": isOn("passwordauthentication")
    case "none": isOn("permitemptypasswords")
    case _: method == "keyboard-interactive" && asksByKeyboard && isOn("usepam")
    }
  }

  /// The methods, each of which can be enough. `none` is left out: `password` includes it.
  private static let singleMethods = [
    "publickey", "hostbased", "gssapi-with-mic", "gssapi-keyex", "password", "keyboard-interactive",
  ]

  /// Returns the lists of methods, one of which a sign-in must complete. sshd leaves out a list with a
  /// method that is disabled.
  package func openLists(isRoot: Bool = false) -> [[String]] {
    let lists = (methodLists ?? Self.singleMethods.map { [$0] })
      .filter { !$0.isEmpty && $0.allSatisfy { isEnabled($0) } }
    guard isRoot else { return lists }
    switch value(of: "permitrootlogin") ?? "yes" {
    case "no": return []
    case "yes": return lists
    case _: return lists.filter { !Self.asksPAM($0) }
    }
  }

  /// Whether sshd itself verifies passwords with Kerberos before it calls PAM.
  var verifiesKerberosPassword: Bool { isOn("kerberosauthentication") }

  /// The methods of a sign-in that can be complete without PAM, in words.
  private static let words = [
    "publickey": "a key", "hostbased": "a trusted host", "gssapi-with-mic": "a Kerberos ticket",
    "gssapi-keyex": "a Kerberos ticket of the key exchange", "password": "a Kerberos password",
  ]

  /// The ways to sign in without the `auth` lines of PAM, in words: methods that are enough because
  /// AuthenticationMethods is not set, or lists of AuthenticationMethods.
  var waysWithoutPAM: [String] {
    let lists = openLists().filter { list in
      !Self.asksPAM(verifiesKerberosPassword ? list.filter { $0 != "password" } : list)
    }
    let isAny = methodLists == nil
    return lists.map { isAny ? Self.words[$0[0]] ?? $0[0] : $0.joined(separator: ",") }
  }

  /// The reason why sign-ins with these settings do not all use PAM, or nil if they do.
  var wayWithoutPAM: String? {
    guard isOn("usepam") else { return "UsePAM is no" }
    let ways = waysWithoutPAM
    guard !ways.isEmpty else { return nil }
    return methodLists == nil
      ? "AuthenticationMethods is not set, so \(ways.joined(separator: " or ")) alone is enough"
      : "AuthenticationMethods is \(VisibleText.escaping(ways.joined(separator: " ")))"
  }

  /// Whether a sign-in can use the `password` method.
  var takesPasswords: Bool {
    isOn("passwordauthentication")
      && (methodLists?.contains { $0.contains("password") } ?? true)
  }

  /// Returns whether sshd can ask a user for the code of a service's line.
  func canAsk(_ service: ServiceWithModule) -> Bool {
    asksByKeyboard || (service.takesPassword && takesPasswords)
  }

  /// Whether AuthenticationMethods has a list with a method that uses the `auth` lines of PAM.
  var hasWayWithPAM: Bool { methodLists?.contains { Self.asksPAM($0) } ?? true }

  /// The keys that the examinations use.
  package static let keys =
    [
      "usepam", "kbdinteractiveauthentication", "challengeresponseauthentication",
      "passwordauthentication", "pubkeyauthentication", "hostbasedauthentication",
      "gssapiauthentication", "gssapikeyexchange", "kerberosauthentication", "permitemptypasswords",
      "authenticationmethods", "permitrootlogin", "authorizedkeysfile", "authorizedkeyscommand",
      "trustedusercakeys", "pamservicename", "chrootdirectory", "forcecommand", "refuseconnection",
    ] + lists

  /// The PAM service of sshd (PAMServiceName of OpenSSH 10). libpam uses what follows the last slash, in lower case.
  package var service: String {
    let value = value(of: "pamservicename") ?? "sshd"
    return (value.split(separator: "/").last.map { String($0) } ?? value).lowercased()
  }
}

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
    accounts: Result<[KnownAccount], AdminError>, on host: any ExaminedHost
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
    do throws(AdminError) {
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
    do throws(AdminError) {
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

/// The files in which sshd looks for the keys of users (AuthorizedKeysFile in sshd_config(5)).
package struct AuthorizedKeysFiles: Equatable {
  private let patterns: [String]

  /// sshd's default.
  private static let usual = ".ssh/authorized_keys .ssh/authorized_keys2"

  /// Reads the files from settings, or uses sshd's default if the settings do not name them.
  package init(_ settings: SSHDSettings?) {
    let value = settings?.value(of: "authorizedkeysfile") ?? Self.usual
    patterns = value == "none" ? [] : value.split(separator: " ").map { String($0) }
  }

  /// Returns the paths of the files for an account.
  func paths(of account: KnownAccount) -> [[UInt8]] {
    patterns.map { pattern in
      let path = Self.expanded(pattern, account)
      guard path.first != UInt8(ascii: "/") else { return path }
      return account.home + [UInt8(ascii: "/")] + path
    }
  }

  /// Replaces the tokens: `%h` the home directory, `%u` the name, `%U` the user ID, `%%` a percent
  /// sign.
  private static func expanded(_ pattern: String, _ account: KnownAccount) -> [UInt8] {
    var path: [UInt8] = []
    var isToken = false
    for character in pattern {
      switch (isToken, character) {
      case (false, "%"):
        isToken = true
        continue
      case (true, "h"): path += account.home
      case (true, "u"): path += account.account.name
      case (true, "U"): path += Array(String(account.account.uid).utf8)
      case _: path += Array(String(character).utf8)
      }
      isToken = false
    }
    return path
  }
}
