import MFACrypto
import MFAStore
import MFAModel
import MFABase
import MFAWire

/// A new secret that no code has confirmed yet. Every factor that is created on this host begins as
/// a draft, both during a sign-in and with `mfa-enroll`.
package struct EnrollmentDraft {
  private var secret: PrivateText

  /// The parameters of the codes.
  package private(set) var parameters: TOTPParameters

  /// The number of wrong codes so far.
  package private(set) var wrongCodes: UInt8 = 0

  /// Why a code was not accepted, or a factor could not be created.
  package enum Refusal: Error, Sendable {
    /// The input cannot be a code of this length.
    case notACode
    case wrongCode
    case cryptography
    case store(FactorStoreError)
  }

  /// Creates a secret as long as the hash function's output.
  package init(_ parameters: TOTPParameters) throws(CryptographyError) {
    self.init(
      parameters,
      PrivateText(try SecretBytes.random(count: parameters.algorithm.outputLength)))
  }

  /// Takes up a secret that was created before.
  package init(_ parameters: TOTPParameters, _ secret: PrivateText) {
    self.parameters = parameters
    self.secret = secret
  }

  /// Creates a draft whose fields are read next.
  package init() { self.init(.standard, PrivateText(SecretBytes(count: 0))) }

  /// Lists the fields.
  package mutating func fields(_ coder: inout Coder) throws(PacketError) {
    try coder.text(&secret, longest: 64)
    try coder.parameters(&parameters)
    try coder.number(&wrongCodes)
  }

  /// Calls `body` with the secret, which is shown to the user once.
  package func withSecret<Result: ~Copyable>(_ body: (Span<UInt8>) -> Result) -> Result {
    secret.bytes.withSpan { body($0) }
  }

  /// Returns the time step whose code was typed at `now` (seconds since the epoch). It becomes the
  /// new factor's first watermark.
  package mutating func confirm(
    _ typed: borrowing SecretBytes, adjacentIntervals: UInt8, now: Int64
  ) throws(Refusal) -> Int64 {
    guard let code = TypedCodes(whole: typed.span).code(of: parameters.codeLength) else {
      throw .notACode
    }
    let step: Int64?
    do throws(CryptographyError) {
      step = try secret.bytes.withSpan { secret throws(CryptographyError) in
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
  package func factor<Entry: FactorStoreEntry>(
    named name: DisplayName, at time: Int64, in record: FactorRecord, sealedBy entry: Entry
  ) throws(Refusal) -> Factor {
    let id = try FactorID.new()
    let sealed: [UInt8]
    do throws(FactorStoreError) {
      sealed = try secret.bytes.withSpan { secret throws(FactorStoreError) in
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
  package static func new() throws(EnrollmentDraft.Refusal) -> FactorID {
    do throws(CryptographyError) { return try generate() } catch { throw .cryptography }
  }
}
