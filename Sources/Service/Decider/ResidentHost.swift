import MFAAttempt
import MFAStore
import MFAModel
import MFABase
import MFASignIn

/// This host, for the resident service.
final class ResidentHost: LocalHost {
  typealias Store = LocalFactorStore

  private let mail: MailQueue
  private let cachedConfiguration = ConfigurationCache()
  private let cachedStore = StoreCache()

  init(mail: MailQueue) { self.mail = mail }

  /// Reads one file, or all files of the host.
  func configuration(at path: [UInt8]?) throws(ConfigurationFile.Failure) -> Configuration {
    guard let path else { return try cachedConfiguration.read() }
    return try ConfigurationFile.read(path)
  }

  /// Opens /var/lib/mfa.
  func store() throws(FactorStoreError) -> LocalFactorStore { try cachedStore.open() }

  /// Has the notices in an account's record mailed by a process outside of the sandbox.
  func deliverNotices(to account: Account) -> Bool { mail.add(account) }
}

extension Conversation where Machine == ResidentHost {
  /// Prepares a conversation in the resident service, which writes logs and audit records itself.
  init(caller: Account, terminal: [UInt8]?, host: ResidentHost, proof: Proof, client: Client) {
    self.init(
      caller: caller, servesAllUsers: caller.uid == 0, terminal: terminal, host: host,
      proof: proof, client: client,
      sinceBoot: {
        do throws(SystemError) { return try Clock.sinceBoot() } catch { return nil }
      }, log: Log.write,
      audit: { kind, operation, succeeded in
        Audit.write(
          Audit.Record(
            kind: kind, operation: operation, account: caller.name, address: nil,
            terminal: terminal, succeeded: succeeded))
      },
      mail: { _, recipient in
        // The delivery starts later, in another process, which marks the notices as mailed.
        host.deliverNotices(to: Account(name: recipient, uid: caller.uid))
          ? .noMailer : .refused(-1)
      })
  }
}
