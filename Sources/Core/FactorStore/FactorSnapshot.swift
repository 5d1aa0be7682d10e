public import MFAFactors

/// The data stored for a user at one moment.
public struct FactorSnapshot: Equatable, Sendable {
  /// The record.
  public let record: FactorRecord

  /// The attempt state that belongs to the record.
  public let attempts: AttemptState

  /// Creates a snapshot.
  public init(record: FactorRecord, attempts: AttemptState) {
    self.record = record
    self.attempts = attempts
  }
}
