import MFAAttempt
import MFAStore
import MFAModel
import MFARealm
import MFADecider
import MFABase
import MFARealmStore

/// A host of the realm, for a user who manages factors there.
struct ManagingHost<Engine: StoreEngine>: AuthenticationHost {
  typealias Store = SharedFactorStore<Engine>

  let realm: DecisionRealm<Engine>
  let request: SharedRequest
  let facts: HostFacts
  let record: HostRecord

  /// The gateway of this verifier.
  var codeSender: HostCodeSender { HostCodeSender() }

  /// Reads the realm's policy.
  func configuration(at path: [UInt8]?) throws(ConfigurationFile.Failure) -> Configuration {
    try realm.policy(at: path)
  }

  /// Returns the account that the host reported.
  func account(named name: [UInt8]) throws(SystemError) -> Account? {
    for reported in [facts.user, facts.caller] {
      if let account = reported?.account, account.name == name { return account }
    }
    guard facts.isLookupCertain else { throw .forbidden(.lookUpAccount) }
    return nil
  }

  /// Returns what the host reported.
  func isMember(_ account: Account, of group: [UInt8]) -> Bool? {
    for reported in [facts.user, facts.caller] {
      if let reported, reported.account == account { return reported.isMember(of: group) }
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

  /// The name in the certificate of the host.
  var realmHost: [UInt8] { request.host ?? [] }

  /// Adds the name in the certificate of the host.
  func located(_ source: Source) -> Source { source.at(host: request.host ?? []) }

  /// Leaves the name of the account for `mfa-verifier mail`, which runs outside of the sandbox.
  func deliverNotices(to account: Account) -> Bool { realm.leaveForMail(account) }
}

extension Management {
  /// Prepares for a request of a user at a host of the realm. The verifier writes the logs, with the name
  /// of the host.
  init<Engine: StoreEngine>(
    of caller: Account, terminal: [UInt8]?, at host: ManagingHost<Engine>
  ) where Machine == ManagingHost<Engine> {
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
