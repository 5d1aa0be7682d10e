import MFAAttempt
import MFAStore
import MFAModel
import MFABase
import MFASignIn
import MFAWire

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
