import MFAAttempt
import MFAModel
import MFABase
import MFAWire

/// What the helper reports about its caller's account.
struct HelperAccountStatus: Sendable {
  /// The enrolled factors, oldest first.
  let factors: [FactorSummary]
  /// The status of the account.
  let status: AccountStatus

  /// One interpretation of the input. The helper receives one code at a time.
  enum Reading {
    case recoveryCode
    case code(CodeLength)

    /// The number of bytes at the end of the input that this code takes up.
    var typedLength: Int {
      switch self {
      case .recoveryCode: RecoveryCode.writtenLength
      case .code(let length): Int(length.rawValue)
      }
    }

    /// Returns the code in the form that the helper reads, or nil if the input has no such code.
    func written(_ codes: TypedCodes) -> SecretBytes? {
      switch self {
      case .recoveryCode:
        return codes.withRecoveryCode { $0.written() }
      case .code(let length):
        guard let code = codes.code(of: length) else { return nil }
        return code.written()
      }
    }
  }

  /// Returns the interpretations of the input that may be accepted, longest first. If a factor is
  /// `named`, only codes of that factor are included.
  ///
  /// There is more than one interpretation only if the input begins with a password and the user's
  /// factors have codes of different lengths. Each one is then a separate attempt.
  func readings(_ codes: TypedCodes, factor named: FactorID?) -> [Reading] {
    var readings: [Reading] = []
    // Included even if no recovery code is left, because the input may be a bypass code. The helper
    // does not count an attempt if the input can be neither.
    if named == nil, codes.hasRecoveryCode { readings.append(.recoveryCode) }
    for length in [CodeLength.eight, .seven, .six] where codes.code(of: length) != nil {
      let isAFactors = factors.contains { factor in
        factor.codeLength == length && (named == nil || factor.id == named)
      }
      let isImported =
        length == .eight && named == nil && status.importedRecoveryCodesLeft > 0
      if isAFactors || isImported { readings.append(.code(length)) }
    }
    return readings
  }

  /// Returns the factor that an accepted code belongs to: the chosen one, or the only one. Returns
  /// nil if there are several; the helper's own log line names the factor.
  func factor(chosen: FactorID?) -> FactorID? {
    if let chosen { return chosen }
    return factors.count == 1 ? factors.first?.id : nil
  }

  /// The reason to refuse any attempt now, or nil if a code may be tried.
  var refusal: Attempt.Rejected? {
    switch status.standing {
    case .open: nil
    case .throttled(let seconds): .throttled(seconds: Int64(seconds))
    case .locked: status.recoveryCodeUnlocks ? nil : .locked
    }
  }
}
