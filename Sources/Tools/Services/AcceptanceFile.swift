import MFAAdmin
import MFAStore
import MFABase
import MFADoctor

/// The file with the findings of `mfa-admin doctor` that administrators accepted.
package enum AcceptanceFile {
  private static let path = "\(InstalledPath.acceptedFindings)"

  /// Reads the list.
  package static func read() -> Result<AcceptedFindings, AdminError> {
    do throws(AdminError) {
      guard let file = try SystemFile.read(path) else { return .success(AcceptedFindings()) }
      return Result { () throws(AdminError) in try AcceptedFindings(file.contents) }
    } catch {
      return .failure(AdminError(at: path, error.message))
    }
  }

  /// Changes the list while no other process does. Each change that `body` returns is entered in the
  /// audit log before the list is written.
  package static func change(
    _ kind: AuditLogEvent.Kind, _ body: (inout AcceptedFindings) throws(AdminError) -> [Acceptance]
  ) throws(AdminError) {
    try ChangeJournal.locking(seconds: 10) { (_) throws(AdminError) in
      var list: AcceptedFindings
      switch read() {
      case .success(let present): list = present
      case .failure(let failure): throw .acceptances(failure)
      }
      for acceptance in try body(&list) { try enter(kind, acceptance) }
      try SystemFile(contents: Array(list.text.utf8), permissions: 0o600, group: 0).write(to: path)
    }
  }

  private static func enter(
    _ kind: AuditLogEvent.Kind, _ acceptance: Acceptance
  ) throws(AdminError) {
    let detail = "\(acceptance.subject.path): \(acceptance.reason)"
    _ = try ServiceAuditLog.enter(
      kind, Array(acceptance.subject.code.utf8), detail: Array(detail.utf8))
  }
}
