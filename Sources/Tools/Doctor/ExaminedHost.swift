import MFAAdmin
import MFAAttempt
import MFAModel
import MFAStore
import MFAPAMStack
import MFABase

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
  func configuration(at path: [UInt8]?) throws(ConfigurationFile.Failure) -> Configuration

  /// Returns the current time in seconds since the epoch.
  func now() throws(SystemError) -> Int64

  /// Returns the account with a name, or nil if it does not exist.
  func account(named name: [UInt8]) throws(SystemError) -> Account?

  /// The primary group of the user who decides about sign-ins, or nil if it is not known.
  var decidersGroup: UInt32? { get }

  /// Returns whether an account belongs to a group, or nil if the lookup failed.
  func isMember(_ account: Account, of group: [UInt8]) -> Bool?

  /// Returns the names of all groups of an account, or nil if the lookup failed.
  func groups(of account: Account) -> [String]?

  /// Returns the names of the users whom the entry of each group lists. Users whose primary group it
  /// is need not be listed. A group that does not exist has no entry.
  func members(ofGroups names: [[UInt8]]) -> [[[UInt8]]]

  /// Returns whether a group with a name exists.
  func hasGroup(_ name: [UInt8]) throws(SystemError) -> Bool

  /// Returns the accounts of which the shadow database says that no password can be right.
  func withoutPassword(_ accounts: [Account]) -> [Account]

  /// Returns all accounts that the system lists.
  func accounts() throws(SystemError) -> [KnownAccount]

  /// Returns the stored records of all users.
  func stored() throws(AdminError) -> [UserReport]

  /// Returns the users who have enrolled one of these phone numbers.
  func users(withPhones numbers: [[UInt8]]) throws(AdminError) -> [String]

  /// Returns the status of the file at an absolute path without following a link, or nil if the
  /// path does not exist.
  func status(of path: String) throws(SystemError) -> PathStatus?

  /// Returns the target of the symbolic link at a path, or nil if it cannot be read.
  func target(ofLink path: String) -> String?

  /// Returns the names in a folder, unsorted.
  func names(in folder: String) throws(TrustedPath.Refusal) -> [String]

  /// Returns the contents of a regular file that belongs to root, or nil if the file does not exist.
  func text(of path: String) throws(TrustedPath.Refusal) -> [UInt8]?

  /// Returns the free space and mount flags of the file system that contains a path.
  func fileSystemSpace(at path: String) throws(SystemError) -> FileSystemSpace

  /// Writes a test file in a folder and removes it.
  func tryWriting(in folder: String) throws(TrustedPath.Refusal)

  /// Returns whether a program file has the capability to write to the kernel's audit trail.
  func mayWriteAudit(_ program: String) throws(SystemError) -> Bool

  /// Returns whether the kernel's clock is synchronised.
  func clockIsSynchronized() throws(SystemError) -> Bool

  /// Returns the output of a program that belongs to root, or nil if the program does not exist.
  func output(of program: String, _ arguments: [String]) throws(ProgramOutput.Failure)
    -> ProgramOutput?

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
  func recordedServices() -> Result<[RecordedService], RecordedService.Failure>

  /// Returns the processes that listen as sshd, according to their titles.
  func serverProcesses() -> [ServerProcess]

  /// The mount namespaces of this process and of the first one.
  var hostMounts: [String] { get }

  /// Returns the findings that administrators have accepted, or the path of their list and the
  /// reason why it cannot be used.
  func acceptedFindings() -> Result<AcceptedFindings, UnusableAcceptances>

  /// Returns whether the resident service answers.
  func residentStatus() -> ResidentStatus

  /// Returns whether the host belongs to a realm, and reaches it.
  func realmStatus() -> RealmStatus

  /// Returns the condition of the gateway at an absolute path, and of its service.
  func gatewayState(of path: [UInt8]) -> GatewayState
}

/// The reason why the list of accepted findings cannot be used.
package struct UnusableAcceptances: Error, Equatable {
  /// The path of the list.
  package let path: String
  /// What is wrong with it.
  package let reason: String

  /// Creates the value.
  package init(path: String, reason: String) {
    self.path = path
    self.reason = reason
  }
}

extension ExaminedHost {
  /// Returns no processes by default.
  func stoppedLockHolders() -> [LockHolder] { [] }

  /// Returns nil by default: a host without a store has no audit log.
  func auditLogProblem() throws(AdminError) -> AuditLogProblem? { nil }

  /// Returns by default that the store is the host's own.
  func storeComparison() throws(AdminError) -> StoreComparison {
    StoreComparison()
  }

  /// Returns by default that no user was renamed.
  func renamedUsers() throws(AdminError) -> [Administration.RenamedAccount] { [] }

  /// Returns by default that each module can be loaded.
  func loadProblem(_ module: [UInt8]) -> String? { nil }

  /// Returns no services by default.
  func recordedServices() -> Result<[RecordedService], RecordedService.Failure> { .success([]) }

  /// Returns by default that each module exists.
  func hasModule(_ module: [UInt8]) -> Bool { true }

  /// Returns no processes by default.
  func serverProcesses() -> [ServerProcess] { [] }

  /// No group by default.
  var decidersGroup: UInt32? { nil }

  /// No mount namespaces by default.
  var hostMounts: [String] { [] }

  /// Returns nil by default: there are no symbolic links.
  func target(ofLink path: String) -> String? { nil }

  /// Returns by default that the entries of groups list no members.
  func members(ofGroups names: [[UInt8]]) -> [[[UInt8]]] { [] }

  /// Returns by default that each group exists.
  func hasGroup(_ name: [UInt8]) throws(SystemError) -> Bool { true }

  /// Returns by default that each account has a password.
  func withoutPassword(_ accounts: [Account]) -> [Account] { [] }

  /// Returns an empty list by default.
  func acceptedFindings() -> Result<AcceptedFindings, UnusableAcceptances> {
    .success(AcceptedFindings())
  }

  /// Returns by default that there is no service.
  func residentStatus() -> ResidentStatus { .stopped }

  /// Returns by default that there is no realm.
  func realmStatus() -> RealmStatus { .none }

  /// Returns by default that messages can be sent.
  func gatewayState(of path: [UInt8]) -> GatewayState {
    GatewayState(refusal: nil, service: .listens)
  }
}
