import MFAModel

/// The removal of what a host has imported for a user.
///
/// MUST 1: only what is as it was after the import is removed. (`ImportUndoTests.changed`)
package struct ImportUndo: Sendable {
  /// What digests the realm had after the import, or has now.
  package struct Marks: Equatable, Sendable {
    /// The factors. Their results have no meaning.
    package var factors: [FactorImport]
    /// The recovery codes; empty without recovery codes, or if they were not imported.
    package var recoveryCodes: [UInt8]

    /// Creates a value.
    package init(factors: [FactorImport], recoveryCodes: [UInt8]) {
      self.factors = factors
      self.recoveryCodes = recoveryCodes
    }
  }

  /// What the import added.
  package let imported: Marks

  /// Creates a value.
  package init(of imported: Marks) { self.imported = imported }

  /// Returns what the realm has afterwards. `present` are the digests of what the realm has now.
  package func applied(
    to snapshot: UserImport.Present, _ present: Marks, from source: Source, at now: Int64
  ) -> UserImport.Merged {
    var undone = UserImport.Merged(
      record: snapshot.record, attempts: snapshot.attempts, factors: [])
    if !imported.recoveryCodes.isEmpty, !snapshot.record.recoveryCodes.isEmpty {
      let isSame = present.recoveryCodes == imported.recoveryCodes
      if isSame { undone.record.removeRecoveryCodes() }
      undone.recoveryCodes = isSame ? .removed : .changed
    }
    for factor in imported.factors {
      let result = Self.remove(factor, present, &undone.record, from: source, at: now)
      undone.factors.append(FactorImport(factor.id, result))
    }
    if undone.recoveryCodes == .changed, undone.record.recoveryCodes.isEmpty {
      undone.recoveryCodes = .removed
    }
    undone.isChange =
      undone.recoveryCodes == .removed || undone.factors.contains { $0.result == .removed }
    if undone.isChange { undone.attempts = undone.attempts.keeping(undone.record) }
    return undone
  }

  private static func remove(
    _ factor: FactorImport, _ present: Marks, _ record: inout FactorRecord, from source: Source,
    at now: Int64
  ) -> FactorImport.Result {
    guard record.factor(factor.id) != nil else { return .missing }
    let isSame = present.factors.contains { $0.id == factor.id && $0.mark == factor.mark }
    guard isSame, !factor.mark.isEmpty else { return .changed }
    do throws(FactorRecord.ChangeRefusal) {
      try record.unenroll(factor.id, from: source, at: now)
    } catch { return .missing }
    return .removed
  }
}
