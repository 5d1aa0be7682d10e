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

  /// What a typed code is.
  package enum TypedCode: Sendable {
    /// The expected code. A time-based one is that of this time step.
    case right(step: Int64)
    /// The code is wrong. If it is right `secondsAhead` seconds from now (negative: ago), within an hour, the
    /// clock of the app is wrong.
    case wrong(secondsAhead: Int64?)
    /// The input cannot be a code of this length.
    case notACode
  }

  /// Creates a secret as long as the hash function's output.
  package init(_ parameters: TOTPParameters) throws(SystemError) {
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

  /// Compares the code that was typed at `now` (seconds since the epoch), and counts a wrong one. The time
  /// step of the right one becomes the new factor's first watermark.
  package mutating func confirm(
    _ typed: borrowing SecretBytes, adjacentIntervals: UInt8, now: Int64
  ) throws(FactorStoreError) -> TypedCode {
    guard let code = TypedCodes(whole: typed.span).code(of: parameters.codeLength) else {
      return .notACode
    }
    if let step = try step(of: code, adjacentIntervals: adjacentIntervals, now: now) {
      return .right(step: step)
    }
    wrongCodes &+= 1
    // The user knows the key, so this reveals nothing.
    let step = try step(of: code, adjacentIntervals: parameters.stepsInAnHour, now: now)
    return .wrong(
      secondsAhead: step.map { ($0 &- parameters.step(at: now)) &* Int64(parameters.period) })
  }

  /// Returns the latest time step in the window that has this code, or nil.
  private func step(
    of code: Code, adjacentIntervals: UInt8, now: Int64
  ) throws(FactorStoreError) -> Int64? {
    try cryptographic { () throws(SystemError) in
      try secret.bytes.withSpan { secret throws(SystemError) in
        try Verification.latestMatch(
          of: code, secret: secret, parameters: parameters, now: now,
          adjacentIntervals: adjacentIntervals)
      }
    }
  }

  /// Returns the factor with its secret sealed for `record`, enrolled at `time` (seconds since the
  /// epoch).
  package func factor<Entry: FactorStoreEntry>(
    named name: DisplayName, at time: Int64, in record: FactorRecord, sealedBy entry: Entry
  ) throws(FactorStoreError) -> Factor {
    let id = try cryptographic { () throws(SystemError) in try FactorID.generate() }
    let sealed = try secret.bytes.withSpan { secret throws(FactorStoreError) in
      try entry.seal(secret, for: id, parameters: parameters, in: record)
    }
    return Factor(
      id: id, displayName: name, enrolledAt: time, kind: .totp(parameters, sealedSecret: sealed))
  }
}
