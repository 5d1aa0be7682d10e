public import Factors

/// What the store held for a user at one moment.
public struct FactorSnapshot: Equatable, Sendable {
  /// The record, with at least one factor.
  public let record: FactorRecord

  /// The attempt state that goes with it.
  public let attempts: AttemptState

  /// Puts a snapshot together.
  public init(record: FactorRecord, attempts: AttemptState) {
    self.record = record
    self.attempts = attempts
  }
}
