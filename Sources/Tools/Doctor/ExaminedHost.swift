import MFAAdmin
import MFAAttempt
import MFABase
import MFAModel
import MFAPAMStack
import MFARealm
import MFAStore
import MFAWire

/// A host that `mfa-admin doctor` examines.
package protocol ExaminedHost {
  /// The type that reads PAM service files.
  associatedtype Stacks: StackSource

  /// The host's PAM service files.
  var stacks: Stacks { get }

  /// Returns the names of all services that have a file.
  func services() throws(StackRefusal) -> [[UInt8]]

  /// Returns the configuration in the file at `path`, or the host's configuration from all its
  /// files if `path` is nil.
  func configuration(at path: [UInt8]?) throws(ConfigurationError) -> Configuration

  /// Returns the current time in seconds since the epoch.
  func now() throws(AdminError) -> Int64

  /// Returns the account with a name, or nil if it does not exist.
  func account(named name: [UInt8]) throws(AdminError) -> Account?

  /// The primary group of the user who decides about sign-ins, or nil if it is not known.
  var decidersGroup: UInt32? { get }

  /// Returns whether an account belongs to a group, or nil if the lookup failed.
  func isMember(_ account: Account, of group: [UInt8]) -> Bool?

  /// Returns the names of all groups of an account, or nil if the lookup failed.
  func groups(of account: Account) -> [String]?

  /// Returns the names of all groups of an account, or nil if the lookup failed. Groups that are listed are not
  /// looked up one by one.
  func groups(of account: KnownAccount, listed: ListedGroups?) -> [String]?

  /// Returns the groups that the system lists, or nil if they cannot be listed.
  func listedGroups() -> ListedGroups?

  /// Returns the names of the users whom the entry of each group lists. Users whose primary group it
  /// is need not be listed. A group that does not exist has no entry.
  func members(ofGroups names: [[UInt8]]) -> [[[UInt8]]]

  /// Returns whether a group with a name exists, or its lookup failed.
  func hasGroup(_ name: [UInt8]) -> Bool

  /// Returns the entries of accounts in the shadow database, without those that have none.
  func shadowEntries(of accounts: [Account]) -> [ShadowEntry]

  /// Returns the accounts with these names, also those that the system does not list.
  func accounts(named names: [[UInt8]]) -> [KnownAccount]

  /// Returns all accounts that the system lists.
  func accounts() throws(AdminError) -> [KnownAccount]

  /// Returns the stored records of all users.
  func stored() throws(AdminError) -> [UserReport]

  /// Returns the users who have enrolled one of these phone numbers.
  func users(withPhones numbers: [[UInt8]]) throws(AdminError) -> [String]

  /// Returns the status of the file at an absolute path without following a link, or nil if the
  /// path does not exist.
  func status(of path: String) throws(AdminError) -> PathStatus?

  /// Returns the target of the symbolic link at a path, or nil if it cannot be read.
  func target(ofLink path: String) -> String?

  /// Returns the names in a folder, unsorted; none if the folder does not exist.
  func names(in folder: String) throws(AdminError) -> [String]

  /// Returns the contents of a regular file that belongs to root, or nil if the file does not exist.
  func text(of path: String) throws(AdminError) -> [UInt8]?

  /// Returns the contents of a regular file that belongs to a user, in a folder of root's, or nil if it does not
  /// exist or cannot be read.
  func contents(of path: String, owner: UInt32) -> [UInt8]?

  /// Returns the free space and mount flags of the file system that contains a path.
  func fileSystemSpace(at path: String) throws(AdminError) -> FileSystemSpace

  /// Writes a test file in a folder and removes it.
  ///
  /// Returns false if that does not end, as on a frozen file system.
  func tryWriting(in folder: String) throws(AdminError) -> Bool

  /// Returns whether a program file has the capability to write to the kernel's audit trail.
  func mayWriteAudit(_ program: String) throws(AdminError) -> Bool

  /// Returns whether the kernel's clock is synchronised, or nil in a container, whose host does not tell.
  func clockIsSynchronized() throws(AdminError) -> Bool?

  /// Returns the output of a program that belongs to root, or nil if the program does not exist.
  func output(of program: String, _ arguments: [String]) throws(AdminError) -> ProgramOutput?

  /// Returns the stopped or frozen processes that hold a lock in the store.
  func stoppedLockHolders() -> [LockHolder]

  /// Returns the damage to the audit log, or what it does not say about the stored records, or nil.
  func auditLogProblem() throws(AdminError) -> AuditLogProblem?

  /// Returns what tells the store from the host's own.
  func storeComparison() throws(AdminError) -> StoreComparison

  /// Returns the users whose records are stored under an earlier name.
  func renamedUsers() throws(AdminError) -> [Administration.RenamedAccount]

  /// Returns the reason why libpam cannot load the module that a line names, or nil.
  func loadProblem(_ module: [UInt8]) -> String?

  /// Returns whether the file of the module that a line names exists.
  func hasModule(_ module: [UInt8]) -> Bool

  /// Returns the services that `mfa-admin enable` has enabled, according to its records.
  func recordedServices() -> Result<[RecordedService], AdminError>

  /// Returns the processes that listen as sshd, according to their titles.
  func serverProcesses() -> [ServerProcess]

  /// The mount namespaces of this process and of the first one.
  var hostMounts: [String] { get }

  /// Returns the findings that administrators have accepted, or the reason why their list cannot be used.
  func acceptedFindings() -> Result<AcceptedFindings, AdminError>

  /// Returns whether the resident service answers.
  func residentStatus() -> ResidentStatus

  /// Returns what root finds where the decider has its configuration, its store and its key.
  func ownProbe() -> ProbeReply

  /// Returns whether the host belongs to a realm, and reaches it.
  func realmStatus() -> RealmStatus

  /// Returns the condition of the gateway at an absolute path, and of its service.
  func gatewayState(of path: [UInt8]) -> GatewayState
}

extension ExaminedHost {
  /// Looks all groups up.
  package func groups(of account: KnownAccount, listed: ListedGroups?) -> [String]? {
    groups(of: account.account)
  }

  /// Nil.
  package func contents(of path: String, owner: UInt32) -> [UInt8]? { nil }

  /// Nil.
  package func listedGroups() -> ListedGroups? { nil }

  /// Returns the paths that an absolute path with wildcards stands for, sorted as by glob(3), with the folders that
  /// could not be read. The names come from the host and not from glob(3), so that it can be a simulated one.
  func glob(_ path: String) -> (paths: [String], unread: [AdminError]) {
    var paths = [""]
    var unread: [AdminError] = []
    for component in path.split(separator: "/") {
      let pattern = NamePattern(component)
      guard pattern.hasWildcards else {
        paths = paths.map { "\($0)/\(component)" }
        continue
      }
      var found: [String] = []
      for folder in paths {
        do throws(AdminError) {
          let names = try self.names(in: folder.isEmpty ? "/" : folder)
          found += names.filter { pattern.matches($0) }.map { "\(folder)/\($0)" }
        } catch {
          unread.append(error)
        }
      }
      paths = found
    }
    return (paths.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }, unread)
  }
}

/// The groups that the system lists.
package struct ListedGroups {
  /// The names by the IDs.
  let names: [UInt32: String]
  /// Whether no other groups exist.
  let isComplete: Bool

  /// Reads entries of the group database, each with its fields.
  init(entries: [[[UInt8]]], isComplete: Bool) {
    var names: [UInt32: String] = [:]
    for fields in entries where fields.count > 2 {
      guard let id = UInt32(String(decoding: fields[2], as: UTF8.self)), names[id] == nil else {
        continue
      }
      names[id] = String(decoding: fields[0], as: UTF8.self)
    }
    self.names = names
    self.isComplete = isComplete
  }
}

/// The condition of the way from this host to its realm.
package enum RealmStatus: Equatable {
  /// The host belongs to no realm.
  case noRealm
  /// A verifier answered. The time is that of this host, in seconds since the epoch.
  case answers(VerifierInspection, time: Int64)
  /// No verifier could be asked.
  case fails(AdminError)
}

/// The condition of the resident service.
package enum ResidentStatus: Equatable {
  /// There is no socket, or nobody listens on it.
  case stopped
  /// The service answers. The value says what it can read and write; nil if it does not say so.
  case answers(ProbeReply?)
  /// The service accepts connections but does not answer.
  case silent
  /// Another user than root created the listener.
  case untrusted(owner: UInt32)
  /// The service could not be asked, for this reason.
  case unknown(String)

  /// The condition in one word, for programs.
  package var word: String {
    switch self {
    case .stopped: "stopped"
    case .answers: "answers"
    case .silent: "silent"
    case .untrusted: "untrusted"
    case .unknown: "unknown"
    }
  }

  /// Where sign-ins of a host are decided, in a sentence.
  package func sentence(inRealm: Bool) -> String {
    guard !inRealm else { return sentenceInRealm }
    return switch self {
    case .answers: "sign-ins are decided by mfad, the resident service"
    case .stopped: "sign-ins are decided by mfa-helper, because mfad does not run"
    case .silent, .untrusted:
      "sign-ins are denied, because mfad cannot be used: mfa-admin doctor"
    case .unknown:
      "it is not known whether sign-ins are decided by mfad or by mfa-helper: mfa-admin doctor"
    }
  }

  private var sentenceInRealm: String {
    switch self {
    case .answers(nil): "sign-ins are decided by the realm"
    case .answers:
      "sign-ins are denied, because mfad runs in the place of the relay: mfa-admin doctor"
    case .stopped: "sign-ins are denied, because the relay does not run: mfa-admin doctor"
    case .silent, .untrusted:
      "sign-ins are denied, because the relay cannot be used: mfa-admin doctor"
    case .unknown: "it is not known whether the relay answers: mfa-admin doctor"
    }
  }
}

/// The sources of databases that nsswitch.conf names.
struct NameServiceSwitch {
  static let path = "/etc/nsswitch.conf"

  /// The line of a database: its number, counted from 1, and its sources.
  private var databases: [String: (line: Int, sources: [String])] = [:]

  /// Reads the file of a host; without a file, no database has a line.
  init(of host: any ExaminedHost) throws(AdminError) {
    let text = String(decoding: try host.text(of: Self.path) ?? [], as: UTF8.self)
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      let line = line.prefix { $0 != "#" }.replacing("\t", with: " ")
      guard let colon = line.firstIndex(of: ":") else { continue }
      let name = line[..<colon].filter { $0 != " " }.lowercased()
      // The actions in brackets name no source.
      let sources = line[line.index(after: colon)...].replacing(/\[[^\]]*\]/, with: " ")
        .split(separator: " ").map { $0.lowercased() }
      databases[name] = (index + 1, sources)
    }
  }

  /// Returns the sources of a database, or nil if the file has no line for it.
  func sources(of database: String) -> [String]? { databases[database]?.sources }

  /// Returns the file and line of a database.
  func place(of database: String) -> String {
    databases[database].map { "\(Self.path):\($0.line)" } ?? Self.path
  }

  /// Whether the accounts and groups are in local files only, so that the list of all accounts is
  /// complete.
  var hasOnlyLocalAccounts: Bool {
    ["passwd", "group"].allSatisfy { directories(of: $0).isEmpty }
  }

  /// Returns the sources of a database that need not list all their entries.
  func directories(of database: String) -> [String] {
    (sources(of: database) ?? ["files"])
      .filter { !["files", "compat", "db", "systemd", "altfiles"].contains($0) }
  }
}

/// A subject who tries to sign in (NIST SP 800-63-4, "claimant"), as far as modules can tell.
package struct Claimant: Hashable {
  /// What the claimant has.
  package struct Authenticators: OptionSet, Hashable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The password of the account.
    package static let password = Authenticators(rawValue: 1)
    /// A code, as pam_mfa.so asks for it.
    package static let code = Authenticators(rawValue: 2)
    /// Whatever another module asks for: a fingerprint, a security key, a smart card.
    package static let other = Authenticators(rawValue: 4)
    /// A key that sshd has verified before it calls PAM.
    package static let key = Authenticators(rawValue: 8)
  }

  /// What pam_mfa.so asks of the user.
  package enum Enrollment: Hashable {
    /// A code.
    case enrolled
    /// Nothing: the user has no factor and need not enrol.
    case notRequired
    /// To enrol: `account` lines deny.
    case required
  }

  /// What the claimant has.
  package var authenticators: Authenticators
  /// What pam_mfa.so asks for.
  package var enrollment: Enrollment
  /// Whether the real UID of the program that calls PAM is root's, whichever user signs in.
  package var isCalledByRoot = false
  /// Whether the password may have expired, so that the user has to choose a new one.
  package var mayHaveExpiredPassword = true
  /// The modules that libpam cannot load on the host, as lines name them.
  package var unloadable: Set<[UInt8]> = []
  /// Whether the shadow database says that no password can be right.
  package var passwordIsLocked = false
  /// Whether the shadow database says that the account has expired.
  package var hasExpired = false
  /// Whether conditions about the user hold, by the file and line.
  package var conditions: [[UInt8]: Bool] = [:]

  /// Creates a claimant.
  package init(_ authenticators: Authenticators, _ enrollment: Enrollment = .enrolled) {
    self.authenticators = authenticators
    self.enrollment = enrollment
  }

  /// Returns enrolled users who have everything but a code: without a key and, if the stack
  /// distinguishes them, with one.
  package static func withoutCode(for stack: ServiceStack) -> [Claimant] {
    let hasKeyLine = stack.entries.contains(where: \.callsModuleAfterKey)
    return [Claimant([.password, .other])]
      + (hasKeyLine ? [Claimant([.password, .other, .key])] : [])
  }
}
