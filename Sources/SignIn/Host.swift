public import FactorStore
public import Factors
public import PAMStack
public import Policy
public import System

/// The services that a sign-in needs from its host.
public protocol Host {
  /// The store of factors.
  associatedtype Store: FactorStore

  /// The helper, which verifies codes if this process may not open the store.
  associatedtype Helper: HelperLink

  /// The source of PAM's service files.
  associatedtype Stacks: StackSource

  /// PAM's service files.
  var stacks: Stacks { get }

  /// Whether root started the application. False if another user started it and gains root's
  /// privileges through it, as with `su`. True if this cannot be determined.
  var isCalledByRoot: Bool { get }

  /// Returns the remote address of this process's connection as 128 bits of IPv6, or nil if there
  /// is no connection, or connections from several addresses.
  func peer() -> UInt128?

  /// Returns the host's name, or an empty array if it cannot be determined.
  func name() -> [UInt8]

  /// Reads the configuration file at `path` alone, or all files of the host's configuration if
  /// `path` is nil.
  func configuration(at path: [UInt8]?) throws(ConfigurationFile.Failure) -> Configuration

  /// Returns the account that the system knows by `name`, or nil if no account has this name.
  func account(named name: [UInt8]) throws(SystemError) -> Account?

  /// Returns one of the accounts that share the uid of `account`, which are the same user to the
  /// kernel. `index` counts from 0. Returns nil if there are fewer accounts. At index 0, nil does
  /// not exclude accounts at higher indexes.
  func account(sharingUIDOf account: Account, at index: Int32) throws(SystemError) -> Account?

  /// Returns whether an account belongs to a group, or nil if the lookup failed.
  func isMember(_ account: Account, of group: [UInt8]) -> Bool?

  /// Opens the store.
  func store() throws(FactorStoreError) -> Store

  /// The identity of this process.
  var identity: ProcessIdentity { get }

  /// Starts the helper.
  func helper() throws(HelperTrouble) -> Helper

  /// The session of this process, or nil if it cannot be determined.
  var session: Place? { get }

  /// The sessions that this process may be part of.
  var enclosingSessions: [Place] { get }

  /// Whether this process leads its session.
  var leadsSession: Bool { get }

  /// The name of the terminal that controls this process, such as `pts/3`, or nil if no terminal
  /// does.
  var controllingTerminal: [UInt8]? { get }

  /// Returns the time in seconds since the epoch.
  func now() throws(SystemError) -> Int64

  /// Starts a delivery of the notices in an account's record in the background, if there is a
  /// mailer. Returns false if the delivery could not be started.
  func deliverNotices(to account: Account) -> Bool
}

/// The host that this process runs on.
public struct LocalHost: Host {
  /// Creates the host. Nothing is read yet.
  public init() {}

  /// The service files that libpam reads.
  public var stacks: InstalledStacks { InstalledStacks() }

  /// Whether the real user ID of the process is root's.
  public var isCalledByRoot: Bool {
    do throws(SystemError) {
      return try PrivilegedProcess.identities().caller == 0
    } catch {
      return true
    }
  }

  /// Returns the address that the kernel reports.
  public func peer() -> UInt128? { Connection.peer() }

  /// Returns the host name that the kernel reports.
  public func name() -> [UInt8] {
    do throws(SystemError) { return try HostName.current() } catch { return [] }
  }

  /// Reads one file, or all files of the host.
  public func configuration(at path: [UInt8]?) throws(ConfigurationFile.Failure) -> Configuration {
    guard let path else { return try ConfigurationFile.read() }
    return try ConfigurationFile.read(path)
  }

  /// Looks the account up in the name service.
  public func account(named name: [UInt8]) throws(SystemError) -> Account? {
    try Account.named(name)
  }

  /// Looks accounts up in the name service and in /etc/passwd.
  public func account(
    sharingUIDOf account: Account, at index: Int32
  ) throws(SystemError) -> Account? {
    try account.sharing(at: index)
  }

  /// Looks the group up in the name service.
  public func isMember(_ account: Account, of group: [UInt8]) -> Bool? {
    account.isMember(of: group)
  }

  /// Opens /var/lib/mfa.
  public func store() throws(FactorStoreError) -> LocalFactorStore {
    guard let location = StoreLocation.standard else { throw .damaged(.directory) }
    return try LocalFactorStore(location)
  }

  /// The identity that the kernel reports.
  public var identity: ProcessIdentity { .current }

  /// Starts /usr/lib/mfa/mfa-helper.
  public func helper() throws(HelperTrouble) -> HelperProcess {
    try HelperProcess(path: HelperProcess.standardPath)
  }

  /// The session, identified by the process that leads it.
  public var session: Place? { SessionMark.ownSession.map { Place(.session, $0.bytes) } }

  /// The sessions, identified by this process and its ancestors.
  public var enclosingSessions: [Place] {
    SessionMark.enclosing.map { Place(.session, $0.bytes) }
  }

  /// Whether the kernel reports this process as the session leader.
  public var leadsSession: Bool { SessionMark.isLeader }

  /// The terminal that the kernel reports.
  public var controllingTerminal: [UInt8]? { ControllingTerminal.name }

  /// Reads the clock.
  public func now() throws(SystemError) -> Int64 { try Clock.now() }

  /// Starts `mfa-helper` without waiting for it.
  public func deliverNotices(to account: Account) -> Bool { Delivery.start(for: account) }
}

extension Host {
  /// Returns the time for an attempt. A failure is thrown as an error of the store.
  func attemptTime() throws(FactorStoreError) -> Int64 {
    do throws(SystemError) { return try now() } catch { throw .system(.clock, error) }
  }

  /// The clock of an attempt, which is read under a user's lock.
  public var attemptClock: () throws(FactorStoreError) -> Int64 {
    { () throws(FactorStoreError) in try attemptTime() }
  }
}
