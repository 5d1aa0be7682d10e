import MFAAttempt
import MFABase
import MFADecider
import MFAModel
import MFARealmStore
import MFASignIn
import MFAStore
import MFAWire

/// The delivery of notices to users of a realm, by mail.
///
/// Each verifier mails the notices of the changes that it has made, and those that it finds in the same
/// record. Two verifiers, or two runs, may both mail a notice before either of them has marked it.
///
/// MUST 1: while the database does not answer, each account keeps its file. (`RealmMailTests.unreachable`)
/// MUST 2: an account whose notices the mailer has got is not mailed again because of a later failure of the
/// database: the notices would otherwise be mailed in each run. (`RealmMailTests.notMarked`)
struct RealmMail<Engine: StoreEngine> {
  let realm: DecisionRealm<Engine>
  let folder: MailFolder
  let send: (_ message: [UInt8], _ recipient: [UInt8]) -> Mailing

  /// Mails the notices of each account in the folder. Returns false if the database did not answer for one of
  /// them, which then stays in the folder.
  func empty() throws(FactorStoreError) -> Bool { try folder.empty(deliver) }

  /// Mails the notices in a user's record that were not mailed. Returns false if the record could not be read
  /// now. As on a host, notices that the mailer refuses stay in the record, and the next delivery includes them.
  private func deliver(to user: UserName) -> Bool {
    var hasBegun = false
    let delivery = Management(
      caller: Self.account(user), terminal: nil, host: RealmMailHost(realm: realm), log: Log.write,
      audit: { _, _, _ in },
      mail: { message, recipient in
        hasBegun = true
        return send(message, recipient)
      })
    do throws(HelperFailure) {
      try delivery.deliver(to: user)
      return true
    } catch {
      return hasBegun || !isReadableLater(user)
    }
  }

  /// Returns false if the record itself is the problem, so that a later run could not read it either.
  private func isReadableLater(_ user: UserName) -> Bool {
    do throws(FactorStoreError) {
      _ = try RealmMailHost(realm: realm).store().kept(for: Self.account(user))
      return true
    } catch {
      switch error {
      case .damaged, .otherKey, .belongsToAnother, .rolledBack, .nameTooLong:
        return false
      case .system(_, let cause): return cause.distrust == nil
      case .engine, .otherVersion, .busy, .foreign, .renamed: return true
      }
    }
  }

  private static func account(_ user: UserName) -> Account {
    RealmUsers<Engine>.account(user.bytes)
  }
}

/// The realm, for a delivery of notices. No host asks, and no account is looked up: users are known by their
/// names, and the verifier may not have their accounts.
struct RealmMailHost<Engine: StoreEngine>: AuthenticationHost {
  typealias Store = SharedFactorStore<Engine>

  let realm: DecisionRealm<Engine>

  var codeSender: HostCodeSender { HostCodeSender() }

  func configuration(at path: [UInt8]?) throws(ConfigurationError) -> Configuration {
    try realm.policy()
  }

  func account(named name: [UInt8]) throws(SystemError) -> Account? {
    RealmUsers<Engine>.account(name)
  }

  func isMember(_ account: Account, of group: [UInt8]) -> Bool? { nil }

  func store() throws(FactorStoreError) -> SharedFactorStore<Engine> {
    realm.storeWithoutHost()
  }

  func now() throws(SystemError) -> Int64 { try realm.now() }

  /// Does nothing: this is the delivery.
  func deliverNotices(to account: Account) -> Bool { true }
}

extension SharedFactorStore {
  /// Removes what the realm keeps about a user beside the factors: the offline recovery codes, and the entry in the
  /// directory. Codes that outlived the factors would be accepted again after the next enrolment. No other name gets the
  /// entry unless an administrator is `releasing` it.
  func removeRest(of user: [UInt8], releasing: Bool = false) throws(FactorStoreError) {
    try OfflineRegistry(self).removeCodes(of: user)
    let directory = DirectoryRegistry(self)
    if releasing { try directory.release(user) } else { try directory.unbind(user) }
  }
}
