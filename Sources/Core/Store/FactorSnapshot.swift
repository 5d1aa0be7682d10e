import MFAModel

/// The data stored for a user at one moment.
package struct FactorSnapshot: Equatable, Sendable {
  /// The record.
  package let record: FactorRecord

  /// The attempt state that belongs to the record.
  package let attempts: AttemptState

  /// Creates a snapshot.
  package init(record: FactorRecord, attempts: AttemptState) {
    self.record = record
    self.attempts = attempts
  }
}
