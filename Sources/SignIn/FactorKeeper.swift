import FactorStore
import Factors
import HelperProtocol

/// Who keeps the factors of a sign-in, and so judges its codes.
enum FactorKeeper<Store: FactorStore> {
  /// The store, which this process may open, and the places that an accepted code is remembered from.
  case store(Store, FactorRecord, [Place])
  /// The helper, for a process that may not.
  case helper(HelpersView)

  /// The factors as a question lists them.
  var list: FactorList {
    switch self {
    case .store(_, let record, _):
      FactorList(
        record.factors.map { FactorList.Hint(id: $0.id, displayName: $0.displayName) })
    case .helper(let view):
      FactorList(view.factors.map { FactorList.Hint(id: $0.id, displayName: $0.displayName) })
    }
  }

  /// Whether an answer may be a right one; where a factor is `named`, a code of that factor.
  func mayBeCode(_ codes: TypedCodes, factor named: FactorID?) -> Bool {
    switch self {
    case .store(_, let record, _): Attempt.mayBeCode(codes, of: record, factor: named)
    case .helper(let view): !view.readings(codes, factor: named).isEmpty
    }
  }
}
