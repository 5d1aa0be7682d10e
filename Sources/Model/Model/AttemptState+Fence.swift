extension AttemptState {
  /// Returns the state to continue with if commits up to `time` (seconds since the epoch) may have been
  /// lost: no code is accepted whose time step could have been accepted before.
  ///
  /// At `time`, codes of up to `intervals` later time steps were acceptable. Each factor's watermark is
  /// raised to the last of them. A code that was sent to a phone and remembered sign-ins are cleared,
  /// because they may have been used or cleared before.
  package func fenced(
    at time: Int64, intervals: UInt8, for record: FactorRecord
  ) -> AttemptState {
    var next = forgetting().voidingSentCode()
    for factor in record.factors {
      guard let parameters = factor.parameters else { continue }
      let step = parameters.step(at: factor.clock(at: time))
      let (last, overflow) = step.addingReportingOverflow(Int64(intervals))
      next.raiseWatermark(of: factor.id, to: overflow ? .max : last)
    }
    return next
  }

  /// Returns the state that remains when the user's record is removed. It keeps what limits the user's own
  /// changes and the messages to the user's phones.
  package func withoutRecord() -> AttemptState {
    AttemptState(
      record: .zero, ownChanges: ownChanges, sentCodes: voidingSentCode().sentCodes,
      passwordFailures: passwordFailures)
  }
}
