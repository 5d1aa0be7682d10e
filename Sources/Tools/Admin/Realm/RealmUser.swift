import MFABase
import MFAStore
import MFAModel
import MFARealm

/// A user of the realm, as a verifier describes the user.
struct RealmUser {
  let name: [UInt8]
  /// The record and the attempt state without secrets, or nil if they cannot be used.
  let snapshot: FactorSnapshot?
  /// Why the record cannot be used, or nil.
  let problem: RecordProblem?
  /// The fingerprint of the record in the audit log.
  let fingerprint: [UInt8]
  let rules: AdministeredRealmRules

  init(_ user: AdministeredRealmUser, _ rules: AdministeredRealmRules) {
    name = user.name
    fingerprint = user.fingerprint
    self.rules = rules
    snapshot = user.problem.isEmpty ? Self.snapshot(user) : nil
    guard snapshot == nil else {
      problem = nil
      return
    }
    let words = user.problem.isEmpty ? Array("record: other-version".utf8) : user.problem
    problem = .realm(VisibleText.escaping(words))
  }

  private static func snapshot(_ user: AdministeredRealmUser) -> FactorSnapshot? {
    do throws(FactorRecord.Refusal) {
      let record = try FactorRecord(encoded: user.record.span)
      guard let (attempts, _) = AttemptState.decode(unpadded: user.attempts),
        attempts.record == record.id
      else { return nil }
      return FactorSnapshot(record: record, attempts: attempts)
    } catch {
      return nil
    }
  }

  /// The throttling of the realm.
  var throttle: ThrottlePolicy {
    ThrottlePolicy(
      waitsAfter: rules.waitsAfter, firstWait: rules.firstWait, longestWait: rules.longestWait,
      locksAfter: rules.locksAfter)
  }

  /// Whether a list of users shows the user.
  var isShown: Bool { snapshot?.record.isEnrolled ?? true }

  var report: UserReport {
    guard let snapshot else {
      return UserReport(
        name: name, content: .unusable(problem ?? .realm("record: other-version")))
    }
    return UserReport(
      name: name,
      content: .usable(snapshot, snapshot.attempts.standing(throttle, now: rules.time)))
  }

  var grants: [GrantReport] {
    guard let record = snapshot?.record else { return [] }
    return record.grants.map {
      GrantReport(user: record.user, grant: $0, isGood: $0.isGood(at: rules.time))
    }
  }

  var rememberedCount: Int { snapshot?.attempts.remembered.entries.count ?? 0 }
}
