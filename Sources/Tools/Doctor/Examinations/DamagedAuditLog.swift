import MFAAdmin
import MFABase
import MFAStore

/// Finds an audit log that is damaged, removed or replaced by another one.
///
/// Without the audit log, sign-ins of enrolled users are denied, because an earlier copy of a
/// user's files cannot be distinguished from the current files.
enum DamagedAuditLog: Examination {
  private static let path = StoreFile.ledger.path

  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    do throws(AdminError) {
      return try snapshot.host.auditLogProblem().map { [finding($0)] } ?? []
    } catch {
      guard case .store(let error) = error else {
        return [.unchecked("the audit log", at: path, error.message)]
      }
      return findings(error)
    }
  }

  private static func findings(_ error: FactorStoreError) -> [Finding] {
    guard !isReportedElsewhere(error) else { return [] }
    let problem = RecordProblem(error)
    guard error.concernsAuditLog else {
      return [.unchecked("the audit log", at: path, problem.sentence)]
    }
    return [damaged(problem.sentence, hint: problem.hint(for: nil))]
  }

  private static func finding(_ problem: AuditLogProblem) -> Finding {
    switch problem {
    case .fault, .missingCheckpoint, .realm: damaged(problem.sentence, hint: problem.hint)
    case .recordsWithoutEntries, .records:
      Finding(
        severity: .error, code: "audit-log-replaced", place: path, message: problem.sentence,
        hint:
          "run mfa-admin ledger verify, and compare with checkpoint= on the log host; mfa-admin "
          + "ledger begin starts a new audit log with the present records")
    }
  }

  private static func damaged(_ sentence: String, hint: String) -> Finding {
    Finding(
      severity: .error, code: "audit-log-damaged", place: path,
      message: "\(sentence); users can be locked out, and no change can be recorded", hint: hint)
  }

  /// Returns whether another examination reports the error: a store that is missing or mounted
  /// read-only, an unusable key, or files with a wrong owner or mode, or with several hard links.
  private static func isReportedElsewhere(_ error: FactorStoreError) -> Bool {
    switch error {
    case .system(.directory, let cause) where cause.isNotFound: true
    case .system(_, let cause) where cause.name == "EROFS": true
    case .system(.key, _), .untrusted(.key, _): true
    case .untrusted(_, .wrongOwner), .untrusted(_, .wrongPermissions): true
    case .untrusted(_, .severalNames): true
    case .foreign, .system(.identity, _), .untrusted(.identity, _): true
    case .system, .untrusted, .damaged, .otherVersion, .otherKey, .belongsToAnother, .rolledBack,
      .busy, .cryptography, .nameTooLong, .engine, .renamed:
      false
    }
  }
}
