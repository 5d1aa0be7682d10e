import MFAAdmin
import MFAAttempt
import MFABase
import MFAModel
import MFAPAMStack

/// The state of a host that the examinations check, read once for all of them.
package struct HostSnapshot {
  /// The rules of the host, and what is known about its users.
  let rules: HostRules
  /// The services that have a file, except `mfa-enroll` and files that only other services include.
  package let services: [[UInt8]]
  /// The services that use the module.
  package let servicesWithModule: [ServiceWithModule]
  /// The services whose stack cannot be read, each with the reason.
  let unreadable: [(service: [UInt8], refusal: StackRefusal)]
  /// The names of the services whose `auth` stack calls the module, or would call it if libpam read
  /// their files as they look.
  let meantToAsk: [[UInt8]]
  /// The system user that owns the store, or nil if that user does not exist.
  let owner: Result<Account?, AdminError>
  /// sshd's settings.
  let sshd: SSHDView
  /// The sshds of the host, or nil if the stack of sshd does not use the module.
  let sshdServers: SSHDServers?

  private typealias Refusal = ConfigurationError

  private let configurations: [(path: [UInt8]?, read: Result<Configuration, Refusal>)]

  /// The host.
  package var host: any ExaminedHost { rules.host }

  /// Whether this host decides about sign-ins itself. In a realm, the realm decides, and the host knows neither its
  /// policy nor its users.
  var decides: Bool { rules.realm == .noRealm }

  /// The stored records of all users, or the reason why they cannot be read.
  package var stored: Result<[UserReport], AdminError> { rules.stored }

  /// The accounts that the system lists, or the reason why they cannot be listed.
  var accounts: Result<[KnownAccount], AdminError> { rules.accounts }

  /// Reads everything that the examinations need from a host.
  ///
  /// `users` are the users for whom sshd's settings are read individually.
  package init(of host: any ExaminedHost, users: [UserName] = []) throws(StackRefusal) {
    let rules = HostRules(of: host)
    self.rules = rules
    services = try host.services().filter {
      !IncludedServiceFile.contains($0) && $0 != EnrollmentService.name
    }
    var withModule: [ServiceWithModule] = []
    var unreadable: [(service: [UInt8], refusal: StackRefusal)] = []
    var meantToAsk: [[UInt8]] = []
    for service in services {
      do throws(StackRefusal) {
        let stack = try ServiceStack(.auth, of: service, from: host.stacks)
        if let service = ServiceWithModule(name: service, stack: stack) {
          withModule.append(service)
          meantToAsk.append(service.name)
        } else if !StrayModuleLines.lookalikes(stack, .auth, of: service).isEmpty {
          meantToAsk.append(service)
        }
      } catch {
        unreadable.append((service, error))
        if UnreadableStack.mentionsModule(service, error, host.stacks) {
          meantToAsk.append(service)
        }
      }
    }
    servicesWithModule = withModule
    self.unreadable = unreadable
    self.meantToAsk = meantToAsk
    var paths: [[UInt8]?] = [nil]
    for service in servicesWithModule where !paths.contains(service.configuration) {
      paths.append(service.configuration)
    }
    configurations = paths.map { path in
      (path, Result { () throws(Refusal) in try host.configuration(at: path) })
    }
    owner = Result { () throws(AdminError) in try host.account(named: Array("mfa".utf8)) }
    let names = rules.secureShellServices
    let asksAtSSHD = servicesWithModule.contains { names.contains($0.name) }
    sshdServers = asksAtSSHD ? SSHDServers(of: host) : nil
    sshd =
      sshdServers.map {
        SSHDView(of: host, users: users, accounts: rules.accounts, server: $0.main)
      } ?? .notConcerned
  }

  // MARK: Queries

  /// The names of the users who have a factor, or nil in a realm, whose users the host does not know.
  var enrolledUsers: Set<[UInt8]>? {
    guard decides else { return nil }
    guard case .success(let users) = stored else { return [] }
    return Set(
      users.compactMap { user in
        switch user.content {
        case .usable(let stored): stored.isEnrolled ? user.name : nil
        case .notEnrolled, .unusable: nil
        }
      })
  }

  /// The service that sshd uses in general, if it uses the module; or else the service `sshd`; or nil if neither uses
  /// the module.
  var sshdService: ServiceWithModule? {
    let general = sshd.general.map { Array($0.service.utf8) }
    return servicesWithModule.first { $0.name == general }
      ?? servicesWithModule.first { $0.isNamed("sshd") }
  }

  /// Returns the policy for a service, or nil if the configuration is invalid, or in a realm.
  package func configuration(of service: ServiceWithModule) -> Configuration? {
    configuration(at: service.configuration)
  }

  /// Returns the policy at a path (the host's policy if `path` is nil), or nil if the configuration is invalid, or in a
  /// realm.
  package func configuration(at path: [UInt8]?) -> Configuration? {
    guard decides else { return nil }
    for case (path, .success(let configuration)) in configurations { return configuration }
    return nil
  }

  /// The configurations that sign-ins read, without the invalid ones.
  var validConfigurations: [Configuration] {
    configurations.compactMap { configuration in
      guard case .success(let read) = configuration.read else { return nil }
      return read
    }
  }

  /// The errors in the configurations that sign-ins read.
  var configurationFailures: [ConfigurationError] {
    configurations.compactMap { configuration in
      guard case .failure(let failure) = configuration.read else { return nil }
      return failure
    }
  }

  /// Returns the stacks of a service as libpam carries them out.
  func stacks(of service: [UInt8]) -> ServiceStacks {
    ServiceStacks(of: service, from: host.stacks, with: rules)
  }

  /// Returns the state of a service's `account` line for the module.
  func accountLine(of service: ServiceWithModule) -> AccountLine {
    AccountLine(
      of: "pam_mfa.so", service: service.name, authArguments: service.arguments,
      isCalledByRoot: PAMCaller.isRoot(at: service.name), from: host.stacks)
  }
}

/// The rules of a host that decide about sign-ins together with the module (which modules libpam can
/// load, and what sshd's settings say), and what is known about its users. Each question is asked once.
package final class HostRules {
  /// The host.
  package let host: any ExaminedHost
  /// Whether the settings of sshd count.
  private let countsSecureShell: Bool

  /// A group of users to whom the same settings of sshd apply.
  private struct SecureShellUsers: Hashable {
    let isRoot: Bool
    /// The indices of the `Match` lines that apply.
    let matches: Set<Int>
    let address: String?
  }

  /// The stored records of all users, or the reason why they cannot be read.
  private(set) lazy var stored = Result { () throws(AdminError) in try host.stored() }
  /// The accounts that the system lists, or the reason why they cannot be listed.
  package private(set) lazy var accounts = Result { () throws(AdminError) in try host.accounts()
  }
  /// The condition of the resident service.
  private(set) lazy var resident = host.residentStatus()
  /// The condition of the way to the realm.
  private(set) lazy var realm = host.realmStatus()
  /// The mounted file systems, nil without a list, or the reason why the list cannot be read.
  private(set) lazy var mounts = Result { () throws(AdminError) in
    try host.text(of: MountTable.path).map { MountTable($0) }
  }
  private lazy var knownAccounts: [[UInt8]: KnownAccount] = {
    guard case .success(let accounts) = accounts else { return [:] }
    return Dictionary(accounts.map { ($0.account.name, $0) }) { first, _ in first }
  }()
  private lazy var shadow: [[UInt8]: ShadowEntry] = {
    let entries = host.shadowEntries(of: knownAccounts.values.map(\.account))
    return Dictionary(entries.map { ($0.name, $0) }) { first, _ in first }
  }()
  /// The rules of sudo for all users, from its files.
  private(set) lazy var sudoers = SudoersView(of: host)
  /// The services of sudo.
  private(set) lazy var sudoServices = SudoServices(host.stacks)
  private lazy var listedGroups = host.listedGroups()
  private var groups: [[UInt8]: [String]?] = [:]
  private var shells: [[UInt8]: String?] = [:]
  private var files: [String: [[UInt8]]?] = [:]
  /// The names of the files in the folders of pam_faillock.so.
  private var tallies: [String: Set<String>] = [:]
  private var effects: [EffectQuestion: StackEffect] = [:]
  private var accesses: [AccessQuestion: [(settings: SSHDSettings, access: AccountAccess)]] = [:]
  private var secureShells: [SecureShellUsers: SecureShellRules] = [:]
  /// The space on the file system of the store, or nil if it is not known.
  private(set) lazy var storeSpace: FileSystemSpace? = {
    do throws(AdminError) { return try host.fileSystemSpace(at: "\(InstalledPath.store)") } catch {
      return nil
    }
  }()
  /// The prepared break-glass code, or nil.
  private(set) lazy var breakGlass = BreakGlass.credential(on: host)
  private lazy var file = SSHDFile(of: host)
  private var views: [SecureShellUsers: SSHDView] = [:]
  /// What is known about modules: the reason why libpam cannot load one, or nil.
  private var moduleProblems: [[UInt8]: String?] = [:]

  /// Creates the value. Nothing is read yet.
  package init(of host: any ExaminedHost, countsSecureShell: Bool = true) {
    self.host = host
    self.countsSecureShell = countsSecureShell
  }

  /// Returns why the password alone signs users in at a service, or nil if that is not known.
  func passwordAlone(at service: [UInt8]) -> String? {
    do throws(AdminError) {
      return try PAMProgram.passwordAlone(at: service, on: host)?.reason
    } catch {
      return nil
    }
  }

  /// Returns the `account` line of a service that denies users of whom policy requires a code, because its program
  /// verifies passwords itself, or nil if that is not known.
  func requiredCode(at service: [UInt8], _ source: some StackSource) -> RequiredCodeLine? {
    guard let program = PAMProgram.with(service: service), program.verifiesPasswords else {
      return nil
    }
    do throws(AdminError) {
      guard try program.obstacleToAccountLine(on: host) == nil else { return nil }
    } catch {
      return nil
    }
    do throws(StackRefusal) { return try RequiredCodeLine(of: service, in: source) } catch {
      return nil
    }
  }

  /// Returns the system user that a service's program runs as, or nil if it acts as root, or if that is not known.
  func systemUser(at service: [UInt8]) -> [UInt8]? {
    do throws(AdminError) {
      return try PAMProgram.with(service: service)?.systemUser(on: host).map { Array($0.utf8) }
    } catch {
      return nil
    }
  }

  // MARK: Modules

  /// Returns the reason why libpam cannot load a line's module, or nil if it can.
  func problem(_ entry: StackEntry) -> String? {
    guard case .module(let name, _, _) = entry.kind else { return nil }
    if let known = moduleProblems[name] { return known }
    let problem =
      ModuleKind(entry) == .code
      ? host.loadProblem(name) : host.hasModule(name) ? nil : "the file does not exist"
    moduleProblems.updateValue(problem, forKey: name)
    return problem
  }

  /// Returns the modules of a stack that libpam cannot load, as its lines name them.
  func unloadable(in stack: ServiceStack) -> Set<[UInt8]> {
    var names: Set<[UInt8]> = []
    for entry in stack.entries where problem(entry) != nil {
      if case .module(let name, _, _) = entry.kind { names.insert(name) }
    }
    return names
  }

  // MARK: Users

  /// Returns what an account has, or nil if the system does not list it: what a directory has for it is
  /// not known.
  package func means(
    of name: [UInt8], _ settings: SSHDSettings, isEnrolled: Bool
  ) -> AccountMeans? {
    guard let account = knownAccounts[name] else { return nil }
    return AccountMeans(
      hasPassword: shadow[name]?.hasPassword ?? true, key: key(of: account, settings),
      isEnrolled: isEnrolled)
  }

  /// The accounts that the system lists, each once.
  var listedAccounts: [Account] {
    guard case .success(let accounts) = accounts else { return [] }
    return accounts.map(\.account)
  }

  /// Returns what is known about an account that the system lists, or that was looked up.
  func listed(_ name: [UInt8]) -> KnownAccount? { knownAccounts[name] }

  /// Looks up accounts that the system does not list.
  func lookUp(_ names: [[UInt8]]) {
    let missing = names.filter { knownAccounts[$0] == nil }
    guard !missing.isEmpty else { return }
    for account in host.accounts(named: missing) { knownAccounts[account.account.name] = account }
  }

  /// Returns what is known about an account, or nil if the system does not have it.
  func known(_ name: [UInt8]) -> KnownAccount? {
    lookUp([name])
    return knownAccounts[name]
  }

  /// Returns the names of all groups of an account, or nil if the lookup failed.
  func groups(of account: KnownAccount) -> [String]? {
    let name = account.account.name
    if let known = groups[name] { return known }
    // For a few accounts, it takes longer to list all groups.
    let found = host.groups(of: account, listed: groups.count < 20 ? nil : listedGroups)
    groups.updateValue(found, forKey: name)
    return found
  }

  /// Returns the entry of an account in the shadow database, or nil if it has none.
  func shadowEntry(of name: [UInt8]) -> ShadowEntry? { shadow[name] }

  /// Returns why a shell is no program that can be started, or nil if it is one or that is not known.
  func problem(ofShell shell: [UInt8]) -> String? {
    if let known = shells[shell] { return known }
    let path = ResolvedPath(String(decoding: shell, as: UTF8.self), on: host)
    var problem: String?
    if path.failure == nil, !path.isBlocked {
      let isProgram = path.end.map { $0.kind == .file && $0.permissions & 0o111 != 0 }
      problem = isProgram.map { $0 ? nil : "is not a program" } ?? "does not exist"
    }
    shells.updateValue(problem, forKey: shell)
    return problem
  }

  /// Returns the lines of a file that belongs to root, or nil if it cannot be read.
  func lines(of file: String) -> [[UInt8]]? {
    if let known = files[file] { return known }
    var lines: [[UInt8]]?
    do throws(AdminError) {
      lines = try host.text(of: file)?.split(separator: UInt8(ascii: "\n")).map { Array($0) }
    } catch {
      lines = nil
    }
    files.updateValue(lines, forKey: file)
    return lines
  }

  /// Returns an account's record of failures in a folder of pam_faillock.so, or nil. Only files that exist are
  /// read.
  func failures(of account: Account, in folder: String) -> [UInt8]? {
    if tallies[folder] == nil {
      do throws(AdminError) { tallies[folder] = Set(try host.names(in: folder)) } catch {
        tallies[folder] = []
      }
    }
    let name = String(decoding: account.name, as: UTF8.self)
    guard tallies[folder]?.contains(name) ?? false else { return nil }
    return host.contents(of: "\(folder)/\(name)", owner: account.uid)
  }

  // MARK: Stacks

  /// What a stack does for a claimant.
  private struct EffectQuestion: Hashable {
    let service: [UInt8]
    let isAuth: Bool
    let claimant: Claimant
  }

  /// Returns what a stack of a service does for a claimant. The first stack of a type that is asked about
  /// is that of the service.
  func effect(
    of service: [UInt8], _ type: StackType, _ stack: ServiceStack, for claimant: Claimant
  ) -> StackEffect {
    let question = EffectQuestion(service: service, isAuth: type == .auth, claimant: claimant)
    if let known = effects[question] { return known }
    let effect =
      type == .auth
      ? StackEffect(ofAuthStack: stack, of: service, for: claimant)
      : StackEffect(of: service, type, stack, for: claimant)
    effects[question] = effect
    return effect
  }

  /// How accounts with the same means reach a shell through sshd.
  private struct AccessQuestion: Hashable {
    let service: [UInt8]
    let means: AccountMeans
    let isRoot: Bool
  }

  /// Returns whether an account with these means can reach a shell through sshd with these settings.
  func access(
    to service: ServiceWithModule, with means: AccountMeans, _ settings: SSHDSettings, isRoot: Bool
  ) -> AccountAccess {
    let question = AccessQuestion(service: service.name, means: means, isRoot: isRoot)
    if let known = accesses[question]?.first(where: { $0.settings == settings }) {
      return known.access
    }
    let access = service.access(with: means, settings, isRoot: isRoot)
    accesses[question, default: []].append((settings, access))
    return access
  }

  /// Returns whether an account has a key or certificate with these settings of sshd.
  private func key(of account: KnownAccount, _ settings: SSHDSettings) -> AccountMeans.Key {
    var doubt = settings.keySource
    for file in AuthorizedKeysFiles(settings).paths(of: account) {
      switch key(in: file, of: account) {
      case .present: return .present
      case .unknown(let reason): doubt = doubt ?? reason
      case .noKey: continue
      }
    }
    return doubt.map { .unknown($0) } ?? .noKey
  }

  /// Returns whether a file that a user can have replaced by a link to anything has keys. The file is
  /// not opened, and no file system is accessed on which a lookup can hang.
  private func key(in file: [UInt8], of account: KnownAccount) -> AccountMeans.Key {
    let name = VisibleText.escaping(file)
    guard account.home.first == UInt8(ascii: "/"), case .success(let mounts?) = mounts else {
      return .unknown("\(name) cannot be looked at")
    }
    let path = ResolvedPath(String(decoding: file, as: UTF8.self), on: host) { path in
      mounts.distantKind(of: Array(path.utf8)) == nil
    }
    guard !path.isBlocked else { return .unknown("\(name) cannot be looked at") }
    if let failure = path.failure { return .unknown("\(name): \(failure.reason)") }
    return path.end.map { $0.kind == .file && $0.size > 0 } ?? false ? .present : .noKey
  }

  /// Returns the users who have keys in one of `files` and whose password cannot be used.
  func usersWithKeysAlone(_ files: AuthorizedKeysFiles) -> [[UInt8]] {
    // sshd serves files and ports also to users whose shell ends at once.
    withoutPassword { account in
      files.paths(of: account).contains { key(in: $0, of: account) == .present }
    }
  }

  /// Returns the users whose shell accepts sign-ins and whose password cannot be used, of those included.
  func usersWithoutPassword() -> [[UInt8]] { withoutPassword(where: \.acceptsSignIns) }

  private func withoutPassword(where isIncluded: (KnownAccount) -> Bool) -> [[UInt8]] {
    guard case .success(let accounts) = accounts else { return [] }
    // `RootWithoutFactor` reports root's keys.
    let candidates = accounts.filter { $0.account.uid != 0 && isIncluded($0) }
    return host.shadowEntries(of: candidates.map(\.account)).filter { !$0.hasPassword }.map(\.name)
  }

  // MARK: sshd

  /// The PAM services that sshd uses: `sshd`, and those that its files name (PAMServiceName of OpenSSH 10).
  private(set) lazy var secureShellServices: Set<[UInt8]> = {
    let named = file.lines.filter { $0.name == "pamservicename" }
      .map { SSHDSettings([]).with([($0.name, $0.value)]).service }
    return Set((["sshd"] + named).map { Array($0.utf8) })
  }()

  /// Returns the service whose lines a program carries out for a user: the service itself, or for `sshd` the one that
  /// calls the module among those that its files name.
  func service(for user: UserName, from address: String?, at service: [UInt8]) -> [UInt8] {
    guard countsSecureShell, service == Array("sshd".utf8), secureShellServices.count > 1,
      case .known(let cases, _, _) = view(for: user, from: address).view,
      let name = cases.first.map({ Array($0.settings.service.utf8) })
    else { return service }
    do throws(StackRefusal) {
      return try ServiceWithModule(name, from: host.stacks) == nil ? service : name
    } catch {
      return service
    }
  }

  /// Returns what sshd's settings mean for the sign-in of a user, who connects from an address if it is
  /// known. Nil if the service that was asked for is not sshd's. `service` is the one that sshd uses for the user.
  package func secureShell(
    for user: UserName, from address: String?, at service: ServiceWithModule,
    asked: [UInt8]
  ) -> SecureShellRules? {
    guard countsSecureShell, asked == Array("sshd".utf8) else { return nil }
    let (users, view) = view(for: user, from: address)
    var rules =
      secureShells[users] ?? SecureShellRules(view, isRoot: users.isRoot, service, on: host)
    secureShells[users] = rules
    rules.address = address
    return rules
  }

  /// Returns sshd's settings for a user.
  private func view(
    for user: UserName, from address: String?
  ) -> (users: SecureShellUsers, view: SSHDView) {
    let name = String(decoding: user.bytes, as: UTF8.self)
    var connection = SSHDConnection(user: name)
    if let address { connection[.address] = address }
    let matches = matches(for: user, name)
    let users = SecureShellUsers(
      isRoot: name == "root", matches: matches, address: file.matches.isEmpty ? nil : address)
    let view = views[users] ?? SSHDView(connection, under: matches, of: file, on: host)
    views[users] = view
    return (users, view)
  }

  /// Returns what a prediction for a user at sshd cannot say: settings that have no effect yet, and those for other
  /// ports and addresses of this host.
  package func secureShellBesides(
    for user: UserName, from address: String?, at service: [UInt8]
  ) -> [Finding] {
    guard countsSecureShell, service == Array("sshd".utf8) else { return [] }
    let name = String(decoding: user.bytes, as: UTF8.self)
    let (_, view) = view(for: user, from: address)
    var findings = Finding.checking(StaleServer.subject) { () throws(AdminError) in
      let finding = try StaleServer.finding(
        SSHDServers(of: host).processes, view.general, file, on: host)
      return [finding].compactMap { $0 }.filter { $0.severity != .note }
    }
    let conditions = file.matches.flatMap { SSHDCriteria($0.arguments).conditions }
      .filter { $0.field == .localPort || $0.field == .localAddress }
    for condition in conditions {
      for sample in condition.samples.prefix(Self.mostSamples) {
        var connection = SSHDConnection(user: name)
        if let address { connection[.address] = address }
        connection[condition.field] = sample
        let view = SSHDView(
          connection, under: Set(file.matches.indices), of: file, on: host)
        guard let called = withModule(view.general?.service ?? "sshd") else { continue }
        findings += SecureShellRules(view, isRoot: name == "root", called, on: host).findings
          .map {
            $0.limited($0.severity, "at \(condition.field.words) \(VisibleText.escaping(sample))")
          }
      }
    }
    return findings.filter { $0.severity != .note }
  }

  /// The maximum number of ports and addresses of a line for which `secureShellBesides` starts sshd.
  private static let mostSamples = 2

  /// Returns a service that calls the module, or the service `sshd` if it does, or nil.
  private func withModule(_ name: String) -> ServiceWithModule? {
    for name in [name, "sshd"] {
      do throws(StackRefusal) {
        if let found = try ServiceWithModule(Array(name.utf8), from: host.stacks) { return found }
      } catch {
        continue
      }
    }
    return nil
  }

  /// Returns the `Match` lines that can apply to a user.
  private func matches(for user: UserName, _ name: String) -> Set<Int> {
    guard !file.matches.isEmpty else { return [] }
    // Accounts that are known are not looked up again.
    let known = [Array("root".utf8), user.bytes].compactMap { knownAccounts[$0] }
    let connections = SSHDConnections(
      SSHDConnections.Server(file: file), users: [user], accounts: .success(known), on: host)
    return connections.choices.first { $0.connection.user == name }?.matches ?? []
  }
}
