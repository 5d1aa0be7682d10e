import MFAAttempt
import MFABase
import MFAStore
import MFAModel
import MFAPAMStack
import MFASignIn

/// The host as seen by an application at the other end of a connection: the store and the accounts
/// of this host, and the application's own process.
struct ServedHost: ServedMachine {
  typealias Store = LocalFactorStore

  let application: ServedApplication
  let identity: ProcessIdentity
  private let resident: ResidentHost

  init(_ application: ServedApplication, _ identity: ProcessIdentity, _ resident: ResidentHost) {
    self.application = application
    self.identity = identity
    self.resident = resident
  }

  var codeSender: HostCodeSender { HostCodeSender() }

  var stacks: InstalledStacks { InstalledStacks() }

  var isCalledByRoot: Bool { identity.user == 0 }

  /// The credential in /etc/mfa/break-glass.
  var breakGlass: BreakGlassCredential? { BreakGlassFile.credential() }

  /// Locks the file with the credential meanwhile.
  func alone(_ body: () -> Bool) -> Bool { BreakGlassFile.alone(body) ?? false }

  /// The store, for an application that acts as root. The codes of any other application's user are
  /// verified by `helper()`.
  func store() throws(FactorStoreError) -> LocalFactorStore {
    guard identity.actsAsRoot else { throw .system(.directory, .forbidden(.open)) }
    return try resident.store()
  }

  func configuration(at path: [UInt8]?) throws(ConfigurationFile.Failure) -> Configuration {
    try resident.configuration(at: path)
  }

  func helper() throws(HelperError) -> DirectHelper<ResidentHost> {
    do throws(SystemError) {
      guard let account = try Account.with(uid: identity.user) else {
        throw SystemError.notFound(.lookUpAccount)
      }
      return DirectHelper { client, proof in
        Conversation(
          caller: account, terminal: nil, host: resident, proof: proof, client: client)
      }
    } catch {
      throw .system(error)
    }
  }

  func deliverNotices(to account: Account) -> Bool { resident.deliverNotices(to: account) }

  func name() -> [UInt8] {
    do throws(SystemError) { return try HostName.current() } catch { return [] }
  }

  func account(
    sharingUIDOf account: Account, at index: Int32
  ) throws(SystemError) -> Account? {
    try account.sharing(at: index)
  }

  /// The settings in /etc/ssh/sshd_config, or unknown settings if the service may not read the file.
  var secureShell: SecureShellConfiguration { InstalledSecureShell.configuration }
}
