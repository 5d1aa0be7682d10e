import MFAStore
import MFAModel
import MFABase

/// Proofs of the account's own password, which are counted apart from codes, so that a program of the
/// user cannot delay the user's sign-ins.
///
/// MUST 1: a proof is counted on the disk before the password is tried, also for a user without a record.
/// (`PasswordAttemptTests.countedFirst`)
/// MUST 2: no password is tried during a wait. (`PasswordAttemptTests.waits`)
package enum PasswordAttempt {
  /// How a counted proof ended.
  package enum Ending: Sendable {
    /// The password was right: no failure is left.
    case proven
    /// No password was verified: the proof is no failure.
    case withdrawn
  }

  /// Counts a proof. Returns 0 if the password may be tried, or the seconds until one may.
  package static func count<Store: FactorStore>(
    by account: Account, in store: Store, _ context: Attempt.Context
  ) throws(FactorStoreError) -> Int64 {
    try store.deciding { () throws(FactorStoreError) in
      let entry = try store.entry(of: account, creating: true)
      try context.start()
      switch entry.attempts.beginPasswordProof(context.settings.throttle, now: context.now) {
      case .refused(let seconds): return seconds
      case .counted(let state):
        try entry.write(state)
        try entry.sync()
        return 0
      }
    }
  }

  /// Records how a counted proof ended.
  package static func end<Store: FactorStore>(
    _ ending: Ending, by account: Account, in store: Store
  ) throws(FactorStoreError) {
    try store.deciding { () throws(FactorStoreError) in
      let entry = try store.entry(of: account, creating: true)
      let state =
        switch ending {
        case .proven: entry.attempts.provingPassword()
        case .withdrawn: entry.attempts.withdrawingPasswordProof()
        }
      guard state != entry.attempts else { return }
      try entry.write(state)
      try entry.sync()
    }
  }
}
