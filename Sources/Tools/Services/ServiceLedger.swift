import MFAAdmin
import MFADoctor
import MFAStore

/// Records changes to services in the audit log.
package enum ServiceLedger {
  /// Records a change to a service before the change is made.
  package static func enter(
    _ kind: AuditLogEvent.Kind, _ service: [UInt8]
  ) throws(ChangeError) -> AuditLogCheckpoint {
    try enter(kind, service, detail: [])
  }

  /// Records a decision of an administrator before it takes effect.
  static func enter(
    _ kind: AuditLogEvent.Kind, _ ids: [UInt8], detail: [UInt8]
  ) throws(ChangeError) -> AuditLogCheckpoint {
    do throws(AdminError) {
      let (administration, _) = try ThisHost.administration(needsConfiguration: false)
      let event = AuditLogEvent(
        kind, ids: ids, detail: detail, by: administration.ledgerActor, at: administration.now)
      return try administration.onStore { () throws(FactorStoreError) in
        try administration.store.enter(event)
      }
    } catch {
      throw .ledger(error.message, hint: error.hint)
    }
  }
}
