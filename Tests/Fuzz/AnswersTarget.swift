import MFAAttempt
import MFABase
import MFAModel

/// Reads what a user typed: as a code, as a recovery code, and as a password followed by a code.
///
/// The results equal those of a second, simpler implementation of the same rules. Each result has
/// one canonical form, which reads back equal.
enum AnswersTarget {
  static func check(_ input: [UInt8]) throws {
    try checkCode(Code(answer: input.span), input)
    try checkRecoveryCode(RecoveryCode(answer: input.span), input)
    try checkWhole(TypedCodes(whole: input.span), input)
    try checkEnd(TypedCodes(endOf: input.span), input)
    try require(
      (recoveryBytes(RecoveryCode(bytes: SecretBytes(copying: input.span))) == nil)
        == (input.count != RecoveryCode.length),
      "a recovery code accepts a wrong number of bytes")
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  /// The characters that are read as others, in UTF-8.
  private static let replacements: [[UInt8]: UInt8] = {
    var table: [[UInt8]: UInt8] = [:]
    func add(_ scalars: ClosedRange<UInt32>, as character: (UInt32) -> UInt32) {
      for scalar in scalars {
        guard let scalar = Unicode.Scalar(scalar) else { continue }
        table[Array(String(scalar).utf8)] = UInt8(character(scalar.value))
      }
    }
    for spaces in [0xA0...0xA0, 0x2000...0x200B, 0x202F...0x202F, 0x3000...0x3000]
      as [ClosedRange<UInt32>]
    {
      add(spaces) { _ in 0x20 }
    }
    for hyphens in [0x2010...0x2015, 0x2212...0x2212] as [ClosedRange<UInt32>] {
      add(hyphens) { _ in 0x2D }
    }
    // Full-width characters are those of ASCII, 0xFEE0 further.
    for wide in [
      0xFF0B...0xFF0B, 0xFF0D...0xFF0D, 0xFF10...0xFF19, 0xFF21...0xFF3A, 0xFF41...0xFF5A,
    ]
      as [ClosedRange<UInt32>]
    {
      add(wide) { $0 - 0xFEE0 }
    }
    return table
  }()

  /// Returns an answer with these characters replaced.
  private static func inASCII(_ answer: [UInt8]) -> [UInt8] {
    var text: [UInt8] = []
    var rest = answer[...]
    while let first = rest.first {
      let length = [3, 2].first { replacements[Array(rest.prefix($0))] != nil } ?? 1
      text.append(replacements[Array(rest.prefix(length))] ?? first)
      rest = rest.dropFirst(length)
    }
    return text
  }

  /// Returns the digits of a code according to the rules: 6 to 8 digits, with spaces and hyphens anywhere, in
  /// at most 32 bytes.
  private static func digits(of answer: [UInt8]) -> [UInt8]? {
    let digits = inASCII(answer).filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "-") }
    guard answer.count <= 32, (6...8).contains(digits.count), digits.allSatisfy(isDigit) else {
      return nil
    }
    return digits
  }

  /// Returns the bytes of a recovery code: 16 base32 digits in either case, with spaces and hyphens
  /// anywhere, in at most 64 bytes. `0`, `1` and `8` are read as `o`, `l` and `b`.
  private static func recoveryBytes(of answer: [UInt8]) -> [UInt8]? {
    guard answer.count <= 64 else { return nil }
    var number: [UInt8] = []
    for byte in inASCII(answer)
    where byte != UInt8(ascii: " ") && byte != UInt8(ascii: "-") {
      let letters = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)
      var letter = byte
      if (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) { letter |= 0x20 }
      if byte == UInt8(ascii: "0") { letter = UInt8(ascii: "o") }
      if byte == UInt8(ascii: "1") { letter = UInt8(ascii: "l") }
      if byte == UInt8(ascii: "8") { letter = UInt8(ascii: "b") }
      guard let value = letters.firstIndex(of: letter) else { return nil }
      number.append(UInt8(value))
    }
    guard number.count == 16 else { return nil }
    let bits = number.flatMap { value in (0..<5).map { value >> (4 - $0) & 1 } }
    return (0..<10).map { byte in (0..<8).reduce(0) { $0 << 1 | bits[byte * 8 + $1] } }
  }

  private static func checkCode(_ code: Code?, _ answer: [UInt8]) throws {
    let expected = digits(of: answer)
    try require(code.map { bytes($0.written()) } == expected, "a code is read differently")
    guard let code else { return }
    try require(code.value < code.length.modulus, "a code is too large")
    let again = try requireValue(Code(answer: code.written().span), "a code does not read back")
    try require(again.mask(equals: code) == .max, "a code reads back differently")
  }

  /// Returns the bytes of a recovery code, or nil if there is none.
  private static func recoveryBytes(_ code: consuming RecoveryCode?) -> [UInt8]? {
    switch consume code {
    case .some(let code): bytes(code.bytes)
    case .none: nil
    }
  }

  private static func checkRecoveryCode(_ code: consuming RecoveryCode?, _ answer: [UInt8]) throws {
    let expected = recoveryBytes(of: answer)
    guard let code = consume code else {
      try require(expected == nil, "a recovery code is not read")
      return
    }
    try require(bytes(code.bytes) == expected, "a recovery code is read differently")
    let written = code.written()
    try require(written.count == RecoveryCode.writtenLength, "a recovery code has a wrong length")
    let again = [
      recoveryBytes(RecoveryCode(answer: written.span)),
      recoveryBytes(RecoveryCode(written: written.span)),
    ]
    try require(again == [expected, expected], "a recovery code reads back differently")
  }

  private static func checkWhole(_ codes: TypedCodes, _ answer: [UInt8]) throws {
    let expected = digits(of: answer)
    for length in CodeLength.allCases {
      let code = codes.code(of: length).map { bytes($0.written()) }
      try require(
        code == (expected?.count == Int(length.rawValue) ? expected : nil),
        "a whole answer is read differently")
    }
    try require((codes.any == nil) == (expected == nil), "a whole answer has an additional reading")
    try require(
      !codes.hasRecoveryCode || codes.any == nil, "an answer is two kinds of code at once")
  }

  private static func checkEnd(_ codes: TypedCodes, _ answer: [UInt8]) throws {
    for length in CodeLength.allCases {
      let count = Int(length.rawValue)
      let end = Array(answer.suffix(count))
      let expected = end.count == count && end.allSatisfy(isDigit) ? end : nil
      try require(
        codes.code(of: length).map { bytes($0.written()) } == expected,
        "the end of an answer is read differently")
    }
    let end = Array(answer.suffix(RecoveryCode.writtenLength))
    let hyphens = end.indices.filter { end[$0] == UInt8(ascii: "-") }
    let isWritten =
      end.count == RecoveryCode.writtenLength && hyphens == [4, 9, 14]
      && !end.contains(UInt8(ascii: " "))
    try require(
      codes.withRecoveryCode { bytes($0.bytes) } == (isWritten ? recoveryBytes(of: end) : nil),
      "a recovery code at the end of an answer is read differently")
  }
}
