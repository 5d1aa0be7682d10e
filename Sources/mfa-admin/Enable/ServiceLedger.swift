import FactorStore

/// The ledger, for changes of services.
enum ServiceLedger {
  /// Enters what is about to happen to a service.
  static func enter(
    _ kind: LedgerEvent.Kind, _ service: [UInt8]
  ) throws(ChangeError) -> LedgerMark {
    do throws(AdminError) {
      let (administration, _) = try ThisHost.administration(needsConfiguration: false)
      let event = LedgerEvent(
        kind, ids: service, by: administration.ledgerActor, at: administration.now)
      return try administration.onStore { () throws(FactorStoreError) in
        try administration.store.enter(event)
      }
    } catch {
      throw .ledger(error.message, hint: error.hint)
    }
  }
}
