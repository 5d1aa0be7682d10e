import MFAStore
import MFAModel
import MFABase

/// The services that an attempt, or a change of a user's factors, needs from its host.
package protocol AuthenticationHost {
  /// The store of factors.
  associatedtype Store: FactorStore

  /// The way to users' phones.
  associatedtype Sender: CodeSender

  /// The way to users' phones.
  var codeSender: Sender { get }

  /// Reads the configuration file at `path` alone, or all files of the host's configuration if
  /// `path` is nil.
  func configuration(at path: [UInt8]?) throws(ConfigurationError) -> Configuration

  /// Returns the account that the system knows by `name`, or nil if no account has this name.
  func account(named name: [UInt8]) throws(SystemError) -> Account?

  /// Returns whether an account belongs to a group, or nil if the lookup failed.
  func isMember(_ account: Account, of group: [UInt8]) -> Bool?

  /// Opens the store.
  func store() throws(FactorStoreError) -> Store

  /// Returns the time in seconds since the epoch.
  func now() throws(SystemError) -> Int64

  /// The name of the host in its realm, which continuations are bound to; empty for a host with a store of
  /// its own.
  var realmHost: [UInt8] { get }

  /// Returns what the logs and the notices to the user name as the source of a request.
  func located(_ source: Source) -> Source

  /// Starts a delivery of the notices in an account's record in the background, if there is a
  /// mailer. Returns false if the delivery could not be started.
  func deliverNotices(to account: Account) -> Bool

  /// Returns the group of hosts for which an account may make offline recovery codes: the named one, or one of
  /// this host's if `name` is empty. Returns nil if there is none.
  func offlineCodeGroup(for account: Account, named name: [UInt8]) -> [UInt8]?

  /// Replaces the offline recovery codes of an account for a group of hosts. Returns the codes in their written
  /// form, one after the other. Enters nothing in the audit log.
  func newOfflineCodes(
    for account: Account, group: [UInt8]
  ) throws(FactorStoreError) -> SecretBytes
}

extension AuthenticationHost {
  /// Empty.
  package var realmHost: [UInt8] { [] }

  /// The logs and notices of a host that is not part of a realm need not name it.
  package func located(_ source: Source) -> Source { source }

  /// A host that is not part of a realm has no offline recovery codes.
  package func offlineCodeGroup(for account: Account, named name: [UInt8]) -> [UInt8]? { nil }

  /// Fails: there is no group.
  package func newOfflineCodes(
    for account: Account, group: [UInt8]
  ) throws(FactorStoreError) -> SecretBytes { throw .nameTooLong }
}

/// The configuration, name service, store and clock of this machine.
extension AuthenticationHost where Store == LocalFactorStore {
  /// The gateway of this host.
  package var codeSender: HostCodeSender { HostCodeSender() }

  /// Reads one file, or all files of the host.
  package func configuration(at path: [UInt8]?) throws(ConfigurationError) -> Configuration {
    guard let path else { return try ConfigurationFile.read() }
    return try ConfigurationFile.read(path)
  }

  /// Looks the account up in the name service.
  package func account(named name: [UInt8]) throws(SystemError) -> Account? {
    try Account.named(name)
  }

  /// Looks the group up in the name service.
  package func isMember(_ account: Account, of group: [UInt8]) -> Bool? {
    account.isMember(of: group)
  }

  /// Opens /var/lib/mfa, unless this host belongs to a realm.
  package func store() throws(FactorStoreError) -> LocalFactorStore {
    try LocalFactorStore(try StoreLocation.ofThisHost())
  }

  /// Reads the clock.
  package func now() throws(SystemError) -> Int64 { try Clock.now() }

  /// Starts `mfa-helper` without waiting for it.
  package func deliverNotices(to account: Account) -> Bool { Delivery.start(for: account) }
}

/// This machine, for a program that changes factors and signs no user in.
package struct LocalAuthenticationHost: AuthenticationHost {
  /// The store in /var/lib/mfa.
  package typealias Store = LocalFactorStore

  /// Creates the host. Nothing is read yet.
  package init() {}
}

extension AuthenticationHost {
  /// Returns the time for an attempt. A failure is thrown as an error of the store.
  func attemptTime() throws(FactorStoreError) -> Int64 {
    do throws(SystemError) { return try now() } catch { throw .system(.clock, error) }
  }

  /// The clock of an attempt, which is read under a user's lock.
  package var attemptClock: () throws(FactorStoreError) -> Int64 {
    { () throws(FactorStoreError) in try attemptTime() }
  }

  /// The time of a change of the configuration; 0 when the clock cannot be read.
  package var changeTime: Int64 {
    do throws(SystemError) { return try now() } catch { return 0 }
  }
}
