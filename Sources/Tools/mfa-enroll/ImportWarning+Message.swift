import MFAEnrollMessages
import MFAImport

extension ImportWarningMessage {
  /// Creates the message for a warning.
  init(_ warning: ImportWarning) {
    self =
      switch warning {
      case .weakSecret(let bits): .weakKey(bits: bits)
      case .windowNarrowed(let steps):
        .fewerCodesAccepted(
          steps: steps, accepted: Int(ImportableFactor.maximumAdjacentIntervals))
      case .timeSkew(let steps): .clockOffset(steps: Int(steps))
      case .skewMeasurementDropped: .clockMeasurementDropped
      case .gracePeriodDropped: .gracePeriodDropped
      case .rateLimitDropped: .rateLimitDropped
      case .reuseWasAllowed: .reuseWasAllowed
      case .lastCodeNotFound: .lastCodeNotFound
      case .passwordDropped: .passwordDropped
      case .weakRecoveryCodes(let count): .weakRecoveryCodes(count)
      case .unreachableRecoveryCodes(let line, let count):
        .unreachableRecoveryCodes(line: line, count: count)
      case .recoveryCodesDropped(let count): .recoveryCodesDropped(count)
      }
  }
}
