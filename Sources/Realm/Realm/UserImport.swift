import MFAModel

/// What the local store of a host has about a user, to be merged into what a realm has. This is the target for
/// `mfa-admin realm import`; it decides, and reads and writes nothing.
///
/// MUST 1: no code that the host or the realm accepted is accepted again: the larger time step counts.
/// (`UserImportTests.usedCodes`)
/// MUST 2: no failed attempt is forgotten: the larger number counts. (`UserImportTests.failures`)
/// MUST 3: what the realm has does not change where it differs, unless an administrator decided so.
/// (`UserImportTests.conflictsChangeNothing`, `.keep`)
/// MUST 4: what the host has imported before, and the realm has not any more, is not added again.
/// (`UserImportTests.revokedSince`)
package struct UserImport: Sendable {
  /// The record of the host, with secrets that are sealed for the record of the realm. Grants and notices are
  /// not imported.
  package let record: FactorRecord
  /// The attempt state of the host.
  package let attempts: AttemptState
  /// The sealed keys with which the digests of the record's recovery codes are verified.
  package var sealedDigestKeys: [UInt8]?
  /// The factors that the realm had after an earlier import from this host.
  package var earlierFactors: [FactorID] = []
  /// True if an earlier import from this host has decided about the recovery codes.
  package var hadRecoveryCodes = false
  /// True if an earlier import from this host has counted the failed attempts.
  package var hadAttempts = false
  /// What happens to a user about whom the host and the realm differ.
  package var choice = ConflictChoice.undecided

  /// Creates an import that is the first one from its host.
  package init(record: FactorRecord, attempts: AttemptState) {
    self.record = record
    self.attempts = attempts
  }

  /// What the realm has about the user.
  package struct Present: Sendable {
    /// The record; a new one if the realm has none.
    package let record: FactorRecord
    /// The attempt state.
    package let attempts: AttemptState
    /// The factors of both sides that have the same key, or the same phone number.
    package let twins: [Twins]

    /// Creates a value.
    package init(record: FactorRecord, attempts: AttemptState, twins: [Twins]) {
      self.record = record
      self.attempts = attempts
      self.twins = twins
    }

    /// Returns the factor of the realm with the same key as a factor of the host, or nil.
    func twin(of id: FactorID) -> Factor? {
      let pairs = twins.filter { $0.imported == id }
      let pair = pairs.first { $0.present == id } ?? pairs.first
      return pair.flatMap { record.factor($0.present) }
    }
  }

  /// A factor of the host and one of the realm that have the same key, or the same phone number.
  package struct Twins: Equatable, Sendable {
    /// The factor of the host.
    package let imported: FactorID
    /// The factor of the realm.
    package let present: FactorID

    /// Creates a pair.
    package init(imported: FactorID, present: FactorID) {
      self.imported = imported
      self.present = present
    }
  }

  /// What the realm has after a merge, and what became of each part.
  package struct Merged: Sendable {
    /// The record to store.
    package var record: FactorRecord
    /// The attempt state to store.
    package var attempts: AttemptState
    /// The result for each factor of the host, in the order of its record.
    package var factors: [FactorImport]
    /// The result for the recovery codes.
    package var recoveryCodes = RecoveryCodeImport.noCodes
    /// Whether record or attempt state are to be stored.
    package var isChange = false
  }

  // MARK: Merging

  /// Returns what the realm has after the import. `source` and `now` are those of the notices to the user.
  package func merged(into present: Present, from source: Source, at now: Int64) -> Merged {
    let findings = record.factors.map { FactorImport($0.id, finding(of: $0, present)) }
    var merged = Merged(record: present.record, attempts: present.attempts, factors: findings)
    guard choice != .undecided || !findings.contains(where: { $0.result.isConflict }) else {
      return merged
    }
    merged.record.removeExpiredGrants(at: now)
    mergeFactors(&merged, present, from: source, at: now)
    guard merged.factors.contains(where: { $0.result.isInRealm }) else {
      merged.record = present.record
      return merged
    }
    merged.recoveryCodes = mergeRecoveryCodes(&merged.record)
    if let language = record.language, merged.record.language == nil {
      merged.record.setLanguage(language)
    }
    if record.phoneRemovedAt > 0 { merged.record.notePhoneRemoved(at: record.phoneRemovedAt) }
    merged.attempts = mergedAttempts(merged, present)
    merged.isChange =
      merged.attempts != present.attempts || merged.recoveryCodes == .added
      || merged.factors.contains { $0.result == .added || $0.result == .replaced }
    if !merged.isChange { merged.record = present.record }
    return merged
  }

  /// Returns how a factor of the host relates to those of the realm.
  private func finding(of factor: Factor, _ present: Present) -> FactorImport.Result {
    let own = present.record.factor(factor.id)
    if earlierFactors.contains(factor.id) {
      return own != nil || present.twin(of: factor.id) != nil ? .present : .revoked
    }
    if let own { return isSame(factor, own, present) ? .present : .otherContent }
    if present.twin(of: factor.id) != nil { return .present }
    if isOfStranger(present) { return .otherFactors }
    let isNameTaken = present.record.factors.contains { $0.displayName == factor.displayName }
    return isNameTaken ? .sameName : .added
  }

  private func isSame(_ factor: Factor, _ own: Factor, _ present: Present) -> Bool {
    present.twins.contains(Twins(imported: factor.id, present: own.id))
      && factor.resealed(own.sealed) == own
  }

  /// Returns whether nothing shows that the user of the realm is that of the host: the realm has factors, and
  /// the host has none of them.
  private func isOfStranger(_ present: Present) -> Bool {
    present.record.isEnrolled && earlierFactors.isEmpty
      && !record.factors.contains { present.twin(of: $0.id) != nil }
  }

  // MARK: Factors

  private func mergeFactors(
    _ merged: inout Merged, _ present: Present, from source: Source, at now: Int64
  ) {
    let inUse = merged.factors.filter { $0.result == .present }
      .compactMap { present.twin(of: $0.id)?.id ?? present.record.factor($0.id)?.id }
    for index in merged.factors.indices {
      guard let factor = record.factor(merged.factors[index].id) else { continue }
      switch merged.factors[index].result {
      case .otherContent, .sameName, .otherFactors:
        guard choice == .take else {
          merged.factors[index].result = .kept
          continue
        }
      case .added: break
      case .present, .replaced, .kept, .revoked, .noRoom, .removed, .changed, .missing: continue
      }
      let result = Self.put(factor, into: &merged.record, sparing: inUse, from: source, at: now)
      merged.factors[index].result = result
    }
  }

  /// Adds a factor, in the place of those with its id or its name.
  private static func put(
    _ factor: Factor, into record: inout FactorRecord, sparing inUse: [FactorID],
    from source: Source, at now: Int64
  ) -> FactorImport.Result {
    let rivals = record.factors.filter {
      $0.id == factor.id || $0.displayName == factor.displayName
    }
    guard !rivals.contains(where: { inUse.contains($0.id) }) else { return .kept }
    var next = record
    do throws(FactorRecord.ChangeRefusal) {
      for rival in rivals { try next.unenroll(rival.id, from: source, at: now) }
      try next.add(factor)
    } catch {
      return .noRoom
    }
    // Removing the last factor removes the recovery codes.
    if next.recoveryCodes != record.recoveryCodes {
      next.setRecoveryCodes(record.recoveryCodes, at: record.recoveryCodesAddedAt)
    }
    next.note(
      .imported, factor.displayName.utf8, about: next.subject(of: factor.id), from: source,
      at: now)
    record = next
    return rivals.isEmpty ? .added : .replaced
  }

  // MARK: Recovery codes

  private func mergeRecoveryCodes(_ merged: inout FactorRecord) -> RecoveryCodeImport {
    guard !record.recoveryCodes.isEmpty else { return .noCodes }
    guard !hadRecoveryCodes else { return .earlier }
    guard merged.recoveryCodes.isEmpty else { return .present }
    // One record has one set of keys for all digests, and the digests of grants were made with others.
    guard merged.grants.isEmpty else { return .grants }
    var next = merged
    next.setRecoveryCodes(record.recoveryCodes, at: record.recoveryCodesAddedAt)
    let sealed = next.resealed(
      FactorRecord.Resealed(
        secrets: next.factors.map { $0.sealed }, recoveryCodes: next.recoveryCodes.map { $0.bytes },
        grants: [], digestKeys: sealedDigestKeys))
    guard let sealed else { return .noCodes }
    merged = sealed
    return .added
  }

  // MARK: Attempts

  private func mergedAttempts(_ merged: Merged, _ present: Present) -> AttemptState {
    var base =
      present.record.isEnrolled ? present.attempts : present.attempts.beginning(merged.record)
    if merged.factors.contains(where: { $0.result == .replaced }) {
      base = base.keeping(merged.record)
    }
    var unreported = base.unreported
    if !hadAttempts, attempts.unreported.failures > unreported.failures {
      unreported.failures = attempts.unreported.failures
      unreported.lastFailure = attempts.unreported.lastFailure
      unreported.source = attempts.unreported.source
    }
    let counted = hadAttempts ? AttemptState(record: attempts.record) : attempts
    return AttemptState(
      record: base.record, failures: max(base.failures, counted.failures),
      lastFailure: max(base.lastFailure, counted.lastFailure),
      watermarks: watermarks(base, merged, present),
      postponedSignIns: max(base.postponedSignIns, counted.postponedSignIns),
      unreported: unreported, remembered: base.remembered,
      ownProcessFailures: base.ownProcessFailures.larger(counted.ownProcessFailures),
      daemonFailures: base.daemonFailures.larger(counted.daemonFailures),
      ownChanges: base.ownChanges, binding: base.binding,
      recentAnswers: base.recentAnswers, recentTurns: base.recentTurns, sentCodes: base.sentCodes,
      passwordFailures: base.passwordFailures)
  }

  /// Returns the larger watermark of each factor.
  private func watermarks(
    _ base: AttemptState, _ merged: Merged, _ present: Present
  ) -> [AttemptState.Watermark] {
    var marks = base.watermarks
    for factor in merged.factors {
      let isNew = factor.result == .added || factor.result == .replaced
      let target = isNew ? merged.record.factor(factor.id) : present.twin(of: factor.id)
      guard let target, merged.record.factor(target.id) != nil,
        let imported = record.factor(factor.id), let step = attempts.watermark(of: factor.id)
      else { continue }
      let last = Self.step(step, of: imported, countedBy: target)
      if let index = marks.firstIndex(where: { $0.factor == target.id }) {
        marks[index].step = isNew ? last : max(marks[index].step, last)
      } else if isNew {
        marks.append(AttemptState.Watermark(factor: target.id, step: last))
      }
    }
    return marks
  }

  /// Returns the time step of `target` that ends no earlier than a time step of another factor with the same key.
  private static func step(_ step: Int64, of factor: Factor, countedBy target: Factor) -> Int64 {
    guard let from = factor.parameters?.period, let to = target.parameters?.period, from != to,
      to > 0
    else { return step }
    let (end, isLarge) = step.addingReportingOverflow(1)
    let (time, overflow) = end.multipliedReportingOverflow(by: Int64(from))
    guard !isLarge, !overflow else { return .max }
    return time / Int64(to)
  }
}
