import MFAAuditLog
import MFAFactors
import MFAStoreFiles

/// A row as it was loaded for a change.
struct LoadedRow {
  let key: EngineKey
  let snapshot: EngineSnapshot
  /// The time at which it was loaded, in seconds since the epoch.
  let time: Int64

  /// The version of the row; 0 if there is none.
  var version: UInt64 { snapshot.row.version }
  /// The sealed content of the row; empty if there is none.
  var record: [UInt8] { version > 0 ? snapshot.row.record : [] }
}

// Rows other than a user's record and attempt state.
extension SharedFactorStore {
  /// Loads a row.
  func row(_ kind: EngineKey.Kind, _ id: [UInt8]) throws(FactorStoreError) -> LoadedRow {
    guard let key = EngineKey(kind, id) else { throw .nameTooLong }
    let now = try now()
    return LoadedRow(key: key, snapshot: try load(key, at: now, withAnswer: false), time: now)
  }

  /// Replaces the content of a row, unless the row was changed since it was loaded.
  func replace(
    _ row: LoadedRow, with record: [UInt8], entering event: AuditLogEvent?, about user: [UInt8]?,
    _ sealing: inout SealingKey
  ) throws(FactorStoreError) {
    var change = EngineChange(epoch: row.snapshot.realm.epoch)
    change.row = (row.key, row.version)
    change.record = record
    let subject = AuditLogSubject(user: user.flatMap { UserName($0) })
    _ = try commit(change, entering: event, about: subject, &sealing)
  }
}
