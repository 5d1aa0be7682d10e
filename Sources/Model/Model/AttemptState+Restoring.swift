// What a restored backup does to an attempt state.
extension AttemptState {
  /// Returns this state of a backup for `record`, to be written over the state `present`.
  ///
  /// Each factor refuses the time steps that either state refuses, and those up to the one in
  /// `refusing`. The larger number of failures and the later time count. Remembered sign-ins end.
  package func restored(
    for record: FactorRecord, over present: AttemptState, refusing: [Watermark]
  ) -> AttemptState {
    let marks = record.factors.compactMap { factor -> Watermark? in
      let steps = [
        watermark(of: factor.id), present.watermark(of: factor.id),
        refusing.first { $0.factor == factor.id }?.step,
      ].compactMap { $0 }
      return steps.max().map { Watermark(factor: factor.id, step: $0) }
    }
    return AttemptState(
      record: record.id, failures: max(failures, present.failures),
      lastFailure: max(lastFailure, present.lastFailure), watermarks: marks,
      postponedSignIns: max(postponedSignIns, present.postponedSignIns), unreported: unreported,
      ownProcessFailures: FailureCount(
        failures: max(ownProcessFailures.failures, present.ownProcessFailures.failures),
        last: max(ownProcessFailures.last, present.ownProcessFailures.last)),
      ownChanges: present.ownChanges, binding: present.binding,
      passwordFailures: present.passwordFailures)
  }
}
