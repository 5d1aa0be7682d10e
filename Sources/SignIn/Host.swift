public import FactorStore
public import Factors
public import PAMStack
public import Policy
public import System

/// What a sign-in asks of the machine it happens on.
public protocol Host {
  /// Where the factors are kept.
  associatedtype Store: FactorStore

  /// Who judges codes where the store may not be opened.
  associatedtype Helper: HelperLink

  /// Where PAM's service files are.
  associatedtype Stacks: StackSource

  /// PAM's service files.
  var stacks: Stacks { get }

  /// Whether root has started the application: not somebody else, who gets root's power by it, as by
  /// `su`. True where that cannot be found out.
  var isCalledByRoot: Bool { get }

  /// The address at the other end of the connection that this process has, as 128 bits of IPv6; nil
  /// where it has none, or connections from several.
  func peer() -> UInt128?

  /// The host's name; empty when it cannot be found out.
  func name() -> [UInt8]

  /// The configuration at `path` alone; the host's, in all its files, where it is nil.
  func configuration(at path: [UInt8]?) throws(ConfigurationFile.Failure) -> Configuration

  /// The account that the system knows by `name`, or nil when it knows none.
  func account(named name: [UInt8]) throws(SystemError) -> Account?

  /// An account with the uid of `account`, the same user to the kernel, counted from 0; nil where there
  /// are not so many, and at 0 where there may be others.
  func account(sharingUIDOf account: Account, at index: Int32) throws(SystemError) -> Account?

  /// Whether an account belongs to a group; nil when that could not be found out.
  func isMember(_ account: Account, of group: [UInt8]) -> Bool?

  /// The store.
  func store() throws(FactorStoreError) -> Store

  /// Whose process this is.
  var identity: ProcessIdentity { get }

  /// The helper, which has just been started.
  func helper() throws(HelperTrouble) -> Helper

  /// The session of this process; nil where that cannot be found out.
  var session: Place? { get }

  /// The sessions that this process may be part of.
  var enclosingSessions: [Place] { get }

  /// Whether this process leads its session.
  var leadsSession: Bool { get }

  /// The name of the terminal that controls this process, such as `pts/3`; nil where there is none.
  var controllingTerminal: [UInt8]? { get }

  /// Seconds since the epoch.
  func now() throws(SystemError) -> Int64

  /// Has the notices in an account's record mailed, in the background, where there is a mailer;
  /// false where that could not be begun.
  func deliverNotices(to account: Account) -> Bool
}

/// This machine.
public struct LocalHost: Host {
  /// Nothing is looked at yet.
  public init() {}

  /// Those that libpam reads.
  public var stacks: InstalledStacks { InstalledStacks() }

  /// Whether the real identity of the process is root's.
  public var isCalledByRoot: Bool {
    do throws(SystemError) {
      return try PrivilegedProcess.identities().caller == 0
    } catch {
      return true
    }
  }

  /// Asks the kernel.
  public func peer() -> UInt128? { Connection.peer() }

  /// Asks the kernel.
  public func name() -> [UInt8] {
    do throws(SystemError) { return try HostName.current() } catch { return [] }
  }

  /// Reads the file, or the files.
  public func configuration(at path: [UInt8]?) throws(ConfigurationFile.Failure) -> Configuration {
    guard let path else { return try ConfigurationFile.read() }
    return try ConfigurationFile.read(path)
  }

  /// Asks the name service.
  public func account(named name: [UInt8]) throws(SystemError) -> Account? {
    try Account.named(name)
  }

  /// Asks the name service, and reads /etc/passwd.
  public func account(
    sharingUIDOf account: Account, at index: Int32
  ) throws(SystemError) -> Account? {
    try account.sharing(at: index)
  }

  /// Asks the name service.
  public func isMember(_ account: Account, of group: [UInt8]) -> Bool? {
    account.isMember(of: group)
  }

  /// Opens /var/lib/mfa.
  public func store() throws(FactorStoreError) -> LocalFactorStore {
    guard let location = StoreLocation.standard else { throw .damaged(.directory) }
    return try LocalFactorStore(location)
  }

  /// Asks the kernel.
  public var identity: ProcessIdentity { .current }

  /// Starts /usr/lib/mfa/mfa-helper.
  public func helper() throws(HelperTrouble) -> HelperProcess {
    try HelperProcess(path: HelperProcess.standardPath)
  }

  /// Asks the kernel.
  public var session: Place? { SessionMark.ownSession.map { Place(.session, $0.bytes) } }

  /// Asks the kernel.
  public var enclosingSessions: [Place] {
    SessionMark.enclosing.map { Place(.session, $0.bytes) }
  }

  /// Asks the kernel.
  public var leadsSession: Bool { SessionMark.isLeader }

  /// Asks the kernel.
  public var controllingTerminal: [UInt8]? { ControllingTerminal.name }

  /// Reads the clock.
  public func now() throws(SystemError) -> Int64 { try Clock.now() }

  /// Starts `mfa-helper`, which nobody waits for.
  public func deliverNotices(to account: Account) -> Bool { Delivery.start(for: account) }
}

extension Host {
  /// The time for an attempt, which fails as the store does.
  func attemptTime() throws(FactorStoreError) -> Int64 {
    do throws(SystemError) { return try now() } catch { throw .system(.clock, error) }
  }

  /// What reads the time under a user's lock.
  public var attemptClock: () throws(FactorStoreError) -> Int64 {
    { () throws(FactorStoreError) in try attemptTime() }
  }
}
