public import FactorStore
public import Factors
public import OneTimePassword
public import Secrets

/// A secret that was handed out and waits for a code that shows that an authenticator has it: the
/// beginning of every factor made here, in a sign-in as by `mfa-enroll`.
public final class EnrollmentDraft {
  private let secret: SecretBytes

  /// How the codes are made.
  public let parameters: TOTPParameters

  /// How many codes were wrong.
  public private(set) var wrongCodes = 0

  /// Why an answer confirms nothing, or no factor can be made.
  public enum Refusal: Error, Sendable {
    /// It cannot be a code of this length.
    case notACode
    case wrongCode
    case cryptography
    case store(FactorStoreError)
  }

  /// Makes a new secret, as long as the hash function's output.
  ///
  /// Throws before there is an object: see `HelperProcess`.
  public convenience init(_ parameters: TOTPParameters) throws(CryptographyError) {
    self.init(
      parameters, try SecretBytes.random(count: parameters.algorithm.outputLength))
  }

  private init(_ parameters: TOTPParameters, _ secret: consuming SecretBytes) {
    self.parameters = parameters
    self.secret = secret
  }

  /// Lends the secret to be shown, once.
  public func withSecret<Result: ~Copyable>(_ body: (Span<UInt8>) -> Result) -> Result {
    secret.withSpan { body($0) }
  }

  /// The step whose code was typed at `now` (seconds since the epoch): the new factor's first
  /// watermark.
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

  /// The factor, its secret sealed for `record`, enrolled at `time` (seconds since the epoch).
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
  /// A new one.
  public static func new() throws(EnrollmentDraft.Refusal) -> FactorID {
    do throws(CryptographyError) { return try generate() } catch { throw .cryptography }
  }
}
