import MFAAttempt
import MFABase
import MFAModel
import MFASignIn
import MFAStore
import MFAWire

/// This host, for the resident service.
final class ResidentHost: LocalHost {
  typealias Store = LocalFactorStore

  private let mail: MailQueue
  private let cachedConfiguration = ConfigurationCache()
  private let cachedStore = StoreCache()

  init(mail: MailQueue) { self.mail = mail }

  /// Reads one file, or all files of the host.
  func configuration(at path: [UInt8]?) throws(ConfigurationError) -> Configuration {
    guard let path else { return try cachedConfiguration.read() }
    return try ConfigurationFile.read(path)
  }

  /// Opens /var/lib/mfa.
  func store() throws(FactorStoreError) -> LocalFactorStore { try cachedStore.open() }

  /// Has the notices in an account's record mailed by a process outside of the sandbox.
  func deliverNotices(to account: Account) -> Bool { mail.add(account) }
}

extension ResidentHost {
  /// Decides about a request of the helper, sends the reply, and does what the client need not wait for. Writes logs
  /// and audit records itself.
  func manage(
    _ packet: consuming SecretBytes, for caller: Account, _ connection: PacketConnection,
    servesAllUsers: Bool, mail: @escaping (_ message: [UInt8], _ recipient: [UInt8]) -> Mailing
  ) {
    do throws(PacketError) {
      let call = try ManagementCall(packet: packet)
      let terminal = call.terminal
      var management = Management(
        caller: caller, servesAllUsers: servesAllUsers, terminal: terminal, host: self,
        log: Log.write,
        audit: { kind, operation, succeeded in
          Audit.write(
            Audit.Record(
              kind: kind, operation: operation, account: caller.name, address: nil,
              terminal: terminal, succeeded: succeeded))
        }, mail: mail)
      management.finish(wasSent: connection.reply(management.reply(to: call)))
    } catch {
      // The connection ends.
    }
  }
}

/// The open store with its key, which are opened again when one of them has changed.
///
/// MUST 1: a store or a key that was replaced is in use at the next `open`. (`StoreCacheTests`)
/// MUST 2: a store's folder or a key whose owner or mode changed is checked again, and refused if it
/// is not trusted. (`StoreCacheTests.distrusted`)
final class StoreCache {
  /// The location of the store; nil for that of this host.
  private let location: StoreLocation?
  /// Returns the time in nanoseconds since the epoch.
  private let now: () -> Int64
  private var opened: Opened?

  private struct Opened {
    let identities: [FileIdentity?]
    let store: LocalFactorStore
  }

  init(_ location: StoreLocation? = nil, now: @escaping () -> Int64 = Clock.nanoseconds) {
    self.location = location
    self.now = now
  }

  /// Whether the next `open` returns the same store if nothing has changed.
  var isFilled: Bool { opened != nil }

  /// Returns the store.
  func open() throws(FactorStoreError) -> LocalFactorStore {
    let location = if let location { location } else { try StoreLocation.ofThisHost() }
    let present = identities(location)
    if let opened, opened.identities == present { return opened.store }
    opened = nil
    let time = now()
    guard let present, present.allSatisfy({ $0?.isOld(at: time) ?? false }) else {
      return try LocalFactorStore(location)
    }
    let store = try LocalFactorStore(location, keepsKey: true)
    opened = Opened(identities: present, store: store)
    return store
  }

  /// Returns the identities of the store's folder, whose entries are the folders of the records, and
  /// of the key; or nil if one cannot be determined.
  private func identities(_ location: StoreLocation) -> [FileIdentity?]? {
    do throws(SystemError) {
      return [try .of(location.directory.bytes), try .of(location.key.bytes)]
    } catch {
      return nil
    }
  }
}
