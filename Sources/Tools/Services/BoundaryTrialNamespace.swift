import MFAAdmin
import MFAStore
import MFAAttempt
import MFABase
import MFACPOSIX
import MFACrypto
import MFADoctor
import MFAModel

/// A private mount namespace of this process, in which other files can be shown.
///
/// MUST 1: the process ends in it: it can never return to the host's mounts.
package final class PrivateMounts {
  /// The folder for copies. No other process changes services meanwhile, so the folder has no other use.
  static let workspace = "\(InstalledPath.pendingChanges)"

  private var number = 0

  /// Moves this process to a new mount namespace.
  package init() throws(AdminError) {
    guard cposix_leave_mounts() == 0 else { throw Self.failure("a private mount namespace") }
  }

  /// Hides the folder for copies, so that files can be shown.
  package func openWorkspace() throws(AdminError) { try Self.hide(Self.workspace, "mode=0700") }

  /// Shows the files of a service that are to be written.
  package func show(_ plan: ServicePlan) throws(AdminError) {
    for file in plan.files where file.path == SecureShellDropIn.path {
      try show(file.new, in: SecureShellDropIn.folder, as: file.path)
    }
    for file in plan.replacedFiles { try show(file.contents, at: file.path) }
  }

  static func failure(_ what: String) -> AdminError {
    AdminError(at: what, SystemError(.open, number: cposix_errno()).text)
  }

  static func isFolder(_ path: String) -> Bool {
    var status = stat()
    // SAFETY: the string is valid during the call, which writes `status`.
    return unsafe stat(path, &status) == 0 && Int32(bitPattern: status.st_mode) & S_IFMT == S_IFDIR
  }

  static func hide(_ folder: String, _ options: String) throws(AdminError) {
    // SAFETY: the strings end with a NUL and are valid during the call.
    guard unsafe cposix_mount_memory(folder, options) == 0 else {
      throw failure("hiding \(folder)")
    }
  }

  static func makeFolder(
    _ path: String, permissions: mode_t = 0o755
  ) throws(AdminError) {
    // SAFETY: the string ends with a NUL and is valid during the call.
    guard unsafe mkdir(path, permissions) == 0 else { throw failure(path) }
  }

  static func showFile(_ file: String, at place: String) throws(AdminError) {
    // SAFETY: the strings end with a NUL and are valid during the call.
    guard unsafe cposix_mount_file(file, place) == 0 else {
      throw failure("showing a file at \(place)")
    }
  }

  /// Writes a new file in the workspace, and shows it at the place of another one.
  func show(
    _ contents: [UInt8], at place: String, permissions: UInt32 = 0o644
  ) throws(AdminError) {
    number += 1
    let path = "\(Self.workspace)/\(number)"
    try Self.write(contents, to: path, permissions: permissions, owner: 0)
    try Self.showFile(path, at: place)
  }

  static func write(
    _ contents: [UInt8], to path: String, permissions: UInt32, owner: UInt32
  ) throws(AdminError) {
    try inFolder(of: path, "writing \(path)") { (folder, name) throws(SystemError) in
      let file = try folder.create(name)
      try file.write(contents)
      try file.changeOwner(to: owner)
      try file.changeGroup(to: owner)
      try file.changeMode(to: permissions)
    }
  }

  /// Calls `body` with the folder of a path and the name of the file.
  static func inFolder<Value>(
    of path: String, _ what: String,
    _ body: (borrowing Directory, FileName) throws(SystemError) -> Value
  ) throws(AdminError) -> Value {
    try AdminError.at(what) { () throws(SystemError) in
      guard let trusted = TrustedPath(Array(path.utf8)) else { throw .notFound(.open) }
      return try trusted.inParent(body)
    }
  }

  /// Shows a copy of a folder with one more file. sshd reads such a folder.
  package func show(_ contents: [UInt8], in folder: String, as path: String) throws(AdminError) {
    let names = try AdminError.at(folder) { () throws(SystemError) in
      try TrustedPath.names(in: folder) { $0.suffix(5) == Array(".conf".utf8)[...] }
    }
    var files: [(path: String, contents: [UInt8], permissions: UInt32)] = [(path, contents, 0o644)]
    for name in names where "\(folder)/\(name)" != path {
      let path = "\(folder)/\(name)"
      // What sshd says about a file is shown if every user can read the file.
      let permissions = try Self.inFolder(of: path, path) { (folder, name) throws(SystemError) in
        try folder.fileForReading(name).status().permissions & 0o644
      }
      files.append((path, try Self.read(path), permissions))
    }
    try Self.hide(folder, "mode=0755")
    for file in files {
      try Self.write(file.contents, to: file.path, permissions: file.permissions, owner: 0)
    }
  }

  static func read(_ path: String) throws(AdminError) -> [UInt8] {
    try AdminError.at(path) { () throws(SystemError) in
      try PlainFile.read(path, longest: 1 << 24).get()
    }
  }
}

/// A private mount namespace in which two test accounts can sign in.
///
/// The test accounts are in copies of /etc/passwd and /etc/shadow. Empty file systems in memory hide the
/// store, the resident service and the state of pam_faillock, and nscd. What modules write to the
/// system log is read here instead.
package final class TrialNamespace: TrialHost {
  /// Folders that are hidden if they exist.
  private static let hidden = [
    "\(InstalledPath.residentFolder)", "/run/faillock", "/var/run/nscd", "/run/nscd",
  ]
  /// An address for documentation (RFC 5737), from which no user signs in.
  private static let remoteHost = "198.51.100.1"

  /// The namespace.
  package let mounts: PrivateMounts
  private let accounts: TrialAccounts
  private let password: String
  private var secret = SecretBytes(count: 0)
  private let log: Int32
  /// The connections to `log`.
  private var writers: [Int32] = []

  package var enrolled: [UInt8] { accounts.names[0] }
  package var notEnrolled: [UInt8] { accounts.names[1] }

  /// The address that test accounts sign in from at a service, or nil.
  package static func remoteHost(at service: [UInt8]) -> String? {
    service == Array("sshd".utf8) ? remoteHost : nil
  }

  /// Moves this process to a new mount namespace, and creates the test accounts there.
  package init() throws(AdminError) {
    mounts = try PrivateMounts()
    for folder in Self.hidden where PrivateMounts.isFolder(folder) {
      try PrivateMounts.hide(folder, "mode=0755")
    }
    if ThisHost.belongsToRealm { try Self.leaveRealm() }
    try mounts.openWorkspace()
    log = try Self.catchLog()
    password = try Self.random { () throws(SystemError) in
      VisibleText.escaping(Hexadecimal.text(of: try randomBytes(count: 12)))
    }
    accounts = try Self.accounts()
    try addAccounts()
  }

  package func begin() -> TrialResult? {
    do throws(AdminError) {
      secret = try Self.random { () throws(SystemError) in try SecretBytes.random(count: 20) }
      // Without this user, sign-ins of users fail too.
      guard let owner = try Self.storeOwner() else { return .failed(Self.noOwner) }
      try makeStore(owner.uid)
      return try enrol()
    } catch {
      return .untried(error.sentence)
    }
  }

  private static func random<Value: ~Copyable>(
    _ body: () throws(SystemError) -> Value
  ) throws(AdminError) -> Value {
    do throws(SystemError) { return try body() } catch {
      throw AdminError(at: "random numbers", "not available")
    }
  }

  // MARK: The realm

  /// Hides that this host belongs to a realm, so that the module decides from the store of the trial. The
  /// folder of the configuration is replaced by one with the same files but without the file that names the realm,
  /// and with a key of the trial: a host of a realm needs none.
  private static func leaveRealm() throws(AdminError) {
    let folder = "\(InstalledPath.configurationFolder)"
    // The store of each trial hides this one.
    let present = "\(InstalledPath.store)/configuration"
    try PrivateMounts.hide("\(InstalledPath.store)", "mode=0755")
    try PrivateMounts.makeFolder(present)
    try PrivateMounts.showFile(folder, at: present)
    let names = try AdminError.at(folder) { () throws(SystemError) in
      try TrustedPath.names(in: present) { _ in true }
    }
    try PrivateMounts.hide(folder, "mode=0755")
    let replaced = ["\(InstalledPath.realm)", "\(InstalledPath.key)", PrivateMounts.workspace]
    for name in names where !replaced.contains("\(folder)/\(name)") {
      let path = "\(folder)/\(name)"
      if PrivateMounts.isFolder("\(present)/\(name)") {
        try PrivateMounts.makeFolder(path)
      } else {
        try PrivateMounts.write([], to: path, permissions: 0o600, owner: 0)
      }
      try PrivateMounts.showFile("\(present)/\(name)", at: path)
    }
    try PrivateMounts.makeFolder(PrivateMounts.workspace)
    let key = try random { () throws(SystemError) in
      try randomBytes(count: SealingKey.length)
    }
    guard let owner = try storeOwner() else { throw AdminError(at: folder, noOwner) }
    try PrivateMounts.write(key, to: "\(InstalledPath.key)", permissions: 0o400, owner: owner.uid)
  }

  package func put(_ files: [(path: String, contents: [UInt8])]) -> String? {
    do throws(AdminError) {
      for file in files { try mounts.show(file.contents, at: file.path) }
      return nil
    } catch {
      return error.sentence
    }
  }

  // MARK: Accounts

  private static func accounts() throws(AdminError) -> TrialAccounts {
    let known = try AdminError.at("the accounts cannot be listed") { () throws(SystemError) in
      try KnownAccount.all()
    }
    let taken = known.map { (name: $0.account.name, uid: $0.account.uid) }
    guard let accounts = TrialAccounts(besides: taken) else {
      throw AdminError(at: "/etc/passwd", "no user ID is free for a test account")
    }
    return accounts
  }

  private func addAccounts() throws(AdminError) {
    let today = (try Self.now()) / 86_400
    let salt = String(password.prefix(16))
    guard let hash = TrialTransaction.hash(of: password, salt: salt) else {
      throw AdminError(at: "libcrypt", "it has no SHA-512")
    }
    try mounts.show(accounts.passwd(try PrivateMounts.read("/etc/passwd")), at: "/etc/passwd")
    try mounts.show(
      accounts.shadow(try PrivateMounts.read("/etc/shadow"), hash: hash, today: today),
      at: "/etc/shadow",
      permissions: 0o600)
  }

  private static func now() throws(AdminError) -> Int64 {
    try AdminError.at("the clock") { () throws(SystemError) in try Clock.now() }
  }

  // MARK: The store

  /// Creates an empty store, as packaging/install does.
  private func makeStore(_ owner: UInt32) throws(AdminError) {
    let store = "\(InstalledPath.store)"
    try PrivateMounts.hide(store, "mode=0700")
    for folder in ["factors", "attempts", "uids", "mail"] {
      let path = "\(store)/\(folder)"
      try PrivateMounts.makeFolder(path, permissions: 0o700)
      // SAFETY: the strings end with a NUL and are valid during the calls.
      guard unsafe chown(path, owner, owner) == 0,
        // SAFETY: as above.
        unsafe chmod(path, 0o2700) == 0
      else { throw PrivateMounts.failure(path) }
    }
    for file in ["audit-log", "audit-log.head"] {
      try PrivateMounts.write([], to: "\(store)/\(file)", permissions: 0o600, owner: owner)
    }
    // SAFETY: the string ends with a NUL and is valid during the call.
    guard unsafe chown(store, owner, owner) == 0 else { throw PrivateMounts.failure(store) }
    try Self.makeIdentity(owner)
  }

  /// Hides the identity of the host's own store by that of a store in which nothing was recorded. Without
  /// one, the host denies, and so does the trial.
  private static func makeIdentity(_ owner: UInt32) throws(AdminError) {
    let folder = "\(InstalledPath.storeIdentity)"
    guard PrivateMounts.isFolder(folder) else { return }
    try PrivateMounts.hide(folder, "mode=0700")
    try PrivateMounts.write(
      [UInt8](repeating: 0, count: StoreIdentity.length),
      to: "\(folder)/\(StoreIdentity.fileName)", permissions: 0o600, owner: owner)
    // SAFETY: the string ends with a NUL and is valid during the call.
    guard unsafe chown(folder, owner, owner) == 0 else { throw PrivateMounts.failure(folder) }
  }

  private static let noOwner = "there is no system user mfa"

  private static func storeOwner() throws(AdminError) -> Account? {
    try AdminError.at("the account mfa") { () throws(SystemError) in
      try Account.named(Array("mfa".utf8))
    }
  }

  /// Enrols a factor for the first test account, in the hidden store. Returns the result if the store
  /// cannot be used, so that sign-ins of users would fail too.
  private func enrol() throws(AdminError) -> TrialResult? {
    let now = try Self.now()
    guard let location = StoreLocation.standard,
      let name = DisplayName(Array("trial".utf8)), let uid = accounts.uids.first
    else { throw AdminError(at: "\(InstalledPath.store)", "it cannot be used") }
    let account = Account(name: enrolled, uid: uid)
    let actor = AuditLogEvent.Actor(
      name: Array("root".utf8), uid: 0, program: Array("mfa-admin".utf8), source: .unknown)
    do throws(FactorStoreError) {
      let store = try LocalFactorStore(location)
      let entry = try store.entry(of: account, creating: true)
      let description = Importing.Description(
        displayName: name, parameters: .standard, timeOffset: 0, usedUntil: now / 30 - 100)
      let codes = SecretBytes(count: 0)
      _ = try secret.withSpan { key throws(FactorStoreError) in
        try Importing.add(
          description, key: key, recoveryCodes: codes.span, to: entry,
          attempts: entry.attempts, now: now, from: .unknown, by: actor)
      }
      return nil
    } catch {
      return .failed("the store cannot be used: \(RecordProblem.store(error).sentence)")
    }
  }

  // MARK: Sign-ins

  package func signIn(
    _ user: [UInt8], _ service: [UInt8], password: TrialPassword, code: TrialCode
  ) -> TrialSignIn {
    _ = logged()
    let caller = PAMCaller.isStartedByUsers(service) ? accounts.uids[1] : 0
    let answers = TrialTransaction.Answers(
      password: Array((password == .right ? self.password : "x").utf8), code: digits(code),
      prompts: Self.prompts())
    var result = TrialTransaction.signIn(
      user, service, answers, caller: caller, remoteHost: Self.remoteHost(at: service),
      hasKey: password == .wrongAfterKey, runsAuth: password != .verifiedByProgram)
    result.log = logged()
    return result
  }

  /// Returns the questions for a code that the host's configuration sets.
  private static func prompts() -> [String] {
    do throws(ConfigurationError) {
      let configuration = try LocalExaminedHost().configuration(at: nil)
      let sections = [nil] + configuration.tenants.map { Optional($0) }
      return sections.compactMap { section in
        configuration.value(of: .prompt, in: section).map { String(decoding: $0, as: UTF8.self) }
      }
    } catch {
      // Every sign-in is denied.
      return []
    }
  }

  /// Returns the digits of a code, or nil for no code.
  private func digits(_ code: TrialCode) -> [UInt8]? {
    guard code != .noCode else { return nil }
    do {
      let step = try Self.now() / 30 + (code == .next ? 1 : 0)
      let codes = try secret.withSpan { key throws(SystemError) in
        var hotp = try HOTP(secret: key, algorithm: .sha1)
        var codes: [[UInt8]] = []
        for step in (step - 12)...(step + 12) {
          codes.append(Self.digits(try hotp.code(at: UInt64(step), digits: .six)))
        }
        return codes
      }
      guard code == .wrong else { return codes[12] }
      return (0..<100).lazy.map { Array("\(100_000 + $0)".utf8) }.first { !codes.contains($0) }
    } catch {
      return nil
    }
  }

  private static func digits(_ code: Code) -> [UInt8] {
    let text = String(code.value)
    return Array((String(repeating: "0", count: max(0, 6 - text.count)) + text).utf8)
  }

  // MARK: The log

  /// Shows a socket of this process at the place of the system log's. syslog(3) connects to stream
  /// sockets too, which keep what has not been read yet.
  private static func catchLog() throws(AdminError) -> Int32 {
    let path = "\(PrivateMounts.workspace)/log"
    // SAFETY: the string ends with a NUL and is valid during the call.
    let socket = unsafe cposix_listen_stream(path)
    guard socket >= 0 else { throw PrivateMounts.failure("a socket for the log") }
    // Without a system log, nothing is caught and nothing is written.
    // SAFETY: the strings end with a NUL and are valid during the call.
    _ = unsafe cposix_mount_file(path, "/dev/log")
    return socket
  }

  /// Returns the lines that were written to the log since the last call.
  private func logged() -> [String] {
    var text: [UInt8] = []
    while true {
      let connection = accept(log, nil, nil)
      guard connection >= 0 else { break }
      writers.append(connection)
    }
    for writer in writers {
      var buffer = [UInt8](repeating: 0, count: 65_536)
      while text.count < 1 << 20 {
        // SAFETY: the call writes at most as many bytes as the array has.
        let count = unsafe buffer.withUnsafeMutableBytes {
          unsafe recv(writer, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT))
        }
        guard count > 0 else { break }
        text += buffer.prefix(count)
      }
    }
    return text.split { $0 == 0 || $0 == UInt8(ascii: "\n") }.map { Self.message(Array($0)) }
  }

  /// Returns the message of a line without its priority, time and program.
  private static func message(_ line: [UInt8]) -> String {
    let text = VisibleText.escaping(line)
    return String(text.replacing(#/^<[0-9]+>.{15} [^ ]*?: /#, with: ""))
  }
}
