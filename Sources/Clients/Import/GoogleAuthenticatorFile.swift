import MFABase
import MFAModel

/// A `~/.google_authenticator` file, in the format of google-authenticator-libpam.
///
/// The first line is the key in base32. Lines that begin with a quotation mark are options. The
/// other lines are recovery codes. The first of them that is not a valid code ends the list.
///
/// MUST 1: a line that cannot be parsed is never skipped silently.
/// (`GoogleAuthenticatorFileTests.refusals`)
/// MUST 2: no time step that the file records as used is accepted afterwards.
/// (`GoogleAuthenticatorFileTests.watermarks`, `UsedFileTests`)
/// MUST 3: a recovery code that did not work with google-authenticator is not imported.
/// (`GoogleAuthenticatorFileTests.recoveryCodes`)
package enum GoogleAuthenticatorFile {
  /// The longest file in bytes.
  package static let maximumLength = 64 * 1024

  /// Parses `text`, the contents of the file.
  package static func parse(_ text: Span<UInt8>) throws(ImportRefusal) -> ImportedFactors {
    let lines = try lines(of: text)
    guard let first = lines.first else { throw ImportRefusal(reason: .empty) }
    let secret = try secret(text, in: first)
    let options = try GoogleAuthenticatorOptions(text, lines: lines)
    let parameters = try options.parameters()
    let codes = recoveryCodes(text, lines: lines)
    let factor = ImportableFactor(
      secret: secret, parameters: parameters, acceptedSteps: options.windowSize / 2,
      timeOffset: options.timeSkew, usedSteps: options.usedSteps ?? [], warnings: options.warnings)
    return ImportedFactors(
      factor: factor,
      recoveryCodes: ImportableRecoveryCodes(
        copying: text, at: Array(codes.places.prefix(ImportableRecoveryCodes.maximumCount))),
      warnings: factor.warnings + codes.warnings)
  }

  /// Returns the lines, each without its line feed and the carriage return that may precede it.
  private static func lines(of text: Span<UInt8>) throws(ImportRefusal) -> [Range<Int>] {
    guard !text.isEmpty else { throw ImportRefusal(reason: .empty) }
    guard text.count <= maximumLength else {
      throw ImportRefusal(reason: .tooLong(limit: maximumLength))
    }
    var lines: [Range<Int>] = []
    for line in Text.lines(of: text) {
      let number = lines.count + 1
      let endsWithReturn = line.last.map { text[$0] == Text.carriageReturn } ?? false
      let line = endsWithReturn ? line.dropLast() : line
      for index in line {
        guard text[index] != 0 else { throw ImportRefusal(line: number, reason: .nulByte) }
        guard text[index] != Text.carriageReturn else {
          throw ImportRefusal(line: number, reason: .carriageReturn)
        }
      }
      lines.append(line)
    }
    return lines
  }

  /// Returns the key: base32 in either case. Spaces, tabs and hyphens are skipped; 0, 1 and 8 are
  /// read as the letters that they look like; there is no padding; leftover bits are dropped.
  private static func secret(
    _ text: Span<UInt8>, in line: Range<Int>
  ) throws(ImportRefusal) -> SecretBytes {
    var digits = 0
    for index in line where !isSkipped(text[index]) { digits += 1 }
    let length = digits * 5 / 8
    guard length > 0 else { throw ImportRefusal(line: 1, reason: .unreadableSecret) }
    var secret = SecretBytes(count: length)
    let isReadable = secret.withMutableSpan { secret in
      var accumulator: UInt32 = 0
      var bits = 0
      var next = 0
      for index in line where !isSkipped(text[index]) {
        guard let value = value(ofDigit: text[index]) else { return false }
        accumulator = (accumulator << 5 | value) & 0xFFF
        bits += 5
        if bits >= 8 {
          bits -= 8
          secret[next] = UInt8(truncatingIfNeeded: accumulator >> UInt32(bits))
          next += 1
        }
      }
      return true
    }
    guard isReadable else { throw ImportRefusal(line: 1, reason: .unreadableSecret) }
    let allowed = ImportableFactor.secretLengths
    guard length >= allowed.lowerBound else {
      throw ImportRefusal(line: 1, reason: .secretTooShort(bytes: length))
    }
    guard length <= allowed.upperBound else {
      throw ImportRefusal(line: 1, reason: .secretTooLong(bytes: length))
    }
    return secret
  }

  private static func isSkipped(_ byte: UInt8) -> Bool {
    Text.isBlank(byte) || byte == UInt8(ascii: "-")
  }

  private static func value(ofDigit byte: UInt8) -> UInt32? {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(byte - UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(byte - UInt8(ascii: "a"))
    case UInt8(ascii: "2")...UInt8(ascii: "7"): UInt32(byte - UInt8(ascii: "2")) + 26
    case UInt8(ascii: "0"): 14
    case UInt8(ascii: "1"): 11
    case UInt8(ascii: "8"): 1
    default: nil
    }
  }

  /// Returns the positions of the recovery codes that still work, and the warnings about recovery
  /// codes.
  private static func recoveryCodes(
    _ text: Span<UInt8>, lines: [Range<Int>]
  ) -> (places: [Int], warnings: [ImportWarning]) {
    var places: [Int] = []
    var oddLine: Int?
    var dead = 0
    for (index, line) in lines.enumerated().dropFirst() {
      guard let first = line.first, text[first] != GoogleAuthenticatorOptions.quotationMark else {
        continue
      }
      let place = placeOfCode(text, in: line)
      if oddLine != nil {
        if place != nil { dead += 1 }
      } else if let place {
        places.append(place)
      } else {
        oddLine = index + 1
      }
    }
    var warnings: [ImportWarning] = []
    let kept = min(places.count, ImportableRecoveryCodes.maximumCount)
    if kept > 0 { warnings.append(.weakRecoveryCodes(count: kept)) }
    if let oddLine { warnings.append(.unreachableRecoveryCodes(line: oddLine, count: dead)) }
    if places.count > kept { warnings.append(.recoveryCodesDropped(count: places.count - kept)) }
    return (places, warnings)
  }

  /// Returns the position of the eight digits, or nil if the line is not a recovery code. A
  /// recovery code is a number from 10000000 to 99999999 as C reads it, with leading blanks, a plus
  /// sign and leading zeros allowed.
  private static func placeOfCode(_ text: Span<UInt8>, in line: Range<Int>) -> Int? {
    var rest = line
    while let first = rest.first, Text.isBlank(text[first]) { rest = rest.dropFirst() }
    if let first = rest.first, text[first] == UInt8(ascii: "+") { rest = rest.dropFirst() }
    while let first = rest.first, text[first] == UInt8(ascii: "0") { rest = rest.dropFirst() }
    guard rest.count == ImportableRecoveryCodes.codeLength, Text.number(text, in: rest) != nil
    else {
      return nil
    }
    return rest.lowerBound
  }
}
