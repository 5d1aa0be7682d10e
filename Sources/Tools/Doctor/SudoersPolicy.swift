import MFAAdmin
import MFABase

/// The rules and settings of sudoers, with all included files, as `cvtsudoers -f json` prints them.
///
/// MUST 1: what is not understood is refused, and never a rule that grants nothing.
/// (`SudoersPolicyTests.refused`)
package struct SudoersPolicy: Equatable {
  /// Commands that users may run.
  package struct Rule: Equatable {
    package var users: SudoersList
    package var hosts: SudoersList
    /// The accounts to run the commands as, or nil for the default.
    package var runAsUsers: SudoersList?
    package var runAsGroups: SudoersList?
    package var commands: SudoersList
    /// Whether the tag PASSWD (true) or NOPASSWD (false) is set.
    package var authenticates: Bool?
    package var isNoExec = false
    /// The time after which the rule no longer applies, as `YYYYMMDDHHMMSSZ`.
    package var notAfter: String?
    package var notBefore: String?
    /// The number of the user specification that the rule belongs to.
    package var specification: Int
  }

  /// A setting of a `Defaults` line.
  package struct Default: Equatable {
    /// What the line applies to.
    package enum Scope: Equatable {
      case global
      /// The users or hosts of the list.
      case users
      case hosts
      case runAs
      case commands
    }

    package let scope: Scope
    package let members: SudoersList
    package let name: String
    package let value: SudoersValue
    /// The number of the `Defaults` line.
    package let line: Int
  }

  package var rules: [Rule] = []
  package var defaults: [Default] = []
}

// What sudo asks of a user before it runs a command.
//
// `SudoersPolicy` is what `cvtsudoers -f json`, or `sudo -ll -U USER`, prints. `SudoVersion` is what
// `sudo -V` prints: the settings of this host's sudo. `SudoersPolicy.effects` returns what sudo does for
// a user. `SudoersFiles` finds the line of the files that causes an effect.
//
// MUST 1: a rule whose users or hosts cannot be determined here, such as a netgroup, counts as one that
// applies if it lets the user through, and as one that does not apply if it asks.
// (`SudoEffectTests.table`)
// MUST 2: the rules are matched as sudo matches them. (`SudoersTests.agreesWithSudo`)
// MUST 3: these types read no file and run no program.

/// What the evaluation of a policy depends on, besides the policy.
package struct SudoersContext {
  package let host: SudoersHost
  package let version: SudoVersion
  /// The time as `YYYYMMDDHHMMSSZ`, or nil if it is not known.
  package let time: String?
}

/// The host whose rules are evaluated.
package struct SudoersHost {
  /// The name that gethostname(2) returns.
  package let name: String
  /// Whether sudo looks up the full name (`fqdn`).
  package let usesFullName: Bool

  /// Returns whether an element of a list of hosts names the host (`hostname_matches` in match.c).
  package func match(_ member: SudoersMember) -> SudoersMatch {
    switch member.kind {
    case .all: return .yes
    case .name(let text):
      let isFull = text.contains(".")
      let name = isFull ? self.name : String(self.name.prefix { $0 != "." })
      let matches = NamePattern(inSudoers: text.lowercased()).matches(name.lowercased())
      return !matches && isFull && usesFullName ? .unknown : SudoersMatch(matches)
    case .network, .netgroup: return .unknown
    case .userID, .group, .groupID, .pluginGroup, .command, .invokingUser: return .no
    }
  }
}

/// A list in sudoers, with its aliases replaced by what they stand for.
package struct SudoersList: Equatable {
  /// The elements, in the order of the file.
  package var members: [SudoersMember]
  /// The words of the list in the file, aliases included. They locate the list.
  package var words: [String] = []

  package init(_ members: [SudoersMember], words: [String] = []) {
    self.members = members
    self.words = words
  }

  /// The list that contains everything.
  package static let everything = SudoersList([SudoersMember(.all)])
}

/// What an element or a list says about something.
package struct SudoersVerdicts: OptionSet, Hashable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let allowed = SudoersVerdicts(rawValue: 1)
  package static let denied = SudoersVerdicts(rawValue: 2)
  package static let unspecified = SudoersVerdicts(rawValue: 4)

  /// Whether the answer may be yes. More than one verdict means that the answer is not known.
  var mayAllow: Bool { contains(.allowed) }
  /// Whether the answer is certainly yes.
  var allows: Bool { self == .allowed }
}

/// Whether an element names something.
package enum SudoersMatch {
  case yes
  case no
  case unknown

  init(_ matches: Bool) { self = matches ? .yes : .no }
}

extension SudoersList {
  /// Returns all possible verdicts of the list. The last element that matches decides, as in sudo
  /// (`userlist_matches` in match.c).
  package func verdicts(_ matches: (SudoersMember) -> SudoersMatch) -> SudoersVerdicts {
    var possible: SudoersVerdicts = []
    for member in members.reversed() {
      let verdict: SudoersVerdicts = member.isNegated ? .denied : .allowed
      switch matches(member) {
      case .no: continue
      case .unknown: possible.insert(verdict)
      case .yes: return possible.union(verdict)
      }
    }
    return possible.union(.unspecified)
  }
}

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
  private let rules: HostRules

  /// The maximum number of accounts whose groups are compared with groups of rules.
  private static let mostAccounts = 2000

  init(_ rules: HostRules, _ sources: NameServiceSwitch) {
    host = rules.host
    self.rules = rules
    switch rules.accounts {
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

  /// Returns the user with a name. Without `hasKnownGroups`, the user can belong to any group.
  func account(_ name: String, hasKnownGroups: Bool = true) -> SudoersUser {
    let bytes = Array(name.utf8)
    var account = rules.listed(bytes)
    if account == nil {
      do throws(AdminError) {
        account = try host.account(named: bytes).map { KnownAccount(account: $0, shell: []) }
      } catch {}
    }
    guard let account else { return SudoersUser(name: name, uid: nil, groups: []) }
    return SudoersUser(
      name: name, uid: Int64(account.account.uid),
      groups: hasKnownGroups ? rules.groups(of: account).map { Set($0) } : nil)
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

/// The value of a setting.
package enum SudoersValue: Hashable {
  case flag(Bool)
  case text(String)

  /// The value as in sudoers.
  package var text: String {
    switch self {
    case .flag(let isOn): isOn ? "on" : "off"
    case .text(let text): text
    }
  }
}

/// A command as sudoers names it: `ALL`, or a path or pattern with or without arguments.
package struct SudoersCommand: Hashable {
  /// The words as in sudoers.
  package let text: String

  package init(_ text: String) { self.text = text }

  /// The word `ALL`.
  package static let any = SudoersCommand("ALL")

  /// The path or pattern, without the arguments.
  private var path: String { String(text.prefix { $0 != " " }) }

  /// The arguments, or nil if the command may have any.
  private var arguments: String? {
    let rest = text.drop { $0 != " " }.dropFirst()
    return rest.isEmpty ? nil : String(rest)
  }

  /// Whether users who may run the command as root can become root: it is `ALL`, or starts other
  /// programs. A `noexec` rule keeps editors and pagers from starting programs.
  package func startsAnything(isNoExec: Bool) -> Bool {
    guard self != .any else { return true }
    // A regular expression is not evaluated here.
    guard !path.hasPrefix("^") else { return true }
    guard path != "sudoedit" else { return hasFreeArguments }
    return Self.folders.contains { folder in
      let programs =
        (arguments == "\"\"" || hasFreeArguments ? Self.shells : [])
        + (hasFreeArguments ? Self.starters : []) + (isNoExec ? [] : Self.viewers)
      return programs.contains { names("\(folder)/\($0)", in: folder) }
    }
  }

  /// Whether a user chooses at least one argument.
  private var hasFreeArguments: Bool {
    guard let arguments else { return true }
    return arguments.contains { "*?[".contains($0) } || arguments.hasPrefix("^")
  }

  /// Returns whether the path or pattern names the program at `program` in `folder`.
  private func names(_ program: String, in folder: String) -> Bool {
    if path.hasSuffix("/") { return path.dropLast() == folder }
    let pattern = NamePattern(inSudoers: path)
    if pattern.hasWildcards { return pattern.matches(program) }
    guard path.hasPrefix(folder + "/") else { return false }
    // python3.11 is python.
    let version = path.reversed().prefix { $0 == "." || $0.isNumber }
    return path == program || path.dropLast(version.count) == program
  }

  private static let folders = [
    "/bin", "/usr/bin", "/sbin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin",
  ]
  /// Programs that start a shell without arguments.
  private static let shells = [
    "sh", "bash", "dash", "zsh", "ksh", "mksh", "csh", "tcsh", "fish", "busybox", "su", "screen",
    "tmux", "script", "python", "irb", "lua", "node",
  ]
  /// Programs that start any program, or write any file, that their arguments name.
  private static let starters = [
    "env", "nice", "nohup", "timeout", "setsid", "stdbuf", "time", "xargs", "find", "awk", "gawk",
    "mawk", "perl", "ruby", "php", "expect", "gdb", "strace", "sudo", "runuser", "setpriv",
    "unshare", "chroot", "nsenter", "systemd-run", "doas", "pkexec", "ssh", "dd", "cp", "mv", "tee",
    "install", "rsync", "tar", "sed", "chmod", "chown", "docker", "podman", "apt", "apt-get",
    "dpkg",
    "rpm", "dnf", "yum", "pip", "make", "git", "crontab", "at", "mount", "usermod", "passwd",
    "chpasswd", "mfa-admin",
  ]
  /// Programs that start a shell on request, whatever their arguments.
  private static let viewers = [
    "vi", "vim", "nvim", "view", "vimdiff", "nano", "emacs", "ed", "ex", "less", "more", "man",
    "visudo", "vipw",
  ]
}

extension SudoersCommand {
  /// Returns whether an element of a list of commands names all that this command stands for.
  func match(_ member: SudoersMember) -> SudoersMatch {
    switch member.kind {
    case .all: .yes
    case .command(let command): SudoersMatch(command == self)
    case .name, .userID, .group, .groupID, .netgroup, .pluginGroup, .network, .invokingUser: .no
    }
  }
}
