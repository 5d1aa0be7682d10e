import MFAAttempt
import MFAStore
import MFAModel
import MFARealm
import MFADecider
import MFABase
import MFARealmStore
import MFASignIn

/// A host of the realm, for a sign-in there, or for a user who manages factors there: the realm's store and policy, and
/// what the host reported.
///
/// A host is believed about its own accounts and processes: an attacker who owns a host can let any user in
/// there. What other hosts depend on is not taken from it: the name of the host comes from its
/// certificate, and remembered sign-ins are bound to it.
struct DecisionHost<Engine: StoreEngine>: Host {
  typealias Store = SharedFactorStore<Engine>

  let realm: DecisionRealm<Engine>
  let request: SharedRequest
  let facts: HostFacts
  let record: HostRecord
  /// The name that the user of a sign-in entered, which is the only one that the host has looked up; nil for a user who
  /// manages factors.
  var entered: [UInt8]?

  /// The gateway of this verifier.
  var codeSender: HostCodeSender { HostCodeSender() }

  var stacks: ReportedStacks { facts.stacks }

  /// Reads the realm's policy. A file that a service of the host names is refused: a host must not be able to
  /// choose a policy on which the state of other hosts depends.
  func configuration(at path: [UInt8]?) throws(ConfigurationError) -> Configuration {
    if let path { throw ConfigurationError(in: path, .system(.forbidden(.open))) }
    return try realm.policy()
  }

  /// Refuses the file, as above.
  func publicConfiguration(at path: [UInt8]) throws(ConfigurationError) -> Configuration {
    try configuration(at: path)
  }

  /// Returns the account that the host reported. For a sign-in, this is the one that the entered name belongs to.
  func account(named name: [UInt8]) throws(SystemError) -> Account? {
    if let entered {
      guard name == entered else { return nil }
      if let user = facts.user { return user.account }
    } else {
      for case let reported? in [facts.user, facts.caller] where reported.account.name == name {
        return reported.account
      }
    }
    guard facts.isLookupCertain else { throw .forbidden(.lookUpAccount) }
    return nil
  }

  /// Returns what the host reported about the user of the process that asks.
  func account(_ uid: UInt32, isNamed name: [UInt8]) throws(SystemError) -> Bool {
    facts.peerUser == uid && facts.caller?.account == Account(name: name, uid: uid)
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

  /// Returns what the host reported.
  func isMember(_ account: Account, of group: [UInt8]) -> Bool? {
    for case let reported? in [facts.user, facts.caller] where reported.account == account {
      return reported.isMember(of: group)
    }
    return nil
  }

  /// Returns the store for this request.
  func store() throws(FactorStoreError) -> SharedFactorStore<Engine> {
    realm.store(for: request)
  }

  /// Reads the verifier's clock, which that of the database limits.
  func now() throws(SystemError) -> Int64 { try realm.now() }

  /// Returns a group whose hosts accept offline recovery codes of the user.
  func offlineCodeGroup(for account: Account, named name: [UInt8]) -> [UInt8]? {
    OfflineDecisions(realm: realm, host: record).groupForCodes(named: name, of: account.name)
  }

  /// Makes codes for a group of hosts.
  func newOfflineCodes(
    for account: Account, group: [UInt8]
  ) throws(FactorStoreError) -> SecretBytes {
    try OfflineDecisions(realm: realm, host: record).newCodes(of: account.name, for: group)
  }

  /// The name in the host's certificate.
  func name() -> [UInt8] { request.host ?? [] }

  /// The same: what one host got continues no sign-in at another.
  var realmHost: [UInt8] { name() }

  /// Adds the name in the certificate of the host.
  func located(_ source: Source) -> Source { source.at(host: name()) }

  /// Leaves the name of the account for `mfa-verifier mail`, which runs outside of the sandbox.
  func deliverNotices(to account: Account) -> Bool { realm.leaveForMail(account) }

  var secureShell: SecureShellConfiguration { facts.secureShell }

  var sinceBoot: Int64? { facts.sinceBoot }
}

extension Management {
  /// Prepares for a request of a user at a host of the realm. The verifier writes the logs, with the name
  /// of the host.
  init<Engine: StoreEngine>(
    of caller: Account, terminal: [UInt8]?, at host: DecisionHost<Engine>
  ) where Machine == DecisionHost<Engine> {
    let name = host.request.host
    self.init(
      caller: caller, terminal: terminal, host: host,
      log: { priority, line in
        var line = line
        line.add("host", escaping: name)
        Log.write(priority, line)
      },
      // The verifier has no access to the audit trail of the host.
      audit: { _, _, _ in }, mail: { _, _ in .noMailer })
  }
}
