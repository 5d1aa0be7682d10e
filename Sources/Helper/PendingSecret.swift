import FactorStore
import Factors
import HelperProtocol
import OneTimePassword
import Policy
import Secrets
import SignIn

/// A secret that was handed out and waits for a code that shows that an authenticator has it.
final class PendingSecret {
  private let secret: SecretBytes
  private let parameters: TOTPParameters
  private var wrongCodes = 0

  /// How often the code may be wrong before the secret is good for nothing.
  private static var mostWrongCodes: Int { 10 }

  /// Makes a new one, as long as the hash function's output.
  init(_ parameters: TOTPParameters) throws(HelperFailure) {
    self.parameters = parameters
    do throws(CryptographyError) {
      secret = try SecretBytes.random(count: parameters.algorithm.outputLength)
    } catch {
      throw .internalError
    }
  }

  /// The secret as it is shown, once.
  func shown(secondsLeft: UInt32) -> GeneratedSecret {
    GeneratedSecret(
      key: secret.withSpan { SecretBytes(copying: $0) }, parameters: parameters,
      secondsLeft: secondsLeft)
  }

  /// Whether there were too many wrong codes.
  var isExhausted: Bool { wrongCodes >= Self.mostWrongCodes }

  /// The step whose code was typed: the new factor's first watermark.
  func confirm(
    _ typed: borrowing SecretBytes, _ settings: Settings, now: Int64
  ) throws(HelperFailure) -> Int64 {
    guard let code = TypedCodes(whole: typed.span).code(of: parameters.codeLength) else {
      throw .notACode
    }
    let step: Int64?
    do throws(CryptographyError) {
      step = try secret.withSpan { secret throws(CryptographyError) in
        try Verification.latestMatch(
          of: code, secret: secret, parameters: parameters, now: now,
          adjacentIntervals: settings.adjacentIntervals)
      }
    } catch {
      throw .internalError
    }
    guard let step else {
      wrongCodes += 1
      throw .invalidVerificationCode
    }
    return step
  }

  /// The factor, its secret sealed for `record`.
  func factor<Entry: FactorStoreEntry>(
    named name: DisplayName, at time: Int64, in record: FactorRecord, sealedBy entry: Entry
  ) throws(HelperFailure) -> Factor {
    let id = try FactorID.random()
    let sealed: [UInt8]
    do throws(FactorStoreError) {
      sealed = try secret.withSpan { secret throws(FactorStoreError) in
        try entry.seal(secret, for: id, parameters: parameters, in: record)
      }
    } catch {
      throw .storeUnavailable
    }
    return Factor(
      id: id, displayName: name, enrolledAt: time, kind: .totp(parameters, sealedSecret: sealed))
  }
}

extension FactorID {
  /// A new one.
  static func random() throws(HelperFailure) -> FactorID {
    do throws(CryptographyError) {
      return try generate()
    } catch {
      throw .internalError
    }
  }
}
