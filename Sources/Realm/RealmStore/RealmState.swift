/// The state of a realm.
package struct RealmState: Equatable, Sendable {
  /// A number that rises whenever the database may have lost commits.
  package var epoch: UInt64
  /// The incarnation of the database in which this epoch began.
  package var incarnation: [UInt8]
  /// The time at which this epoch began, in seconds since the epoch of Unix.
  package var fence: Int64
  /// The number of time steps after `fence` in which codes may have been accepted before.
  package var fenceIntervals: UInt8
  /// The fingerprint of the configuration last recorded in the audit log; 0 before the first one.
  package var configuration: UInt64
  /// The format in which rows are written. Programs refuse a realm of another format.
  package var format: UInt16

  /// The format that this program writes.
  package static var currentFormat: UInt16 { 1 }

  /// Creates a state.
  package init(
    epoch: UInt64, incarnation: [UInt8], fence: Int64, fenceIntervals: UInt8,
    configuration: UInt64, format: UInt16 = currentFormat
  ) {
    self.epoch = epoch
    self.incarnation = incarnation
    self.fence = fence
    self.fenceIntervals = fenceIntervals
    self.configuration = configuration
    self.format = format
  }
}
