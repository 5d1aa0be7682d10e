import MFAAttempt
import MFAStore
import MFAModel
import MFAWire

/// The source of a user's factors during a sign-in, which also verifies their codes.
enum FactorBackend<Store: FactorStore> {
  /// The store, which this process may open. An accepted code is remembered for the given address
  /// and session.
  case store(Store, FactorRecord, [SignInOrigin])
  /// The helper, if this process may not open the store.
  case helper(HelperAccountStatus)

  /// The factors as listed in the prompt.
  var list: FactorList {
    switch self {
    case .store(_, let record, _):
      FactorList(
        record.factors.map { FactorList.Hint(id: $0.id, displayName: $0.displayName) })
    case .helper(let view):
      FactorList(view.factors.map { FactorList.Hint(id: $0.id, displayName: $0.displayName) })
    }
  }

  /// Returns whether the input may be an acceptable code. If a factor is `named`, only its codes
  /// are acceptable.
  func mayBeCode(_ codes: TypedCodes, factor named: FactorID?) -> Bool {
    switch self {
    case .store(_, let record, _): Attempt.mayBeCode(codes, of: record, factor: named)
    case .helper(let view): !view.readings(codes, factor: named).isEmpty
    }
  }
}
