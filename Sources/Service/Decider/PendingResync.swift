import MFAAttempt
import MFAModel

/// The first code of a resynchronisation, kept until the second code arrives.
struct PendingResync {
  /// The factor to resynchronise.
  let factor: FactorID
  /// The code.
  let first: TypedCodes
  /// When the code arrived, in seconds since the host was started.
  let arrival: Int64
  /// The failures and notices that were pending before the code was counted as an attempt.
  let unreported: AttemptState.Unreported
}
