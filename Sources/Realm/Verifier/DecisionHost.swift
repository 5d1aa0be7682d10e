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
struct DecisionHost<Engine: StoreEngine>: ServedMachine {
  typealias Store = SharedFactorStore<Engine>

  let application: ServedApplication
  let identity: ProcessIdentity
  let managed: ManagingHost<Engine>
  /// The name that the user entered.
  let entered: [UInt8]

  private var facts: HostFacts { managed.facts }

  var codeSender: HostCodeSender { managed.codeSender }

  var stacks: ReportedStacks { facts.stacks }

  var isCalledByRoot: Bool { identity.user == 0 }

  /// Reads the realm's policy. A file that a service of the host names is refused: a host must not be able to
  /// choose a policy on which the state of other hosts depends.
  func configuration(at path: [UInt8]?) throws(ConfigurationFile.Failure) -> Configuration {
    if let path { throw ConfigurationFile.Failure(path, .system(.forbidden(.open))) }
    return try managed.configuration(at: nil)
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

  /// The store, for an application that acts as root. The codes of any other application's user are
  /// verified by `helper()`.
  func store() throws(FactorStoreError) -> SharedFactorStore<Engine> {
    guard identity.actsAsRoot else { throw .system(.directory, .forbidden(.open)) }
    return try managed.store()
  }

  func now() throws(SystemError) -> Int64 { try managed.now() }

  func helper() throws(HelperError) -> DirectHelper<ManagingHost<Engine>> {
    guard let caller = facts.caller?.account else { throw .system(.notFound(.lookUpAccount)) }
    return DirectHelper { client, proof in
      Conversation(of: caller, terminal: nil, at: managed, proof: proof, client: client)
    }
  }

  func located(_ source: Source) -> Source { managed.located(source) }

  func deliverNotices(to account: Account) -> Bool { managed.deliverNotices(to: account) }

  /// The name in the host's certificate.
  func name() -> [UInt8] { managed.request.host ?? [] }

  var secureShell: SecureShellConfiguration { facts.secureShell }

  var sinceBoot: Int64? { facts.sinceBoot }
}
