import MFAAttempt
import MFABase
import MFAStore
import MFAModel
import MFAPAMStack

/// The services that a sign-in needs from its host, beyond those of an attempt.
package protocol Host: AuthenticationHost {
  /// The helper, which verifies codes if this process may not open the store.
  associatedtype Helper: HelperLink

  /// The source of PAM's service files.
  associatedtype Stacks: StackSource

  /// PAM's service files.
  var stacks: Stacks { get }

  /// The prepared break-glass code, or nil if no administrator has made one.
  var breakGlass: BreakGlassCredential? { get }

  /// Calls `body`, which computes the hash of a break-glass code, while no other process does. Returns
  /// false if others compute it for too long.
  func alone(_ body: () -> Bool) -> Bool

  /// Whether root started the application. False if another user started it and gains root's
  /// privileges through it, as with `su`. True if this cannot be determined.
  var isCalledByRoot: Bool { get }

  /// Returns the remote address of this process's connection as 128 bits of IPv6, or nil if there
  /// is no connection, or connections from several addresses.
  func peer() -> UInt128?

  /// Returns the host's name, or an empty array if it cannot be determined.
  func name() -> [UInt8]

  /// Returns one of the accounts that share the uid of `account`, which are the same user to the
  /// kernel. `index` counts from 0. Returns nil if there are fewer accounts. At index 0, nil does
  /// not exclude accounts at higher indexes.
  func account(sharingUIDOf account: Account, at index: Int32) throws(SystemError) -> Account?

  /// The identity of this process.
  var identity: ProcessIdentity { get }

  /// Starts the helper.
  func helper() throws(HelperError) -> Helper

  /// The session of this process, or nil if it cannot be determined.
  var session: SignInOrigin? { get }

  /// The sessions that this process may be part of.
  var enclosingSessions: [SignInOrigin] { get }

  /// Whether the locale of the user who started this process stands for UTF-8, or is unknown.
  var usesUTF8: Bool { get }

  /// The settings of the host's sshd.
  var secureShell: SecureShellConfiguration { get }

  /// The time in seconds since the machine was started, or nil if it cannot be determined.
  var sinceBoot: Int64? { get }

  /// Whether this process leads its session.
  var leadsSession: Bool { get }

  /// The name of this process's controlling terminal, such as `pts/3`, or nil if it has none.
  var controllingTerminal: [UInt8]? { get }
}

/// The host that this process runs on.
package struct LocalHost: Host {
  /// Creates the host. Nothing is read yet.
  package init() {}

  /// The credential in /etc/mfa/break-glass.
  package var breakGlass: BreakGlassCredential? { BreakGlassFile.credential() }

  /// Locks the file with the credential meanwhile.
  package func alone(_ body: () -> Bool) -> Bool { BreakGlassFile.alone(body) ?? false }

  /// The service files that libpam reads.
  package var stacks: InstalledStacks { InstalledStacks() }

  /// Whether the real user ID of the process is root's.
  package var isCalledByRoot: Bool {
    do throws(SystemError) {
      return try PrivilegedProcess.identities().caller == 0
    } catch {
      return true
    }
  }

  /// Returns the address that the kernel reports.
  package func peer() -> UInt128? { Connection.peer() }

  /// Returns the host name that the kernel reports.
  package func name() -> [UInt8] {
    do throws(SystemError) { return try HostName.current() } catch { return [] }
  }

  /// Looks accounts up in the name service and in /etc/passwd.
  package func account(
    sharingUIDOf account: Account, at index: Int32
  ) throws(SystemError) -> Account? {
    try account.sharing(at: index)
  }

  /// The identity that the kernel reports.
  package var identity: ProcessIdentity { .current }

  /// Starts /usr/lib/mfa/mfa-helper.
  package func helper() throws(HelperError) -> HelperProcess {
    try HelperProcess(path: HelperProcess.standardPath)
  }

  /// The session, identified by the process that leads it.
  package var session: SignInOrigin? {
    ProcessInstance.ownSession.map { SignInOrigin(.session, $0.bytes) }
  }

  /// Whether the environment names a locale with UTF-8.
  package var usesUTF8: Bool { ProcessLocale.isUTF8 }

  /// The settings in /etc/ssh/sshd_config.
  package var secureShell: SecureShellConfiguration { InstalledSecureShell.configuration }

  /// The sessions, identified by this process and its ancestors.
  package var enclosingSessions: [SignInOrigin] {
    ProcessInstance.enclosing.map { SignInOrigin(.session, $0.bytes) }
  }

  /// Whether the kernel reports this process as the session leader.
  package var leadsSession: Bool { ProcessInstance.isLeader }

  /// The terminal that the kernel reports.
  package var controllingTerminal: [UInt8]? { ControllingTerminal.name }
}

extension Host {
  /// Nil.
  package var breakGlass: BreakGlassCredential? { nil }

  /// Calls `body`.
  package func alone(_ body: () -> Bool) -> Bool { body() }

  /// The clock of this machine.
  package var sinceBoot: Int64? {
    do throws(SystemError) { return try Clock.sinceBoot() } catch { return nil }
  }
}
