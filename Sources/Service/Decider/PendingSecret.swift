import MFAAttempt
import MFACrypto
import MFAStore
import MFAModel
import MFABase
import MFAWire

/// A secret that was sent to the client but that no code has confirmed yet.
final class PendingSecret {
  private let draft: EnrollmentDraft

  /// The number of wrong codes after which the secret can no longer be enrolled.
  private static var maximumWrongCodes: Int { 10 }

  /// Creates a secret.
  init(_ parameters: TOTPParameters) throws(HelperFailure) {
    do throws(CryptographyError) {
      draft = try EnrollmentDraft(parameters)
    } catch {
      throw .internalError
    }
  }

  /// Returns the secret in the form that is shown to the user, once.
  func shown(secondsLeft: UInt32) -> GeneratedSecret {
    GeneratedSecret(
      key: draft.withSecret { SecretBytes(copying: $0) }, parameters: draft.parameters,
      secondsLeft: secondsLeft)
  }

  /// Whether too many wrong codes were given.
  var isExhausted: Bool { draft.wrongCodes >= Self.maximumWrongCodes }

  /// Returns the time step whose code was typed. It becomes the new factor's first watermark.
  func confirm(
    _ typed: borrowing SecretBytes, _ settings: Settings, now: Int64
  ) throws(HelperFailure) -> Int64 {
    do throws(EnrollmentDraft.Refusal) {
      return try draft.confirm(typed, adjacentIntervals: settings.adjacentIntervals, now: now)
    } catch {
      throw HelperFailure(error)
    }
  }

  /// Returns the factor with its secret sealed for `record`.
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
  init(_ refusal: EnrollmentDraft.Refusal) {
    self =
      switch refusal {
      case .notACode: .notACode
      case .wrongCode: .invalidVerificationCode
      case .cryptography: .internalError
      case .store: .storeUnavailable
      }
  }
}
