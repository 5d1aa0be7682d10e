import MFAAttempt
import MFAStore
import MFAModel
import MFARealm
import MFADecider
import MFARealmStore
import MFASignIn
import MFABase

/// A host of the realm, for a sign-in there: the realm's store and policy, and what the host reported.
///
/// A host is believed about its own accounts and processes: an attacker who owns a host can let any user in
/// there. What other hosts depend on is not taken from it: the name of the host comes from its
/// certificate, and remembered sign-ins are bound to it.
struct DecisionHost<Engine: StoreEngine>: Host {
  typealias Store = SharedFactorStore<Engine>

  let managed: ManagingHost<Engine>
  /// The name that the user entered.
  let entered: [UInt8]

  private var facts: HostFacts { managed.facts }

  var codeSender: HostCodeSender { managed.codeSender }

  var stacks: ReportedStacks { facts.stacks }

  /// Reads the realm's policy. A file that a service of the host names is refused: a host must not be able to
  /// choose a policy on which the state of other hosts depends.
  func configuration(at path: [UInt8]?) throws(ConfigurationFile.Failure) -> Configuration {
    if let path { throw ConfigurationFile.Failure(path, .system(.forbidden(.open))) }
    return try managed.configuration(at: nil)
  }

  /// Refuses the file, as above.
  func publicConfiguration(at path: [UInt8]) throws(ConfigurationFile.Failure) -> Configuration {
    try configuration(at: path)
  }

  /// The host looked the entered name up.
  func account(named name: [UInt8]) throws(SystemError) -> Account? {
    guard name == entered else { return nil }
    if let user = facts.user { return user.account }
    guard facts.isLookupCertain else { throw .forbidden(.lookUpAccount) }
    return nil
  }

  func isMember(_ account: Account, of group: [UInt8]) -> Bool? {
    managed.isMember(account, of: group)
  }

  func account(
    sharingUIDOf account: Account, at index: Int32
  ) throws(SystemError) -> Account? {
    guard account == facts.user?.account, facts.sharing.indices.contains(Int(index)) else {
      return nil
    }
    guard facts.isLookupCertain else { throw .forbidden(.lookUpAccount) }
    return facts.sharing[Int(index)]
  }

  func store() throws(FactorStoreError) -> SharedFactorStore<Engine> { try managed.store() }

  func now() throws(SystemError) -> Int64 { try managed.now() }

  func located(_ source: Source) -> Source { managed.located(source) }

  func deliverNotices(to account: Account) -> Bool { managed.deliverNotices(to: account) }

  /// The name in the host's certificate.
  func name() -> [UInt8] { managed.request.host ?? [] }

  /// The same: what one host got continues no sign-in at another.
  var realmHost: [UInt8] { name() }

  var secureShell: SecureShellConfiguration { facts.secureShell }

  var sinceBoot: Int64? { facts.sinceBoot }
}
