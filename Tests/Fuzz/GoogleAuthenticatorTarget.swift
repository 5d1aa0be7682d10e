import MFABase
import MFAModel
import MFAImport

/// Imports the file of google-authenticator.
///
/// Imported factors are within the limits of a factor, and read back equal from a file that is
/// written from them. Warnings and refusals are printable and quote nothing: they are the same for
/// another secret of the same length.
enum GoogleAuthenticatorTarget {
  static func check(_ input: [UInt8]) throws {
    let imported: ImportedFactors
    do throws(ImportRefusal) { imported = try GoogleAuthenticatorFile.parse(input.span) } catch {
      return try ImportChecks.check(error, in: input)
    }
    try ImportChecks.check(imported.factor)
    let codes = imported.recoveryCodes
    try require(
      codes.count <= ImportableRecoveryCodes.maximumCount
        && codes.digits.count == codes.count * ImportableRecoveryCodes.codeLength,
      "the recovery codes have a wrong length")
    for index in 0..<codes.count {
      let code = bytes(codes.code(at: index))
      try require(
        code.count == 8 && code[0] != UInt8(ascii: "0")
          && code.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) },
        "a recovery code is invalid")
    }
    for warning in imported.warnings {
      try requirePrintableASCII(Array(warning.text.utf8), "a warning")
    }
    let again = try GoogleAuthenticatorFile.parse(written(imported).span)
    try require(
      bytes(again.factor.secret) == bytes(imported.factor.secret)
        && again.factor.parameters == imported.factor.parameters
        && again.factor.timeOffset == imported.factor.timeOffset
        && bytes(again.recoveryCodes.digits) == bytes(codes.digits),
      "an imported factor reads back differently")
  }

  private static func written(_ imported: ImportedFactors) -> [UInt8] {
    let key = imported.factor.secret.withSpan { Base32.encode($0) }
    var text = bytes(key) + Array("\n\" TOTP_AUTH\r\n".utf8)
    text += Array("\" STEP_SIZE \(imported.factor.parameters.period)\n".utf8)
    text += Array("\" TIME_SKEW \(imported.factor.timeOffset)\n\" DISALLOW_REUSE\n".utf8)
    for index in 0..<imported.recoveryCodes.count {
      text += bytes(imported.recoveryCodes.code(at: index)) + [UInt8(ascii: "\n")]
    }
    return text
  }
}

/// The properties of all imported factors.
enum ImportChecks {
  static func check(_ refusal: ImportRefusal, in input: [UInt8]) throws {
    let lines = input.count { $0 == UInt8(ascii: "\n") } + 1
    try require((0...lines).contains(refusal.line), "a refusal names a line that does not exist")
    try requirePrintableASCII(Array(refusal.text.utf8), "a refusal")
  }

  static func check(_ factor: ImportableFactor) throws {
    try require(
      ImportableFactor.secretLengths.contains(factor.secret.count), "a secret has a wrong length")
    try require(
      factor.adjacentIntervals <= ImportableFactor.maximumAdjacentIntervals,
      "the number of intervals is above the limit")
    for warning in factor.warnings {
      try requirePrintableASCII(Array(warning.text.utf8), "a warning")
    }
    for now in [Int64.min, 0, 1_700_000_000, .max] { _ = factor.watermark(at: now) }
  }
}
