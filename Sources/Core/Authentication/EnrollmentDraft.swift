public import MFACrypto
public import MFAFactorStore
public import MFAFactors
public import MFAOneTimePassword
public import MFASecrets
public import MFAStoreFiles
import MFAVerification

/// A new secret that no code has confirmed yet. Every factor that is created on this host begins as
/// a draft, both during a sign-in and with `mfa-enroll`.
public final class EnrollmentDraft {
  private let secret: SecretBytes

  /// The parameters of the codes.
  public let parameters: TOTPParameters

  /// The number of wrong codes so far.
  public private(set) var wrongCodes = 0

  /// Why a code was not accepted, or a factor could not be created.
  public enum Refusal: Error, Sendable {
    /// The input cannot be a code of this length.
    case notACode
    case wrongCode
    case cryptography
    case store(FactorStoreError)
  }

  /// Creates a secret as long as the hash function's output.
  ///
  /// This is a convenience initialiser because it throws: see `HelperProcess`.
  public convenience init(_ parameters: TOTPParameters) throws(CryptographyError) {
    self.init(
      parameters, try SecretBytes.random(count: parameters.algorithm.outputLength))
  }

  private init(_ parameters: TOTPParameters, _ secret: consuming SecretBytes) {
    self.parameters = parameters
    self.secret = secret
  }

  /// Calls `body` with the secret, which is shown to the user once.
  public func withSecret<Result: ~Copyable>(_ body: (Span<UInt8>) -> Result) -> Result {
    secret.withSpan { body($0) }
  }

  /// Returns the time step whose code was typed at `now` (seconds since the epoch). It becomes the
  /// new factor's first watermark.
  public func confirm(
    _ typed: borrowing SecretBytes, adjacentIntervals: UInt8, now: Int64
  ) throws(Refusal) -> Int64 {
    guard let code = TypedCodes(whole: typed.span).code(of: parameters.codeLength) else {
      throw .notACode
    }
    let step: Int64?
    do throws(CryptographyError) {
      step = try secret.withSpan { secret throws(CryptographyError) in
        try Verification.latestMatch(
          of: code, secret: secret, parameters: parameters, now: now,
          adjacentIntervals: adjacentIntervals)
      }
    } catch {
      throw .cryptography
    }
    guard let step else {
      wrongCodes &+= 1
      throw .wrongCode
    }
    return step
  }

  /// Returns the factor with its secret sealed for `record`, enrolled at `time` (seconds since the
  /// epoch).
  public func factor<Entry: FactorStoreEntry>(
    named name: DisplayName, at time: Int64, in record: FactorRecord, sealedBy entry: Entry
  ) throws(Refusal) -> Factor {
    let id = try FactorID.new()
    let sealed: [UInt8]
    do throws(FactorStoreError) {
      sealed = try secret.withSpan { secret throws(FactorStoreError) in
        try entry.seal(secret, for: id, parameters: parameters, in: record)
      }
    } catch {
      throw .store(error)
    }
    return Factor(
      id: id, displayName: name, enrolledAt: time, kind: .totp(parameters, sealedSecret: sealed))
  }
}

extension FactorID {
  /// Returns a new random identifier.
  public static func new() throws(EnrollmentDraft.Refusal) -> FactorID {
    do throws(CryptographyError) { return try generate() } catch { throw .cryptography }
  }
}
