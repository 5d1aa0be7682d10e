import MFAAttempt
import MFABase
import MFAStore
import MFAModel
import MFAPAMStack

/// The services that a sign-in needs from its host, beyond those of an attempt.
package protocol Host: AuthenticationHost {
  /// The source of PAM's service files.
  associatedtype Stacks: StackSource

  /// PAM's service files.
  var stacks: Stacks { get }

  /// The prepared break-glass code, or nil if no administrator has made one.
  var breakGlass: BreakGlassCredential? { get }

  /// Reads the configuration file at `path` alone, if every user can read it.
  func publicConfiguration(
    at path: [UInt8]
  ) throws(ConfigurationError) -> Configuration

  /// Calls `body`, which computes the hash of a break-glass code, while no other process does. Returns
  /// false if others compute it for too long.
  func alone(_ body: () -> Bool) -> Bool

  /// Returns the host's name, or an empty array if it cannot be determined.
  func name() -> [UInt8]

  /// Returns one of the accounts that share the uid of `account`, which are the same user to the
  /// kernel. `index` counts from 0. Returns nil if there are fewer accounts. At index 0, nil does
  /// not exclude accounts at higher indexes.
  func account(sharingUIDOf account: Account, at index: Int32) throws(SystemError) -> Account?

  /// Returns whether the account with this user ID has this name.
  func account(_ uid: UInt32, isNamed name: [UInt8]) throws(SystemError) -> Bool

  /// The settings of the host's sshd.
  var secureShell: SecureShellConfiguration { get }

  /// The time in seconds since the machine was started, or nil if it cannot be determined.
  var sinceBoot: Int64? { get }
}

/// A host whose service files, accounts and sshd are those of this machine.
package protocol LocalHost: Host where Store == LocalFactorStore, Stacks == InstalledStacks {}

/// This machine, for a program that asks what a sign-in would lead to.
package struct ThisMachine: LocalHost {
  /// Creates the host. Nothing is read yet.
  package init() {}

  /// Opens the store. Its key is kept, because the program asks about many users, and waits for none.
  package func store() throws(FactorStoreError) -> LocalFactorStore {
    try LocalFactorStore(try StoreLocation.ofThisHost(), keepsKey: true)
  }
}

extension LocalHost {
  /// The credential in /etc/mfa/break-glass.
  package var breakGlass: BreakGlassCredential? { BreakGlassFile.credential() }

  /// Reads the file as a user without privileges could.
  package func publicConfiguration(
    at path: [UInt8]
  ) throws(ConfigurationError) -> Configuration {
    try ConfigurationFile.readPublic(path)
  }

  /// Locks the file with the credential meanwhile.
  package func alone(_ body: () -> Bool) -> Bool { BreakGlassFile.alone(body) ?? false }

  /// The service files that libpam reads.
  package var stacks: InstalledStacks { InstalledStacks() }

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

  /// The settings in /etc/ssh/sshd_config, or unknown settings if this process may not read the file.
  package var secureShell: SecureShellConfiguration { InstalledSecureShell.configuration }
}

extension Host {
  /// Looks the name up.
  package func account(_ uid: UInt32, isNamed name: [UInt8]) throws(SystemError) -> Bool {
    try account(named: name)?.uid == uid
  }

  /// Nil.
  package var breakGlass: BreakGlassCredential? { nil }

  /// Calls `body`.
  package func alone(_ body: () -> Bool) -> Bool { body() }

  /// The clock of this machine.
  package var sinceBoot: Int64? {
    do throws(SystemError) { return try Clock.sinceBoot() } catch { return nil }
  }
}
