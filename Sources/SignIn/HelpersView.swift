import Factors
import HelperProtocol
import OneTimePassword
import Secrets

/// What the helper tells of its caller's account.
struct HelpersView: Sendable {
  /// What is enrolled, oldest first.
  let factors: [FactorSummary]
  /// How the account stands.
  let status: AccountStatus

  /// One way to read an answer: the helper is shown one code at a time.
  enum Reading {
    case recoveryCode
    case code(CodeLength)

    /// How many bytes at the end of an answer it is.
    var typedLength: Int {
      switch self {
      case .recoveryCode: RecoveryCode.writtenLength
      case .code(let length): Int(length.rawValue)
      }
    }

    /// The code as the helper reads it; nil when the answer has none.
    func written(_ codes: TypedCodes) -> SecretBytes? {
      switch self {
      case .recoveryCode:
        guard let code = codes.recoveryCode else { return nil }
        return code.written()
      case .code(let length):
        guard let code = codes.code(of: length) else { return nil }
        return code.written()
      }
    }
  }

  /// The ways to read an answer that may be right, those with most digits first; where a factor is
  /// `named`, as a code of that factor alone.
  ///
  /// There is more than one only for an answer that begins with a password, of somebody whose factors
  /// have codes of several lengths. Each is then an attempt of its own.
  func readings(_ codes: TypedCodes, factor named: FactorID?) -> [Reading] {
    var readings: [Reading] = []
    // Also where no recovery code is left: it may be a bypass code. The helper counts nothing that
    // cannot be either.
    if named == nil, codes.recoveryCode != nil { readings.append(.recoveryCode) }
    for length in [CodeLength.eight, .seven, .six] where codes.code(of: length) != nil {
      let isAFactors = factors.contains { factor in
        factor.parameters.codeLength == length && (named == nil || factor.id == named)
      }
      let isImported =
        length == .eight && named == nil && status.importedRecoveryCodesLeft > 0
      if isAFactors || isImported { readings.append(.code(length)) }
    }
    return readings
  }

  /// The factor that a right code belongs to: the one that was chosen, or the only one. Nil where there
  /// are several; the helper's own line in the log names it.
  func factor(chosen: FactorID?) -> FactorID? {
    if let chosen { return chosen }
    return factors.count == 1 ? factors.first?.id : nil
  }

  /// How the account stands, as a sign-in sees it; nil where a code would be looked at.
  var refusal: Outcome? {
    switch status.standing {
    case .open: nil
    case .waiting(let seconds): .throttled(seconds: Int64(seconds))
    case .disabled: .disabled
    }
  }
}
