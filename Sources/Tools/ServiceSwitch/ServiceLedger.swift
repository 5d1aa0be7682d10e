import MFAAdminCore
import MFADoctor
import MFAAuditLog
import MFAStoreFiles

/// Records changes to services in the audit log.
package enum ServiceLedger {
  /// Records a change to a service before the change is made.
  package static func enter(
    _ kind: AuditLogEvent.Kind, _ service: [UInt8]
  ) throws(ChangeError) -> AuditLogCheckpoint {
    do throws(AdminError) {
      let (administration, _) = try ThisHost.administration(needsConfiguration: false)
      let event = AuditLogEvent(
        kind, ids: service, by: administration.ledgerActor, at: administration.now)
      return try administration.onStore { () throws(FactorStoreError) in
        try administration.store.enter(event)
      }
    } catch {
      throw .ledger(error.message, hint: error.hint)
    }
  }
}
