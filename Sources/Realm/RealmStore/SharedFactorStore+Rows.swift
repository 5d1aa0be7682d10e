import MFAStore
import MFAModel

/// A row as it was loaded for a change.
struct LoadedRow {
  let key: EngineKey
  let snapshot: EngineSnapshot
  /// The time at which it was loaded, in seconds since the epoch.
  let time: Int64

  /// The version of the row, or 0 if the row does not exist.
  var version: UInt64 { snapshot.row.version }
  /// The sealed content. It is empty if the row does not exist, or if its content was removed.
  var record: [UInt8] { version > 0 ? snapshot.row.record : [] }
}

// Rows other than a user's record and attempt state.
extension SharedFactorStore {
  /// Replaces the content of a row like `replace`, as a change that counts as one of those which the host of the request
  /// may cause in this hour. With `other`, replaces another row in the same commit.
  ///
  /// - Throws: `.engine(.budgetUsedUp)` if the host has caused as many already.
  func replaceCounting(
    _ row: LoadedRow, with record: [UInt8], and other: EngineRowChange? = nil, givingWay: Bool,
    entering event: AuditLogEvent, about user: [UInt8]? = nil, _ sealing: inout SealingKey
  ) throws(FactorStoreError) {
    guard request.host == nil || row.snapshot.hostFailures < request.hostLimit else {
      throw .engine(.budgetUsedUp)
    }
    var change = EngineChange(epoch: row.snapshot.realm.epoch)
    change.row = EngineRowChange(row.key, version: row.version, record: record)
    change.otherRow = other
    change.budget = request.budget(at: row.time, isFailure: true)
    change.givesWay = givingWay
    let subject = AuditLogSubject(user: user.flatMap { UserName($0) })
    _ = try commit(change, entering: event, about: subject, &sealing)
  }

  /// Loads a row.
  func row(_ key: EngineKey) throws(FactorStoreError) -> LoadedRow {
    let now = try now()
    return LoadedRow(key: key, snapshot: try load(key, at: now, withAnswer: false), time: now)
  }

  /// Loads a row.
  func row(_ kind: EngineKey.Kind, _ id: [UInt8]) throws(FactorStoreError) -> LoadedRow {
    guard let key = EngineKey(kind, id) else { throw .nameTooLong }
    return try row(key)
  }

  /// Replaces the content of a row, unless the row was changed since it was loaded. If there is an event, enters it in the
  /// audit log, with the user if it concerns one, and returns its checkpoint.
  @discardableResult
  func replace(
    _ row: LoadedRow, with record: [UInt8], entering event: AuditLogEvent? = nil,
    about user: [UInt8]? = nil, _ sealing: inout SealingKey
  ) throws(FactorStoreError) -> AuditLogCheckpoint? {
    var change = EngineChange(epoch: row.snapshot.realm.epoch)
    change.row = EngineRowChange(row.key, version: row.version, record: record)
    let subject = AuditLogSubject(user: user.flatMap { UserName($0) })
    return try commit(change, entering: event, about: subject, &sealing)
  }
}
