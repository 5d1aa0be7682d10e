import MFAAttempt
import MFABase
import MFAModel
import MFAWire
import MFAStore

/// The accounts whose notices are to be mailed.
///
/// The service itself starts no mailer: a mailer may need another identity, the network, and files
/// that the sandbox of the service hides.
enum MailQueue {
  /// The folder `mail` of the store, which the service manager watches. When a file appears, the
  /// service manager starts `mfad --mail`.
  case folder
  /// There is no service manager, and no sandbox: this process starts the helper.
  case helper

  /// Has the notices in an account's record mailed. Returns false if that failed.
  func add(_ account: Account) -> Bool {
    switch self {
    case .helper: return Delivery.start(for: account)
    case .folder: return MailFolder(StoreFile.mail.name).addIfMailed(account)
    }
  }

  /// Mails the notices of the accounts in the folder. What could not be mailed stays in the record,
  /// and the next notice of the account mails it too.
  static func empty() throws(FactorStoreError) {
    _ = try MailFolder(StoreFile.mail.name).empty { user in
      deliver(to: user)
      return true
    }
  }

  private static func deliver(to user: UserName) {
    let delivery = Management(
      caller: Account(name: user.bytes, uid: ProcessIdentity.current.user), servesAllUsers: true,
      terminal: nil, host: LocalAuthenticationHost(), log: Log.write, audit: { _, _, _ in },
      mail: Mailing.send)
    // What could not be mailed stays in the record.
    do throws(HelperFailure) { try delivery.deliver(to: user) } catch {}
  }
}
