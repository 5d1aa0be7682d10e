import MFARealm
import MFAStore

/// The audit log of a realm, for reading.
///
/// MUST 1: a line is reported as verified only if it follows the line before it, and ends where its sealed end
/// says. (`RealmAuditLogTests.changedLine`)
package struct RealmAuditLog<Engine: StoreEngine> {
  private let store: SharedFactorStore<Engine>

  /// Uses the engine and the key of a store.
  package init(_ store: SharedFactorStore<Engine>) { self.store = store }

  /// Returns the lines with numbers above `number`, at most `most`.
  package func lines(
    after number: UInt32, most: Int
  ) throws(FactorStoreError) -> [AdministeredLogLine] {
    var key = try store.key()
    let first = number == 0 ? number : number &- 1
    var read = try lines(from: first, most: number == 0 ? most : most &+ 1)
    var verification = SharedAuditLog.Verification()
    if number > 0 {
      guard let before = read.first, before.number == number else {
        // The line before is missing, so that no line after it is verified.
        return read.filter { $0.number > number }.map { AdministeredLogLine($0, nil) }
      }
      read.removeFirst()
      do throws(FactorStoreError) {
        verification = try SharedAuditLog.Verification(after: before.end, &key)
      } catch {
        guard error == .damaged(.auditLogHead) else { throw error }
        return read.map { AdministeredLogLine($0, nil) }
      }
    }
    var lines: [AdministeredLogLine] = []
    var isWhole = true
    for line in read {
      var checkpoint: AuditLogCheckpoint?
      if isWhole {
        checkpoint = try verified(line, &verification, &key)
        isWhole = checkpoint != nil
      }
      lines.append(AdministeredLogLine(line, checkpoint))
    }
    return lines
  }

  private func verified(
    _ line: EngineLogLine, _ verification: inout SharedAuditLog.Verification,
    _ key: inout SealingKey
  ) throws(FactorStoreError) -> AuditLogCheckpoint? {
    guard let checkpoint = try verification.take(line.text, &key), checkpoint.number == line.number
    else { return nil }
    do throws(FactorStoreError) {
      return try verification.isComplete(line.end, &key) ? checkpoint : nil
    } catch {
      guard error == .damaged(.auditLogHead) else { throw error }
      return nil
    }
  }

  private func lines(from number: UInt32, most: Int) throws(FactorStoreError) -> [EngineLogLine] {
    try store.onEngine { () throws(EngineError) in
      try store.engine.logLines(after: number, most: most)
    }
  }

  /// Returns the number of the last line, or 0.
  package func end() throws(FactorStoreError) -> UInt32 {
    try store.onEngine { () throws(EngineError) in try store.engine.lastLine()?.number ?? 0 }
  }
}

extension AdministeredLogLine {
  /// Describes a line, which is verified if it has a checkpoint.
  fileprivate init(_ line: EngineLogLine, _ checkpoint: AuditLogCheckpoint?) {
    self.init(
      number: line.number, text: Array(line.text.dropLast()), checkpoint: checkpoint?.text ?? [])
  }
}
