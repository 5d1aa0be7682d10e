import MFAStore
import MFAModel
import MFAWire
import MFABase

// The test of a code by a user who does not sign in.
extension Attempt {
  /// The result of a test.
  package enum TestResult {
    /// The code was verified as at a sign-in. An accepted code of a factor is used up.
    case attempted(Report)
    /// The code would be accepted at a sign-in. It was not used up.
    case recognized(UnusedCode)
  }

  /// Counts an attempt and verifies its code as `make` does, except that a recovery code or a bypass
  /// code is not used up. The attempt is then withdrawn: it neither adds failures nor clears them.
  package static func test<Store: FactorStore>(
    _ codes: TypedCodes, by account: Account, in store: Store, _ context: Context
  ) throws(FactorStoreError) -> TestResult {
    try store.deciding { () throws(FactorStoreError) in
      switch try count(codes, by: account, in: store, context) {
      case .rejected(let rejected): return .attempted(Report(.rejected(rejected)))
      case .counted(let attempt):
        guard let code = try attempt.recognize(codes) else {
          return .attempted(try attempt.verify(codes))
        }
        return .recognized(code)
      case .unlocking: return .recognized(.recoveryCode)
      }
    }
  }
}

extension CountedAttempt {
  /// Returns the kind of the recovery code or bypass code, and withdraws the attempt. Returns nil,
  /// and changes nothing, if the codes are neither.
  func recognize(_ codes: TypedCodes) throws(FactorStoreError) -> UnusedCode? {
    guard let code = try unusedCode(codes) else { return nil }
    try entry.write(before)
    try entry.sync()
    return code
  }

  private func unusedCode(_ codes: TypedCodes) throws(FactorStoreError) -> UnusedCode? {
    if try Attempt.recoveryCode(codes, of: record, entry) != nil { return .recoveryCode }
    if try Attempt.bypass(codes, of: record, entry, now: context.now) != nil { return .bypassCode }
    return nil
  }
}
