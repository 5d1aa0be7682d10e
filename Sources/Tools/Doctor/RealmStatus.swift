import MFAAdmin
import MFARealm

/// The condition of the way from this host to its realm.
package enum RealmStatus: Equatable {
  /// The host belongs to no realm.
  case none
  /// A verifier answered. The time is that of this host, in seconds since the epoch.
  case answers(VerifierInspection, time: Int64)
  /// No verifier could be asked.
  case fails(RealmProblem)
}
