import MFABase
import MFACrypto
import MFAModel
@testable import MFAStore

/// The values that the samples of the targets consist of.
enum Samples {
  /// Returns a fixed sealing key.
  static func key() throws(SystemError) -> SealingKey {
    try SealingKey(master: [UInt8](0..<32).span)
  }

  static func identifier(_ byte: UInt8) throws(Violation) -> FactorID {
    try requireValue(
      FactorID(bytes: [UInt8](repeating: byte, count: FactorID.length)), "an identifier")
  }

  static func displayName(_ text: [UInt8]) throws(Violation) -> DisplayName {
    try requireValue(DisplayName(text), "a name")
  }

  static func record(user: [UInt8] = Array("alice".utf8)) throws(Violation) -> FactorRecord {
    FactorRecord(
      user: try requireValue(UserName(user), "a user name"), uid: 1000, id: try identifier(0xEE))
  }

  static func factor(_ number: UInt8) throws -> Factor {
    Factor(
      id: try identifier(number),
      displayName: try displayName(Array("phone \(number)".utf8)),
      enrolledAt: 1_700_000_000, kind: .totp(.standard, sealedSecret: [1, 2, 3]))
  }

  /// Returns a factor with the longest encoding.
  static func longestFactor(_ number: UInt8) throws -> Factor {
    let name = Array((String(repeating: "\u{1F511}", count: 62) + "\(number)").utf8)
    let parameters = try requireValue(
      TOTPParameters(algorithm: .sha512, codeLength: .eight, period: 120), "parameters")
    return Factor(
      id: try identifier(number), displayName: try displayName(name), enrolledAt: .min,
      kind: .totp(
        parameters, sealedSecret: [UInt8](repeating: 0xFF, count: Factor.longestSealedSecret)),
      origin: .imported, timeOffset: .min)
  }

  /// Returns a grant with the longest encoding.
  static func longestGrant(_ number: UInt8) throws -> Grant {
    let id = try requireValue(
      GrantID(bytes: [UInt8](repeating: number, count: GrantID.length)), "an identifier")
    return try requireValue(
      Grant(
        kind: number % 2 == 0 ? .ticket : .bypass, id: id, madeAt: .min, expiresAt: .max,
        usesLeft: .max, reason: Grant.Reason([UInt8](repeating: 0x72, count: 128)),
        digest: [UInt8](repeating: number, count: RecoveryCodeDigest.length)),
      "a grant")
  }
}
