import MFACrypto
import MFAFactorStore
import MFAFactors
import MFAOneTimePassword
import MFAPolicy
import MFASecrets
import MFAStoreFiles
import MFAVerification

// The hint that a clock is wrong.
//
// An attempt stores a keyed digest of the code that was typed, in the write that counts the attempt.
// A later accepted code of a factor is the first moment at which the user may learn that the earlier
// code was a code of this factor at another time: a guesser learns nothing.
extension Attempt {
  /// Returns the state with a digest of the code that was typed. An input that is no code of a factor
  /// leaves the state as it is.
  static func noting<Entry: FactorStoreEntry>(
    _ codes: TypedCodes?, in state: AttemptState, _ entry: Entry, at now: Int64
  ) throws(FactorStoreError) -> AttemptState {
    guard let record = entry.kept, let code = codes?.first(for: record.factors) else {
      return state
    }
    let digest = try entry.digest(ofTyped: code, in: record)
    return state.noting(FailedCode(digest: digest, time: now))
  }
}

extension TypedCodes {
  /// Returns the code to compare with the first factor whose codes have its length, or else any.
  fileprivate func first(for factors: [Factor]) -> Code? {
    for factor in factors {
      if let code = code(of: factor.codeLength) { return code }
    }
    return any
  }
}

extension CountedAttempt {
  /// Returns whether the code typed before this attempt was a code of `factor`, but outside the time
  /// steps that were accepted then. Every time step is computed and compared.
  func clockMayBeWrong(_ id: FactorID) throws(FactorStoreError) -> Bool {
    guard context.showsClockHint, let failed = before.failedCode, let factor = record.factor(id),
      let parameters = factor.parameters
    else { return false }
    let time = factor.clock(at: failed.time)
    let accepted = context.settings.adjacentIntervals
    let further = Resynchronization.steps(period: parameters.period)
    let reach = UInt8(clamping: Int64(accepted) &+ further)
    guard let window = parameters.window(at: time, adjacentIntervals: accepted),
      let range = parameters.window(at: time, adjacentIntervals: reach)
    else { return false }
    let secret = try entry.secret(of: factor)
    let codes = try cryptographic { () throws(CryptographyError) in
      try Self.codes(range, of: secret.span, parameters)
    }
    var isFound = false
    var step = range.lowerBound
    for code in codes {
      let digest = try entry.digest(ofTyped: code, in: record)
      if digest == failed.digest, !window.contains(step) { isFound = true }
      step &+= 1
    }
    return isFound
  }

  /// Returns the code of each time step.
  private static func codes(
    _ steps: ClosedRange<Int64>, of secret: Span<UInt8>, _ parameters: TOTPParameters
  ) throws(CryptographyError) -> [Code] {
    var hotp = try HOTP(secret: secret, algorithm: parameters.algorithm)
    var codes: [Code] = []
    var step = steps.lowerBound
    while step <= steps.upperBound {
      codes.append(try hotp.code(at: UInt64(bitPattern: step), digits: parameters.codeLength))
      step &+= 1
    }
    return codes
  }
}
