import MFAAuthentication
import MFABytes
import MFAConfiguration
import MFAFactorStore
import MFAFactors
import MFAPAMStack
import MFAPolicy
import MFAResidentProtocol
import MFASignIn
import MFAStoreFiles
import MFASystem

/// The host as seen by an application at the other end of a connection: the store and the accounts
/// of this host, and the application's own process.
struct ServedHost: Host {
  typealias Store = LocalFactorStore

  private let application: ServedApplication
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

  /// The store, for an application that acts as root. The codes of any other application's user are
  /// verified by `helper()`.
  func store() throws(FactorStoreError) -> LocalFactorStore {
    guard identity.actsAsRoot else { throw .system(.directory, .forbidden(.open)) }
    return try resident.store()
  }

  func configuration(at path: [UInt8]?) throws(ConfigurationFile.Failure) -> Configuration {
    try resident.configuration(at: path)
  }

  func helper() throws(HelperError) -> DirectHelper {
    do throws(SystemError) {
      guard let account = try Account.with(uid: identity.user) else {
        throw SystemError.notFound(.lookUpAccount)
      }
      return DirectHelper(account, resident)
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

  // MARK: Facts about the application's process
  //
  // Only an application that acts as root is believed.

  func peer() -> UInt128? {
    guard let address = fact(.peer), address.count == 16 else { return nil }
    return address.reduce(UInt128(0)) { $0 << 8 | UInt128($1) }
  }

  var session: SignInOrigin? { fact(.session).map { SignInOrigin(.session, $0) } }

  var enclosingSessions: [SignInOrigin] {
    var sessions: [SignInOrigin] = []
    let list = fact(.enclosingSessions) ?? []
    var reader = ByteReader(list.span)
    while let session = reader.readShort() { sessions.append(SignInOrigin(.session, session)) }
    return sessions
  }

  var leadsSession: Bool { fact(.leadsSession) == [1] }

  var usesUTF8: Bool { fact(.usesUTF8) != [0] }

  var controllingTerminal: [UInt8]? { fact(.controllingTerminal) }

  private func fact(_ fact: ApplicationFact) -> [UInt8]? {
    identity.actsAsRoot ? application.fact(fact) : nil
  }
}
