import MFABase
import MFAAttempt
import MFAModel
import MFAStore
import MFAPAMStack
import MFAWire

@testable import MFAAdmin
@testable import MFADoctor

/// A host in memory. By default it is a Debian 12 system with the guide's lines for ssh, login,
/// sudo and su.
package struct MemoryHost: ExaminedHost {
  /// Service files in the folder `/pam`.
  package var stacks = Stacks()
  package var configurationText = "[project]\n"
  package var configurationFailure: ConfigurationError?
  package var time: Result<Int64, AdminError> = .success(1_700_000_000)
  package var owner: Result<UInt32?, AdminError> = .success(999)
  package var known: Result<[KnownAccount], AdminError> = .success([
    MemoryHost.account("root", 0, home: "/root"),
    MemoryHost.account("alice", 1000), MemoryHost.account("bob", 1001),
    MemoryHost.account("mfa", 999, home: "/var/lib/mfa"),
  ])
  /// The accounts of a directory, which are found by name and not listed.
  package var directory: [KnownAccount] = []
  /// The members of the groups.
  package var groups: [String: [String]] = [:]
  package var reports: Result<[UserReport], AdminError> = .success([])
  /// The modules that do not exist.
  package var missingModules: [String] = []
  /// The options of running sshds.
  package var servers: [RunningServer] = []
  /// The output of `sshd -T` with options, by the first option's value.
  package var sshdWithOptions: [String: String] = [:]
  /// The fields of lines in the shadow database after the name, by name.
  package var shadow: [String: String] = [:]
  /// The users without a password.
  package var withoutPassword: [String] = []
  /// The output of sha256sum, or nil if it is not installed.
  package var checksums: ProgramOutput? = ProgramOutput(status: 0, output: [])
  /// The file status of the paths.
  package var statuses: [String: PathStatus] = MemoryHost.installed
  /// Paths whose status cannot be read, and the error.
  package var unseen: [String: SystemError] = [:]
  /// The text files, by path.
  package var texts: [String: String] = [
    "/etc/ssh/sshd_config": "Include /etc/ssh/sshd_config.d/*.conf\nUsePAM yes\n",
    "/etc/ssh/sshd_config.d/00-mfa.conf": MemoryHost.sshdDropIn,
    "/proc/self/mountinfo": "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n",
  ]
  /// The file system of each path.
  package var rooms: [String: FileSystemSpace] = [:]
  package var writing: SystemError?
  /// Whether the file system of the store is frozen.
  package var isFrozen = false
  package var clock: Result<Bool?, AdminError> = .success(true)
  /// The fault of the audit log.
  package var auditLog: Result<AuditLogProblem?, FactorStoreError> = .success(nil)
  /// The users whose records are stored under an earlier name.
  package var renamed: [Administration.RenamedAccount] = []
  /// What tells the store from the host's own.
  package var comparison = StoreComparison()
  package var resident = ResidentStatus.stopped
  /// Whether the host belongs to a realm, and reaches it.
  package var realm = RealmStatus.noRealm
  package var gateway = GatewayState(refusal: nil, service: .listens)
  /// The reasons why modules cannot be loaded, by the name in the line.
  package var unloadable: [String: String] = [:]
  package var recorded: Result<[RecordedService], AdminError> = .success([])
  package var accepted: Result<AcceptedFindings, AdminError> =
    .success(AcceptedFindings())
  /// Whether the helper may write kernel audit records.
  package var helperMayWriteAudit: Result<Bool, AdminError> = .success(true)
  /// The output of `sshd -T -C`, by user, or nil if sshd is not installed.
  package var sshd: Result<[String: String]?, AdminError> = .success([:])
  /// The output of `sshd -T -C` for all other users.
  package var sshdOfOthers = MemoryHost.sshdSettings
  /// The output of `sshd -T` for its arguments, if it differs from that of the user.
  package var sshdForArguments: (@Sendable ([String]) -> String?)?
  /// What the examinations asked of the host.
  package let questions = Questions()
  /// The output of other programs, by path and arguments.
  package var outputs: [String: ProgramOutput] = [:]
  /// The output of systemctl, by unit.
  package var systemctl: [String: String] = [:]

  package init() {}

  package static let sshdDropIn = """
    UsePAM yes
    KbdInteractiveAuthentication yes
    PasswordAuthentication no
    AuthenticationMethods keyboard-interactive

    """

  package static let sshdSettings = """
    port 22
    usepam yes
    permitrootlogin without-password
    pubkeyauthentication yes
    hostbasedauthentication no
    gssapiauthentication no
    kbdinteractiveauthentication yes
    passwordauthentication no
    authenticationmethods keyboard-interactive

    """

  package static let installed: [String: PathStatus] = [
    "/etc/mfa": folder(0, 0o755), "/etc/mfa/mfa.conf": file(0, 0o644),
    "/etc/mfa/mfa.conf.d": folder(0, 0o755), "/etc/mfa/key": file(999, 0o400, size: 32),
    "/var/lib/mfa": folder(999, 0o700), "/var/lib/mfa/factors": folder(999, 0o2700),
    "/var/lib/mfa/attempts": folder(999, 0o2700), "/usr/lib/mfa": folder(0, 0o755),
    "/usr/lib/mfa/mfad": file(0, 0o755),
    "/usr/lib/mfa/mfa-helper": file(999, 0o4755), "/etc/pam.d/mfa-enroll": file(0, 0o644),
    "/usr/bin/mfa-enroll": file(0, 0o755), "/usr/sbin/mfa-admin": file(0, 0o755),
    "/usr/lib/x86_64-linux-gnu/security/pam_mfa.so": file(0, 0o644),
    "/usr/lib/x86_64-linux-gnu": folder(0, 0o755),
    "/bin": folder(0, 0o755), "/bin/sh": file(0, 0o755), "/bin/bash": file(0, 0o755),
    "/root": folder(0, 0o700), "/home": folder(0, 0o755), "/home/alice": folder(1000, 0o755),
    "/home/bob": folder(1001, 0o755),
  ]

  package static func folder(_ owner: UInt32, _ permissions: UInt32) -> PathStatus {
    PathStatus(kind: .folder, owner: owner, permissions: permissions)
  }

  package static func file(_ owner: UInt32, _ permissions: UInt32, size: Int64 = 1) -> PathStatus {
    PathStatus(kind: .file, owner: owner, permissions: permissions, size: size)
  }

  package static func account(_ name: String, _ uid: UInt32, home: String? = nil) -> KnownAccount {
    KnownAccount(
      account: Account(name: Array(name.utf8), uid: uid), shell: Array("/bin/sh".utf8),
      home: Array((home ?? "/home/\(name)").utf8))
  }

  /// Counts what examinations ask of a host.
  package final class Questions {
    /// The programs that were started.
    package fileprivate(set) var programs: [String] = []
    /// The number of accounts whose password was looked up.
    package fileprivate(set) var passwords = 0
  }

  /// Service files in memory.
  package struct Stacks: StackSource {
    package var files: [String: String] = [
      "common-auth": """
      auth [success=1 default=ignore] pam_unix.so nullok
      auth requisite pam_deny.so
      auth required pam_permit.so
      auth optional pam_cap.so

      """,
      "common-account": """
      account [success=1 new_authtok_reqd=done default=ignore] pam_unix.so
      account requisite pam_deny.so
      account required pam_permit.so

      """,
      "sshd": Stacks.sound + "session optional pam_mfa.so\n",
      "login": "auth requisite pam_nologin.so\n" + Stacks.sound,
      "sudo": Stacks.sound,
      "su": "auth sufficient pam_rootok.so\n@include common-auth\nauth required pam_mfa.so\n"
        + "account sufficient pam_rootok.so\naccount required pam_mfa.so\n"
        + "@include common-account\n",
      "cron": "@include common-auth\n@include common-account\n",
      "other": "@include common-auth\n@include common-account\n",
      "mfa-enroll": "@include common-auth\n@include common-account\n",
    ]

    package init() {}

    package init(files: [String: String]) { self.files = files }

    package static let account = "account required pam_mfa.so\n"

    package static let sound = """
      @include common-auth
      auth required pam_mfa.so
      account required pam_mfa.so
      @include common-account

      """

    package func file(_ name: [UInt8]) throws(StackRefusal) -> StackFile? {
      let name = String(decoding: name, as: UTF8.self)
      return files[name].map {
        StackFile(path: Array("/pam/\(name)".utf8), contents: Array($0.utf8))
      }
    }
  }

  // MARK: ExaminedHost

  package func loadProblem(_ module: [UInt8]) -> String? {
    unloadable[String(decoding: module, as: UTF8.self)]
  }

  package func hasGroup(_ name: [UInt8]) -> Bool {
    groups[String(decoding: name, as: UTF8.self)] != nil
  }

  package func shadowEntries(of accounts: [Account]) -> [ShadowEntry] {
    questions.passwords += accounts.count
    return accounts.compactMap { account in
      let name = String(decoding: account.name, as: UTF8.self)
      let line =
        shadow[name] ?? "\(withoutPassword.contains(name) ? "!" : "$y$"):19000:0:99999:7:::"
      return ShadowEntry(
        "\(name):\(line)".split(separator: ":", omittingEmptySubsequences: false)
          .map { Array($0.utf8) })
    }
  }

  package func accounts(named names: [[UInt8]]) -> [KnownAccount] {
    guard case .success(let known) = known else { return [] }
    return (known + directory).filter { names.contains($0.account.name) }
  }

  package func recordedServices() -> Result<[RecordedService], AdminError> { recorded }

  package func hasModule(_ module: [UInt8]) -> Bool {
    !missingModules.contains(String(decoding: module, as: UTF8.self))
  }

  package func serverProcesses() -> [ServerProcess] {
    servers.enumerated().map { index, server in
      ServerProcess(
        number: Int32(index + 100),
        title: ["\(server.name):", "/usr/sbin/\(server.name)"] + server.options,
        users: [0, 0, 0, 0], mounts: hostMounts.first,
        program: ServerProcess.Program(
          status: Self.file(0, 0o755), path: "/usr/sbin/sshd", isInRootsFolder: true))
    }
  }

  package var hostMounts: [String] { ["mnt:[1]"] }

  package var decidersGroup: UInt32? { 998 }

  /// The targets of symbolic links.
  package var links: [String: String] = [:]

  package func target(ofLink path: String) -> String? { links[path] }

  package func acceptedFindings() -> Result<AcceptedFindings, AdminError> { accepted }

  package func services() throws(StackRefusal) -> [[UInt8]] {
    stacks.files.keys.sorted().map { Array($0.utf8) }
  }

  package func configuration(at path: [UInt8]?) throws(ConfigurationError) -> Configuration {
    if let configurationFailure { throw configurationFailure }
    var draft = ConfigurationDraft()
    try draft.add(Array(configurationText.utf8).span, from: Array("/etc/mfa/mfa.conf".utf8))
    return try draft.finish()
  }

  package func now() throws(AdminError) -> Int64 { try time.get() }

  package func account(named name: [UInt8]) throws(AdminError) -> Account? {
    guard name == Array("mfa".utf8) else {
      guard case .success(let known) = known else { return nil }
      return (known + directory).first { $0.account.name == name }?.account
    }
    return try owner.get().map { Account(name: name, uid: $0) }
  }

  package func isMember(_ account: Account, of group: [UInt8]) -> Bool? {
    groups[String(decoding: group, as: UTF8.self)]?
      .contains(String(decoding: account.name, as: UTF8.self)) ?? false
  }

  package func members(ofGroups names: [[UInt8]]) -> [[[UInt8]]] {
    names.compactMap { groups[String(decoding: $0, as: UTF8.self)]?.map { Array($0.utf8) } }
  }

  package func groups(of account: Account) -> [String]? {
    groups.filter { $0.value.contains(String(decoding: account.name, as: UTF8.self)) }.map(\.key)
      .sorted()
  }

  package func accounts() throws(AdminError) -> [KnownAccount] { try known.get() }

  package func stored() throws(AdminError) -> [UserReport] { try reports.get() }

  /// The users who have enrolled a test number, or the error of reading the numbers.
  package var testNumberUsers: Result<[String], AdminError> = .success([])

  package func users(withPhones numbers: [[UInt8]]) throws(AdminError) -> [String] {
    try testNumberUsers.get()
  }

  package func status(of path: String) throws(AdminError) -> PathStatus? {
    try checkSeen(path)
    return statuses[path]
  }

  private func checkSeen(_ path: String) throws(AdminError) {
    if let error = unseen[path] { throw AdminError(at: path, error.text) }
  }

  /// Returns nothing: no lock is held.
  package func stoppedLockHolders() -> [LockHolder] { [] }

  package func names(in folder: String) throws(AdminError) -> [String] {
    try checkSeen(folder)
    let paths = Set(statuses.keys).union(texts.keys)
    var names: Set<String> = []
    for path in paths where path.hasPrefix(folder + "/") {
      names.insert(String(path.dropFirst(folder.count + 1).prefix { $0 != "/" }))
    }
    return Array(names)
  }

  package func text(of path: String) throws(AdminError) -> [UInt8]? {
    try checkSeen(path)
    return texts[path].map { Array($0.utf8) }
  }

  package func fileSystemSpace(at path: String) throws(AdminError) -> FileSystemSpace {
    if let error = unseen["room " + path] { throw AdminError(at: path, error.text) }
    return rooms[path] ?? FileSystemSpace(bytes: 1 << 30, files: 100_000)
  }

  package func tryWriting(in folder: String) throws(AdminError) -> Bool {
    if let writing { throw AdminError(at: folder, writing.text) }
    return !isFrozen
  }

  package func mayWriteAudit(_ program: String) throws(AdminError) -> Bool {
    try helperMayWriteAudit.get()
  }

  package func clockIsSynchronized() throws(AdminError) -> Bool? { try clock.get() }

  package func output(
    of program: String, _ arguments: [String]
  ) throws(AdminError) -> ProgramOutput? {
    questions.programs.append(program)
    guard program != "/usr/bin/sha256sum" else { return checksums }
    if let output = outputs[([program] + arguments).joined(separator: " ")] { return output }
    guard program == "/usr/sbin/sshd" else {
      guard let unit = arguments.last, let text = systemctl[unit] else { return nil }
      return ProgramOutput(status: 0, output: Array(text.utf8))
    }
    guard let users = try sshd.get() else { return nil }
    if let text = sshdForArguments?(arguments) {
      return ProgramOutput(status: 0, output: Array(text.utf8))
    }
    if arguments.count > 1, let text = sshdWithOptions[arguments[1]] {
      return ProgramOutput(status: 0, output: Array(text.utf8))
    }
    let user = arguments.last?.split(separator: ",").first?.dropFirst("user=".count)
    let text = users[String(user ?? "")] ?? sshdOfOthers
    guard !text.hasPrefix("!") else {
      return ProgramOutput(status: 255, output: [], errors: Array(text.dropFirst().utf8))
    }
    return ProgramOutput(status: 0, output: Array(text.utf8))
  }

  /// Sets what `mfa-fleet relay --status` prints.
  package mutating func relay(_ text: String) {
    outputs["/usr/sbin/mfa-fleet relay --status"] = ProgramOutput(
      status: 0, output: Array(text.utf8))
  }

  package func residentStatus() -> ResidentStatus { resident }

  /// What root can use.
  package var own = ProbeReply()
  /// Returns `own`.
  package func ownProbe() -> ProbeReply { own }

  /// Returns `realm`.
  package func realmStatus() -> RealmStatus { realm }
  package func gatewayState(of path: [UInt8]) -> GatewayState { gateway }

  package func renamedUsers() throws(AdminError) -> [Administration.RenamedAccount] { renamed }

  package func storeComparison() throws(AdminError) -> StoreComparison { comparison }

  package func auditLogProblem() throws(AdminError) -> AuditLogProblem? {
    do throws(FactorStoreError) { return try auditLog.get() } catch { throw .store(error) }
  }
}
