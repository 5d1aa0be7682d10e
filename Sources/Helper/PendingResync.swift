import Factors
import SignIn

/// The first code of a resynchronisation, which waits for the second one.
struct PendingResync {
  /// The factor whose clock is off.
  let factor: FactorID
  /// The code.
  let first: TypedCodes
  /// When the code arrived, in seconds since the machine was started.
  let arrival: Int64
  /// What was pending before the code was counted as an attempt.
  let untold: AttemptState.Untold
}
