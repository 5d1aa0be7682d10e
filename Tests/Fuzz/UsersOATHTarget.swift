import MFABase
import MFAModel
import MFAImport

/// Imports the file of pam_oath.
///
/// Each token is in an existing line, in order, and within the limits of a factor. A token that is
/// written again without its last code reads back equal. Refusals are printable.
enum UsersOATHTarget {
  static func check(_ input: [UInt8]) throws {
    let entries: [UsersOATHEntry]
    do throws(ImportRefusal) {
      entries = try UsersOATHFile.parse(input.span, window: 3, moments: moments)
    } catch {
      return try ImportChecks.check(error, in: input)
    }
    let lines = input.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    var last = 0
    for entry in entries {
      try require(entry.line > last && entry.line <= lines.count, "an entry has a wrong line")
      last = entry.line
      switch entry.result {
      case .failure(let refusal):
        try ImportChecks.check(refusal, in: input)
        try require(refusal.line == entry.line, "a refusal names a different line")
      case .success(let factor):
        try ImportChecks.check(factor)
        try require(
          factor.secret.count <= UsersOATHFile.maximumSecretLength && entry.number > 0,
          "a token has no number, or its secret is too long")
        let user = try requireValue(entry.user, "a token has no user")
        try checkRoundTrip(of: factor, user: user.bytes)
      }
    }
  }

  /// Returns the UTC time, or in some years no time or two times, as for clock changes.
  private static func moments(_ time: LocalTime) -> [Int64] {
    switch time.year % 3 {
    case 0: [time.secondsSinceEpochAsUTC]
    case 1: [time.secondsSinceEpochAsUTC, time.secondsSinceEpochAsUTC + 3600]
    case _: time.year == 2003 ? [] : [time.secondsSinceEpochAsUTC]
    }
  }

  private static func checkRoundTrip(of factor: ImportableFactor, user: [UInt8]) throws {
    let parameters = factor.parameters
    var line = Array("HOTP/T\(parameters.period)/\(parameters.codeLength.rawValue) ".utf8) + user
    line += Array(" - ".utf8) + Hexadecimal.text(of: bytes(factor.secret), .upper)
    let entries = try UsersOATHFile.parse(line.span, moments: moments)
    let entry = try requireValue(entries.first, "a token cannot be read back")
    let again = try entry.result.get()
    try require(
      entries.count == 1 && entry.user?.bytes == user && again.parameters == parameters
        && bytes(again.secret) == bytes(factor.secret), "a token reads back differently")
  }
}
