import MFAStore

// What an administrator changes in the state of the realm.
extension SharedFactorStore {
  /// Begins a new epoch, after an administrator restored the database in a way that does not show, and
  /// returns the new state of the realm. No code that could have been accepted before is accepted after
  /// this, see `AttemptState.fenced`.
  ///
  /// If the restore shows, the load itself begins an epoch, and this function another one.
  package func beginEpoch(by actor: AuditLogEvent.Actor) throws(FactorStoreError) -> RealmState {
    try deciding { () throws(FactorStoreError) in
      let now = try now()
      let snapshot = try presentSnapshot(at: now)
      let (epoch, overflow) = snapshot.realm.epoch.addingReportingOverflow(1)
      guard !overflow else { throw .damaged(.directory) }
      try enter(.epochBegun, UInt64(epoch), by: actor, at: now, after: snapshot)
      guard let state = try beginEpoch(after: snapshot, at: now) else { throw .engine(.conflict) }
      return state
    }
  }

  /// Returns a sentence if the clock of this machine and that of the database differ by more than
  /// `DatabaseClock.tolerance`, or if the database does not tell its time; otherwise nil.
  package func clockFinding() throws(FactorStoreError) -> String? {
    let now = try clock()
    let time = try uncheckedSnapshot(at: now).time
    guard let difference = DatabaseClock.Difference(of: now, from: time) else {
      return "the database does not tell its time, so a clock that is ahead is not noticed; "
        + "a proxy between the verifier and etcd must keep the field Date of HTTP"
    }
    return difference.finding
  }

  /// Loads the state of the realm for what needs no decision: any format and any time are accepted.
  private func uncheckedSnapshot(at now: Int64) throws(FactorStoreError) -> EngineSnapshot {
    let key = try Self.key(of: .nobody)
    let context = request.context(at: now, withAnswer: false)
    return try onEngine { () throws(EngineError) in try engine.load(key, context) }
  }

  /// Enters an event with a number in the audit log.
  private func enter(
    _ kind: AuditLogEvent.Kind, _ number: UInt64, by actor: AuditLogEvent.Actor, at now: Int64,
    after snapshot: EngineSnapshot
  ) throws(FactorStoreError) {
    var key = try key()
    let event = AuditLogEvent(kind, detail: Array(String(number).utf8), by: actor, at: now)
    let change = EngineChange(epoch: snapshot.realm.epoch)
    _ = try commit(change, entering: event, about: AuditLogSubject(), &key)
  }
}
