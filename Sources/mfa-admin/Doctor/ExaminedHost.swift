import FactorStore
import PAMStack
import Policy
import SignIn
import System

/// A host that the doctor examines: what can be read of it.
protocol ExaminedHost {
  /// Where PAM's service files are.
  associatedtype Stacks: StackSource

  /// PAM's service files.
  var stacks: Stacks { get }

  /// The services that have a file.
  func services() throws(StackRefusal) -> [[UInt8]]

  /// The configuration at `path` alone; the host's, in all its files, where it is nil.
  func configuration(at path: [UInt8]?) throws(ConfigurationFile.Failure) -> Configuration

  /// Seconds since the epoch.
  func now() throws(SystemError) -> Int64

  /// The account of a name; nil where there is none.
  func account(named name: [UInt8]) throws(SystemError) -> Account?

  /// Whether an account belongs to a group; nil when that could not be found out.
  func isMember(_ account: Account, of group: [UInt8]) -> Bool?

  /// Every account that the system lists.
  func accounts() throws(SystemError) -> [KnownAccount]

  /// What is stored for everybody.
  func stored() throws(AdminError) -> [UserReport]

  /// What stands at an absolute path, of a link the link itself; nil where nothing does.
  func status(of path: String) throws(SystemError) -> PathStatus?

  /// The names in a folder, in no order.
  func names(in folder: String) throws(TrustedPath.Refusal) -> [String]

  /// The text of a file that root writes; nil where there is none.
  func text(of path: String) throws(SystemError) -> [UInt8]?

  /// How much room there is on the file system of a path.
  func room(at path: String) throws(SystemError) -> FileSystemRoom

  /// Writes a file of its own in a folder, and removes it.
  func tryWriting(in folder: String) throws(TrustedPath.Refusal)

  /// Whether a program is given the capability to write to the kernel's audit trail.
  func mayWriteAudit(_ program: String) throws(SystemError) -> Bool

  /// Whether the kernel's clock is kept in time with others.
  func clockIsSynchronized() throws(SystemError) -> Bool

  /// What one of root's own programs prints; nil where there is no such program.
  func output(of program: String, _ arguments: [String]) throws(ProgramOutput.Trouble)
    -> ProgramOutput?

  /// The processes that hold a lock in the store and cannot go on.
  func stoppedLockHolders() -> [LockHolder]

  /// What is wrong with the audit log; nil when it is whole, or there is none.
  func auditLogTrouble() throws(FactorStoreError) -> LedgerTrouble?
}

extension ExaminedHost {
  /// A host without processes has none.
  func stoppedLockHolders() -> [LockHolder] { [] }

  /// A host without a store has no audit log.
  func auditLogTrouble() throws(FactorStoreError) -> LedgerTrouble? { nil }
}
