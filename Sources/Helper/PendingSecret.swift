import FactorStore
import Factors
import HelperProtocol
import OneTimePassword
import Policy
import Secrets
import SignIn

/// A secret that was handed to the client and waits for its code.
final class PendingSecret {
  private let draft: EnrollmentDraft

  /// How often the code may be wrong before the secret is good for nothing.
  private static var mostWrongCodes: Int { 10 }

  /// Makes a new one.
  init(_ parameters: TOTPParameters) throws(HelperFailure) {
    do throws(CryptographyError) {
      draft = try EnrollmentDraft(parameters)
    } catch {
      throw .internalError
    }
  }

  /// The secret as it is shown, once.
  func shown(secondsLeft: UInt32) -> GeneratedSecret {
    GeneratedSecret(
      key: draft.withSecret { SecretBytes(copying: $0) }, parameters: draft.parameters,
      secondsLeft: secondsLeft)
  }

  /// Whether there were too many wrong codes.
  var isExhausted: Bool { draft.wrongCodes >= Self.mostWrongCodes }

  /// The step whose code was typed: the new factor's first watermark.
  func confirm(
    _ typed: borrowing SecretBytes, _ settings: Settings, now: Int64
  ) throws(HelperFailure) -> Int64 {
    do throws(EnrollmentDraft.Refusal) {
      return try draft.confirm(typed, adjacentIntervals: settings.adjacentIntervals, now: now)
    } catch {
      throw HelperFailure(error)
    }
  }

  /// The factor, its secret sealed for `record`.
  func factor<Entry: FactorStoreEntry>(
    named name: DisplayName, at time: Int64, in record: FactorRecord, sealedBy entry: Entry
  ) throws(HelperFailure) -> Factor {
    do throws(EnrollmentDraft.Refusal) {
      return try draft.factor(named: name, at: time, in: record, sealedBy: entry)
    } catch {
      throw HelperFailure(error)
    }
  }
}

extension HelperFailure {
  fileprivate init(_ refusal: EnrollmentDraft.Refusal) {
    self =
      switch refusal {
      case .notACode: .notACode
      case .wrongCode: .invalidVerificationCode
      case .cryptography: .internalError
      case .store: .storeUnavailable
      }
  }
}
