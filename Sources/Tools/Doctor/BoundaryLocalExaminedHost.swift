import Glibc
import MFAAdmin
import MFAAttempt
import MFABase
import MFACPOSIX
import MFAModel
import MFAPAMStack
import MFAStore
import MFAWire

/// The machine that mfa-admin runs on.
package struct LocalExaminedHost: ExaminedHost {
  /// Reads the records of the services that were enabled.
  private let recorded: () -> Result<[RecordedService], AdminError>
  /// Reads the list of accepted findings.
  private let accepted: () -> Result<AcceptedFindings, AdminError>

  /// The end of the examination, in seconds since the machine was started, or nil if it is not known.
  private let end: Int64?
  /// How long the programs that an examination starts may take together, in seconds.
  private let seconds: Int64

  /// Creates the host. Nothing is read yet.
  package init(
    seconds: Int64 = 120,
    recorded: @escaping () -> Result<[RecordedService], AdminError> = { .success([]) },
    accepted: @escaping () -> Result<AcceptedFindings, AdminError> = {
      .success(AcceptedFindings())
    }
  ) {
    self.recorded = recorded
    self.accepted = accepted
    self.seconds = seconds
    do throws(SystemError) { end = try Clock.sinceBoot() + seconds } catch { end = nil }
  }

  /// The maximum time for one program, in seconds.
  private static let longestProgram: Int64 = 10

  /// Returns how long a program may take, in seconds.
  private func patience(for program: String) throws(AdminError) -> Int64 {
    guard let end else { return Self.longestProgram }
    let left = try AdminError.at(program) { () throws(SystemError) in
      end - (try Clock.sinceBoot())
    }
    guard left > 0 else {
      throw AdminError(
        at: program, "the whole examination has taken more than \(seconds) s")
    }
    return min(left, Self.longestProgram)
  }

  /// The path of this program.
  private static let ownProgram = "/proc/self/exe"

  package func loadProblem(_ module: [UInt8]) -> String? {
    guard let path = path(ofModule: module) else { return nil }
    do throws(AdminError) {
      let output = try ChildProgram(
        arguments: [Self.ownProgram, "load-module", path],
        seconds: try patience(for: Self.ownProgram)
      ).run()
      return output.isSuccess ? nil : output.complaint
    } catch {
      return error.reason
    }
  }

  package func hasModule(_ module: [UInt8]) -> Bool {
    guard let path = path(ofModule: module) else { return true }
    // What cannot be examined is not reported as missing: `Ownership` reports it.
    do throws(AdminError) { return try status(of: path) != nil } catch { return true }
  }

  /// Returns the path of a module that a line names, or nil if the folder of modules cannot be found.
  private func path(ofModule module: [UInt8]) -> String? {
    let name = String(decoding: module, as: UTF8.self)
    guard !name.hasPrefix("/") else { return name }
    return moduleFolder.map { "\($0)/\(name)" }
  }

  /// The folder from which libpam loads modules that a line names without a path: the one that has
  /// libpam's own modules. Nil if it cannot be found.
  private var moduleFolder: String? {
    let folders: [String]
    do throws(AdminError) { folders = try Ownership.moduleFolders(self) } catch { return nil }
    return folders.first { folder in
      // A folder that cannot be examined does not hide the next one.
      do throws(AdminError) { return try status(of: "\(folder)/pam_deny.so") != nil } catch {
        return false
      }
    }
  }

  package func recordedServices() -> Result<[RecordedService], AdminError> { recorded() }

  package func acceptedFindings() -> Result<AcceptedFindings, AdminError> { accepted() }

  /// The longest file that is read, in bytes.
  private static let longestText = 1 << 20

  /// The name of the file that tests whether the store is writable. The store ignores this name.
  private static let probe: StaticString = ".doctor"

  package var stacks: InstalledStacks { InstalledStacks() }

  package func services() throws(StackRefusal) -> [[UInt8]] { try stacks.services() }

  package func configuration(at path: [UInt8]?) throws(ConfigurationError) -> Configuration {
    try DecidingUser.reading { () throws(ConfigurationError) in
      try LocalAuthenticationHost().configuration(at: path)
    }
  }

  package func now() throws(AdminError) -> Int64 {
    try AdminError.at("the clock") { () throws(SystemError) in try Clock.now() }
  }

  package func account(named name: [UInt8]) throws(AdminError) -> Account? {
    try AdminError.at("/etc/passwd") { () throws(SystemError) in try Account.named(name) }
  }

  package func hasGroup(_ name: [UInt8]) -> Bool {
    // A failed lookup is not reported as a group that does not exist.
    do throws(SystemError) { return try Account.groupExists(named: name) } catch { return true }
  }

  package func shadowEntries(of accounts: [Account]) -> [ShadowEntry] {
    let local = localShadow.compactMap { ShadowEntry($0) }
    var found = Dictionary(local.map { ($0.name, $0) }) { first, _ in first }
    if found.isEmpty || hasOtherShadow {
      let others = entries("shadow", accounts.map(\.name).filter { found[$0] == nil })
      for entry in others.compactMap({ ShadowEntry($0) }) { found[entry.name] = entry }
    }
    return accounts.compactMap { found[$0.name] }
  }

  /// Whether entries of the shadow database can be in a directory.
  private var hasOtherShadow: Bool {
    do throws(AdminError) {
      return try !NameServiceSwitch(of: self).directories(of: "shadow").isEmpty
    } catch {
      return true
    }
  }

  /// The entries of /etc/shadow, in one reading: to look up each name would read the file as often.
  private var localShadow: [[[UInt8]]] {
    do throws(AdminError) {
      guard let output = try output(of: Self.lookUp, ["-s", "files", "shadow"]), output.isSuccess
      else { return [] }
      return Self.fields(output.output)
    } catch {
      return []
    }
  }

  package func accounts(named names: [[UInt8]]) -> [KnownAccount] {
    entries("passwd", names).compactMap { fields in
      guard fields.count > 6, let uid = UInt32(String(decoding: fields[2], as: UTF8.self)) else {
        return nil
      }
      return KnownAccount(
        account: Account(name: fields[0], uid: uid), shell: fields[6], home: fields[5],
        group: UInt32(String(decoding: fields[3], as: UTF8.self)))
    }
  }

  package func members(ofGroups names: [[UInt8]]) -> [[[UInt8]]] {
    entries("group", names).map { fields in
      fields.count > 3 ? fields[3].split(separator: UInt8(ascii: ",")).map { Array($0) } : []
    }
  }

  /// The program that looks names up in the system's databases (getent(1)).
  private static let lookUp = "/usr/bin/getent"

  /// The maximum number of names that one program looks up.
  private static let mostNames = 500

  /// Returns the fields of the entries with these names. A name that cannot be looked up has no entry.
  private func entries(_ database: String, _ names: [[UInt8]]) -> [[[UInt8]]] {
    let names = names.filter { !$0.isEmpty && !$0.contains(0) }
      .map { String(decoding: $0, as: UTF8.self) }
    return stride(from: 0, to: names.count, by: Self.mostNames).flatMap { start in
      let some = Array(names[start...].prefix(Self.mostNames))
      do throws(AdminError) {
        // If some names have no entry, the others are printed all the same.
        let output = try output(of: Self.lookUp, [database, "--"] + some)?.output ?? []
        return Self.fields(output)
      } catch {
        return []
      }
    }
  }

  private static func fields(_ output: [UInt8]) -> [[[UInt8]]] {
    output.split(separator: UInt8(ascii: "\n")).map { line in
      line.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false).map { Array($0) }
    }
  }

  package var decidersGroup: UInt32? {
    do throws(SystemError) { return try DecidingUser.identity?.group } catch { return nil }
  }

  package func isMember(_ account: Account, of group: [UInt8]) -> Bool? {
    account.isMember(of: group)
  }

  package func groups(of account: Account) -> [String]? {
    groups(of: KnownAccount(account: account, shell: []), listed: nil)
  }

  package func listedGroups() -> ListedGroups? {
    do throws(AdminError) {
      let isComplete = try NameServiceSwitch(of: self).hasOnlyLocalAccounts
      guard let output = try output(of: Self.lookUp, ["group"]), output.isSuccess else {
        return nil
      }
      return ListedGroups(entries: Self.fields(output.output), isComplete: isComplete)
    } catch {
      return nil
    }
  }

  package func groups(of account: KnownAccount, listed: ListedGroups?) -> [String]? {
    do throws(SystemError) {
      return try account.account.groupIDs(primary: account.group)?.compactMap { group in
        if let name = listed?.names[group] { return name }
        return listed?.isComplete ?? false ? nil : Self.name(ofGroup: group)
      }
    } catch {
      return nil
    }
  }

  private static func name(ofGroup group: gid_t) -> String? {
    // SAFETY: the entry and its name are valid until the next lookup, and copied before it.
    guard let entry = unsafe getgrgid(group), let name = unsafe entry.pointee.gr_name else {
      return nil
    }
    // SAFETY: the name is NUL-terminated, and no lookup has followed.
    return unsafe String(cString: name)
  }

  package func accounts() throws(AdminError) -> [KnownAccount] {
    try AdminError.at("/etc/passwd") { () throws(SystemError) in try KnownAccount.all() }
  }

  /// How long the service may take to answer, in seconds.
  private static let residentPatience: Int64 = 5

  /// Sends the resident service a request that only the helper may send: the service ends the connection at
  /// once.
  package func residentStatus() -> ResidentStatus {
    let connection: PacketConnection
    do throws(SystemError) {
      connection = try PacketConnection(to: InstalledPath.residentRootSocket.bytes)
    } catch {
      return error.isNotFound || error.isRefused ? .stopped : .unknown(error.text)
    }
    do throws(SystemError) {
      let owner = try connection.peer().user
      guard owner == 0 else { return .untrusted(owner: owner) }
      var call = ProbeCall()
      guard let message = call.packet() else { return .silent }
      try connection.send(message.span)
      switch try connection.receive(seconds: Self.residentPatience) {
      case .silent: return .silent
      case .packet(let packet): return .answers(Self.probe(packet))
      case .ended: return .answers(nil)
      case .unread: return .answers(nil)
      case .tooLong: return .answers(nil)
      }
    } catch {
      return error.isBrokenPipe ? .answers(nil) : .unknown(error.text)
    }
  }

  private static func probe(_ packet: consuming SecretBytes) -> ProbeReply? {
    do throws(PacketError) { return try ProbeReply(packet: packet) } catch { return nil }
  }

  package func ownProbe() -> ProbeReply {
    ProbeReply(on: LocalAuthenticationHost(), user: 0)
  }

  package func realmStatus() -> RealmStatus {
    guard ThisHost.belongsToRealm else { return .noRealm }
    do throws(AdminError) {
      switch try RealmConnection().reply(to: .inspect) {
      case .inspection(let inspection):
        do throws(SystemError) {
          return .answers(inspection, time: try Clock.now())
        } catch {
          return .answers(inspection, time: 0)
        }
      default: return .fails(.otherVersion)
      }
    } catch {
      return .fails(error)
    }
  }

  package func gatewayState(of path: [UInt8]) -> GatewayState { GatewayState(of: path) }

  package func stored() throws(AdminError) -> [UserReport] {
    try ThisHost.administration(needsConfiguration: false).0.users(progress: Console.progress)
  }

  package func users(withPhones numbers: [[UInt8]]) throws(AdminError) -> [String] {
    try ThisHost.administration(needsConfiguration: false).0.users(withPhones: numbers)
  }

  package func status(of path: String) throws(AdminError) -> PathStatus? {
    try Self.status(of: path, AT_SYMLINK_NOFOLLOW)
  }

  /// Returns the status of the file at a path or, for a symbolic link, of the file that it leads to.
  static func statusOfTarget(_ path: String) throws(AdminError) -> PathStatus? {
    try status(of: path, 0)
  }

  private static func status(
    of path: String, _ flags: Int32
  ) throws(AdminError) -> PathStatus? {
    var status = stat()
    // SAFETY: the call writes `status`, which outlives the call; the path is valid during the call.
    guard unsafe fstatat(AT_FDCWD, path, &status, flags) == 0 else {
      let error = SystemError(.status, number: cposix_errno())
      guard error.isNotFound || error.isNotADirectory else {
        throw AdminError(at: path, error.text)
      }
      return nil
    }
    let kind: PathStatus.Kind
    switch Int32(bitPattern: status.st_mode) & S_IFMT {
    case S_IFREG: kind = .file
    case S_IFDIR: kind = .folder
    case S_IFLNK: kind = .link
    case _: kind = .other
    }
    return PathStatus(
      kind: kind, owner: status.st_uid, permissions: status.st_mode & 0o7777,
      links: UInt64(status.st_nlink), size: Int64(status.st_size), group: status.st_gid,
      identity: PathStatus.Identity(device: UInt64(status.st_dev), number: UInt64(status.st_ino)),
      changedAt: Int64(status.st_ctim.tv_sec) * 1_000_000_000 + Int64(status.st_ctim.tv_nsec))
  }

  package func target(ofLink path: String) -> String? { ProcFile.target(path) }

  package func mayWriteAudit(_ program: String) throws(AdminError) -> Bool {
    // SAFETY: the path is valid during the call.
    let answer = unsafe cposix_may_write_audit(program)
    guard answer >= 0 else {
      throw AdminError(at: program, SystemError(.status, number: cposix_errno()).text)
    }
    return answer == 1
  }

  package func names(in folder: String) throws(AdminError) -> [String] {
    try Self.ifPresent(folder) { () throws(SystemError) in
      var names: [String] = []
      let directory = try Self.anyFolder(folder)
      try directory.forEachEntry { name in
        names.append(String(decoding: name.bytes, as: UTF8.self))
        return true
      }
      return names
    } ?? []
  }

  /// Returns what `body` reads at a path, or nil if nothing is there.
  private static func ifPresent<Value>(
    _ path: String, _ body: () throws(SystemError) -> Value
  ) throws(AdminError) -> Value? {
    do throws(SystemError) { return try body() } catch {
      if error.isNotFound || error.isNotADirectory { return nil }
      throw AdminError(at: path, error.text)
    }
  }

  package func text(of path: String) throws(AdminError) -> [UInt8]? {
    try Self.ifPresent(path) { () throws(SystemError) in
      let text = try PlainFile.read(path, longest: Self.longestText, owner: 0).get()
      guard text.count <= Self.longestText else { throw .untrusted(.tooLarge) }
      return text
    }
  }

  package func contents(of path: String, owner: UInt32) -> [UInt8]? {
    do throws(SystemError) {
      return try PlainFile.read(path, longest: Self.longestText, owner: owner).get()
    } catch {
      return nil
    }
  }

  package func fileSystemSpace(at path: String) throws(AdminError) -> FileSystemSpace {
    var room = statvfs()
    // SAFETY: the call writes `room`, which outlives the call; the path is valid during the call.
    guard unsafe statvfs(path, &room) == 0 else {
      throw AdminError(at: path, SystemError(.status, number: cposix_errno()).text)
    }
    let (bytes, isMore) = UInt64(room.f_bavail).multipliedReportingOverflow(
      by: UInt64(room.f_frsize))
    return FileSystemSpace(
      bytes: isMore ? .max : bytes, files: room.f_files == 0 ? nil : UInt64(room.f_favail),
      isReadOnly: room.f_flag & UInt(ST_RDONLY) != 0,
      ignoresSetuid: room.f_flag & UInt(ST_NOSUID) != 0)
  }

  /// The command that writes in a process of its own: nothing ends a process that waits for a frozen file system.
  package static let writing = "try-writing"

  /// How long writing may take, in seconds.
  private static let longestWriting: Int64 = 5

  package func tryWriting(in folder: String) throws(AdminError) -> Bool {
    let output: ProgramOutput?
    do throws(AdminError) {
      output = try ChildProgram(
        arguments: [Self.ownProgram, Self.writing, folder], seconds: Self.longestWriting
      ).runIfItEnds()
    } catch {
      throw AdminError(at: folder, error.reason)
    }
    guard let output else { return false }
    guard output.isSuccess else { throw AdminError(at: folder, output.complaint) }
    return true
  }

  /// Writes a test file in a folder and removes it.
  package static func write(in folder: String) throws(AdminError) {
    try AdminError.at(folder) { () throws(SystemError) in
      let directory = try Self.folder(folder)
      guard let name = FileName(Self.probe) else { return }
      // Remove a file left behind by an interrupted run.
      do throws(SystemError) { try directory.unlink(name) } catch  where error.isNotFound {}
      let file = try directory.create(name)
      let failure = Self.failure(ofWriting: file)
      try directory.unlink(name)
      if let failure { throw failure }
    }
  }

  private static func failure(ofWriting file: borrowing File) -> SystemError? {
    do throws(SystemError) {
      try file.write([UInt8](repeating: 0, count: 8192))
      try file.sync()
      return nil
    } catch {
      return error
    }
  }

  package func clockIsSynchronized() throws(AdminError) -> Bool? {
    let answer = cposix_clock_is_synchronized()
    guard answer < 0 else { return answer == 1 }
    let error = SystemError(.clock, number: cposix_errno())
    // Reading needs no right: a filter of system calls forbids it.
    guard error.number == EPERM else { throw AdminError(at: "adjtimex(2)", error.text) }
    return nil
  }

  package func stoppedLockHolders() -> [LockHolder] { LockHolders.stopped() }

  package func auditLogProblem() throws(AdminError) -> AuditLogProblem? {
    let (administration, _) = try ThisHost.administration(needsConfiguration: false)
    return try administration.auditLogProblem()
  }

  package func renamedUsers() throws(AdminError) -> [Administration.RenamedAccount] {
    let (administration, _) = try ThisHost.administration(needsConfiguration: false)
    return try administration.renamedUsers()
  }

  package func storeComparison() throws(AdminError) -> StoreComparison {
    try ThisHost.storeComparison()
  }

  package func output(
    of program: String, _ arguments: [String]
  ) throws(AdminError) -> ProgramOutput? {
    try ProgramOutput.of(program, arguments, seconds: try patience(for: program))
  }

  /// Opens a folder whose parent folders can be changed by root only.
  private static func folder(_ path: String) throws(SystemError) -> Directory {
    guard let trusted = TrustedPath(Array(path.utf8)) else {
      throw .notFound(.open)
    }
    let parent = try trusted.parent()
    return try parent.directory(trusted.last)
  }

  /// Opens a folder without following symbolic links, regardless of the owners of its parent
  /// folders.
  private static func anyFolder(_ path: String) throws(SystemError) -> Directory {
    var directory = try Directory.root()
    guard path != "/" else { return directory }
    guard let path = TrustedPath(Array(path.utf8)) else { throw .notFound(.open) }
    for name in path.components {
      directory = try directory.directory(name)
    }
    return directory
  }
}
