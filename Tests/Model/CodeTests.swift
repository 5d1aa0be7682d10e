import MFAAttempt
import MFABase
import MFAModel
import Testing

@Suite struct CodeTests {
  struct Answer: Sendable {
    let text: [UInt8]
    let code: String?

    init(_ text: String, _ code: String?) {
      self.init(Array(text.utf8), code)
    }

    init(_ text: [UInt8], _ code: String?) {
      self.text = text
      self.code = code
    }
  }

  @Test(arguments: [
    Answer("123456", "123456"),
    Answer("1234567", "1234567"),
    Answer("12345678", "12345678"),
    Answer("000000", "000000"),
    Answer("00000000", "00000000"),
    Answer("99999999", "99999999"),
    Answer("000 123", "000123"),
    Answer(" 1 2 3 4 5 6 ", "123456"),
    Answer("1234 5678", "12345678"),
    Answer(String(repeating: " ", count: 26) + "123456", "123456"),
    // Lengths.
    Answer("", nil),
    Answer("1", nil),
    Answer("12345", nil),
    Answer("123456789", nil),
    Answer("000000000", nil),
    Answer("4294967296123456", nil),
    Answer("      ", nil),
    Answer(String(repeating: " ", count: 27) + "123456", nil),
    Answer(String(repeating: "1", count: 33), nil),
    Answer([UInt8](repeating: UInt8(ascii: "1"), count: 1 << 20), nil),
    Answer([UInt8](repeating: UInt8(ascii: " "), count: 1 << 20), nil),
    // Digits of other scripts, and signs.
    Answer("\u{0661}\u{0662}\u{0663}\u{0664}\u{0665}\u{0666}", nil),
    Answer("\u{0967}\u{0968}\u{0969}\u{096A}\u{096B}\u{096C}", nil),
    Answer("+12345", nil),
    Answer("123.456", nil),
    Answer("123,456", nil),
    Answer("0x1234", nil),
    Answer("1e0000", nil),
    // What keyboards of other languages type, and what is copied from messages and pages.
    Answer("\u{FF11}\u{FF12}\u{FF13}\u{FF14}\u{FF15}\u{FF16}", "123456"),
    Answer("\u{FF11}\u{FF12}\u{FF13}\u{3000}456", "123456"),
    Answer("123-456", "123456"),
    Answer("123\u{2013}456", "123456"),
    Answer("1234\u{2011}5678", "12345678"),
    Answer("123\u{A0}456", "123456"),
    Answer("123\u{202F}456", "123456"),
    Answer("123\u{200B}456", "123456"),
    Answer("123\u{FF0E}456", nil),
    Answer("\u{FF21}12345", nil),
    Answer([0x31, 0x32, 0x33, 0x34, 0x35, 0xEF, 0xBC], nil),
    // Characters adjacent to the digits, control characters, NUL, a password.
    Answer("12345/", nil),
    Answer("12345:", nil),
    Answer("123456\n", nil),
    Answer("123456\r", nil),
    Answer("123\t456", nil),
    Answer("123456\0", nil),
    Answer("\0\0\0\0\0\0", nil),
    Answer("12345\u{8}6", nil),
    Answer("\u{1B}[A123456", nil),
    Answer("123456\u{7F}", nil),
    Answer("\u{8}\n\r\u{7F}INCORRECT", nil),
    Answer("correct horse", nil),
    Answer("password123456", nil),
    Answer([0xFF, 0xFE, 0x31, 0x32, 0x33, 0x34, 0x35, 0x36], nil),
    Answer([0xB1, 0xB2, 0xB3, 0xB4, 0xB5, 0xB6], nil),
  ])
  func reads(_ row: Answer) {
    #expect(Code(answer: row.text.span)?.text == row.code, "\(row)")
  }

  /// Every byte value at every position of a code.
  @Test func nothingButDigitsSpacesAndHyphens() {
    for place in 0...6 {
      for byte in UInt8.min...UInt8.max {
        var answer = Array("123456".utf8)
        answer.insert(byte, at: place)
        let isAccepted = Code(answer: answer.span) != nil
        let isDigit = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        let isIgnored = byte == UInt8(ascii: " ") || byte == UInt8(ascii: "-")
        #expect(isAccepted == (isDigit || isIgnored), "\(byte) at \(place)")
      }
    }
  }

  @Test(arguments: [
    ("123456", "123456", UInt32.max),
    ("123456", "123457", 0),
    ("000123", "000123", .max),
    ("000123", "0000123", 0),
    ("00000000", "000000", 0),
    ("99999999", "99999999", .max),
    ("99999999", "99999998", 0),
  ])
  func theMaskComparesNumberAndLength(left: String, right: String, mask: UInt32) throws {
    let one = try #require(code(left))
    let other = try #require(code(right))
    #expect(one.mask(equals: other) == mask)
    #expect(other.mask(equals: one) == mask)
  }

  private func code(_ text: String) -> Code? { Code(answer: Array(text.utf8).span) }
}

@Suite("Recovery codes")
struct RecoveryCodeTests {
  private func text(_ bytes: borrowing SecretBytes) -> String {
    var characters: [UInt8] = []
    for index in bytes.span.indices { characters.append(bytes.span[index]) }
    return String(decoding: characters, as: UTF8.self)
  }

  /// Returns the written form of what `typed` is read as, or nil if it is not a code.
  private func reading(_ typed: String) -> String? {
    guard let code = RecoveryCode(answer: Array(typed.utf8).span) else { return nil }
    return text(code.written())
  }

  @Test("ten bytes are written as in RFC 4648, in groups of four letters")
  func written() {
    // Sixteen groups of five bits that count from 0 to 15.
    let bytes: [UInt8] = [0x00, 0x44, 0x32, 0x14, 0xC7, 0x42, 0x54, 0xB6, 0x35, 0xCF]
    guard let code = RecoveryCode(bytes: SecretBytes(copying: bytes.span)) else {
      Issue.record("ten bytes were refused")
      return
    }
    #expect(text(code.written()) == "abcd-efgh-ijkl-mnop")
    #expect(text(code.written()).utf8.count == RecoveryCode.writtenLength)
    #expect(text(code.bytes) == String(decoding: bytes, as: UTF8.self))
  }

  @Test("a written code reads back equal")
  func roundTrip() throws {
    var seen: Set<String> = []
    for _ in 0..<64 {
      let written = text(try RecoveryCode.random().written())
      #expect(reading(written) == written)
      seen.insert(written)
    }
    #expect(seen.count == 64)
  }

  /// A code in the full-width characters of Japanese and Chinese keyboards.
  static let fullWidth =
    "\u{FF41}\u{FF42}\u{FF43}\u{FF44}\u{FF0D}\u{FF25}\u{FF26}\u{FF27}\u{FF28}\u{FF0D}"
    + "\u{FF49}\u{FF4A}\u{FF4B}\u{FF4C}\u{FF0D}\u{FF4D}\u{FF4E}\u{FF4F}\u{FF50}"

  @Test(
    "forms that a user may type",
    arguments: [
      (1, "abcd-efgh-ijkl-mnop", "abcd-efgh-ijkl-mnop"),
      (2, "ABCD EFGH IJKL MNOP", "abcd-efgh-ijkl-mnop"),
      (3, "abcdefghijklmnop", "abcd-efgh-ijkl-mnop"),
      (4, " a b c d - e f g h ijkl mnop ", "abcd-efgh-ijkl-mnop"),
      (5, "0bcd-1fgh-8jkl-mnop", "obcd-lfgh-bjkl-mnop"),
      (6, "2345-6777-abcd-efgh", "2345-6777-abcd-efgh"),
      (7, "abcd\u{2013}efgh\u{2014}ijkl\u{2011}mnop", "abcd-efgh-ijkl-mnop"),
      (8, "abcd\u{A0}efgh\u{3000}ijkl\u{202F}mnop", "abcd-efgh-ijkl-mnop"),
      (9, fullWidth, "abcd-efgh-ijkl-mnop"),
    ])
  func typed(row: Int, answer: String, expected: String) {
    #expect(reading(answer) == expected, "row \(row)")
  }

  @Test(
    "invalid recovery codes are refused",
    arguments: [
      (1, ""), (2, "123456"), (3, "12345678"), (4, "abcd-efgh-ijkl-mno"),
      (5, "abcd-efgh-ijkl-mnopq"), (6, "abcd-efgh-ijkl-mno9"), (7, "abcd_efgh_ijkl_mnop"),
      (8, "abcd-efgh-ijkl-mno\u{0}"), (9, "äbcd-efgh-ijkl-mno"), (10, "abcdefghijklmno="),
      (11, String(repeating: "a-", count: 16) + String(repeating: " ", count: 33)),
    ])
  func refused(row: Int, answer: String) {
    #expect(reading(answer) == nil, "row \(row)")
  }

  @Test(
    "only the written form is accepted after a password",
    arguments: [
      (1, "abcd-efgh-ijkl-mnop", true), (2, "ABCD-EFGH-IJKL-MNOP", true),
      (3, "abcd efgh ijkl mnop", false), (4, "xxxabcdefghijklmnop", false),
      (5, "a-bcd-efgh-ijklmnop", false), (6, "abcd-efgh-ijkl-mno ", false),
    ])
  func writtenForm(row: Int, end: String, isOne: Bool) {
    let code = RecoveryCode(written: Array(end.utf8).span)
    #expect((code != nil) == isOne, "row \(row)")
  }
}

@Suite("Remembered codes")
struct RememberedCodesTests {
  private func place(_ number: UInt8, _ kind: SignInOrigin.Kind = .address) -> SignInOriginDigest {
    SignInOriginDigest(kind, UInt64(number) * 0x0101_0101_0101_0101)
  }

  struct Row: Sendable {
    let time: Int64
    let age: Int64
    let now: Int64
    let isFound: Bool
  }

  @Test(
    "a remembered code is valid up to its maximum age, and not if its time is in the future",
    arguments: [
      Row(time: 100, age: 10, now: 100, isFound: true),
      Row(time: 100, age: 10, now: 110, isFound: true),
      Row(time: 100, age: 10, now: 111, isFound: false),
      Row(time: 100, age: 10, now: 99, isFound: false),
      Row(time: .min, age: .max, now: .max, isFound: false),
      Row(time: .max, age: .max, now: .min, isFound: false),
      Row(time: 0, age: 0, now: 0, isFound: true),
    ])
  func age(_ row: Row) {
    var codes = RememberedSignIns()
    codes.add(place(1), at: row.time)
    let found = codes.time(of: place(1), notOlderThan: row.age, at: row.now)
    #expect((found != nil) == row.isFound, "\(row)")
    #expect(codes.time(of: place(2), notOlderThan: row.age, at: row.now) == nil)
    #expect(
      codes.time(of: place(1, .session), notOlderThan: row.age, at: row.now) == nil,
      "a different kind is a different place")
  }

  @Test("the latest code from a place replaces the previous one")
  func latest() {
    var codes = RememberedSignIns()
    codes.add(place(1), at: 100)
    codes.add(place(1), at: 200)
    #expect(codes.entries.map { $0.time } == [200])
  }

  @Test(
    "if a kind has too many places, its oldest one is removed",
    arguments: [SignInOrigin.Kind.address, .session])
  func bounded(_ kind: SignInOrigin.Kind) {
    let other: SignInOrigin.Kind = kind == .address ? .session : .address
    var codes = RememberedSignIns()
    codes.add(place(1, other), at: 1)
    let most = RememberedSignIns.maximumCount(of: kind)
    // The oldest code is not the first one.
    codes.add(place(200, kind), at: 50)
    for number in 1...UInt8(most) { codes.add(place(number, kind), at: 100 - Int64(number)) }
    let kept = codes.entries.filter { $0.place.kind == kind }
    #expect(kept.count == most)
    #expect(kept.allSatisfy { $0.time != 50 || most > 50 })
    #expect(codes.entries.contains { $0.place.kind == other })
  }

  @Test("the largest possible state fits its slot, and reads back equal")
  func fullest() throws {
    var state = AttemptState(
      record: try #require(FactorID(bytes: [UInt8](repeating: 9, count: FactorID.length))),
      unreported: AttemptState.Unreported(
        failures: .max, lastFailure: .max,
        source: Source([UInt8](repeating: 0x61, count: Source.maximumLength)), lastShownNotice: .max
      ))
    for number in 0..<UInt8(FactorRecord.maximumFactors) {
      let id = try #require(FactorID(bytes: [UInt8](repeating: number, count: FactorID.length)))
      state = state.adding(id, confirmedAt: .max)
    }
    for kind in [SignInOrigin.Kind.address, .session] {
      for number in 1...UInt8(RememberedSignIns.maximumCount(of: kind)) {
        state = state.remembering(place(number, kind), at: .max - Int64(number))
      }
    }
    let encoded = state.encoded(sequence: .max)
    #expect(encoded.count == AttemptState.encodedLength)
    #expect(AttemptState.decode(encoded.span)?.state == state)
  }

  @Test(
    "changes that clear remembered codes, and changes that keep them",
    arguments: [
      (1, "clearing", true), (2, "a removed factor", true), (3, "a new record", true),
      (4, "an added factor", false), (5, "unlocking", false), (6, "showing notices", false),
      (7, "a resynchronised clock", false),
    ])
  func forgotten(row: Int, change: String, isForgotten: Bool) throws {
    let record = try #require(FactorID(bytes: [UInt8](repeating: 9, count: FactorID.length)))
    let user = try #require(UserName(Array("alice".utf8)))
    let present = FactorRecord(user: user, uid: 1, id: record)
    let state = AttemptState(record: record).remembering(place(1), at: 100)
    let next =
      switch row {
      case 1: state.forgetting()
      case 2: state.keeping(present)
      case 3: state.beginning(present)
      case 4: state.adding(record, confirmedAt: 1)
      case 5: state.unlocked()
      case 6: state.told(upTo: 7)
      default: state.resynchronized(record, at: 7)
      }
    #expect(next.remembered.entries.isEmpty == isForgotten, "row \(row): \(change)")
  }

  @Test("every byte of the remembered codes is significant, and an invalid count is refused")
  func damaged() throws {
    let record = try #require(FactorID(bytes: [UInt8](repeating: 9, count: FactorID.length)))
    let plain = AttemptState(record: record)
    let state = plain.remembering(place(1), at: 100).remembering(place(2), at: 200)
    let encoded = state.encoded(sequence: 1)
    let empty = plain.encoded(sequence: 1)
    let count = try #require(encoded.indices.first { encoded[$0] != empty[$0] })
    #expect(encoded[count] == 2)
    for value: UInt8 in [3, 10, 255] {
      var changed = encoded
      changed[count] = value
      #expect(AttemptState.decode(changed.span) == nil, "a count of \(value)")
    }
    var changed = encoded
    changed[count + 1] = 3
    #expect(AttemptState.decode(changed.span) == nil, "an unknown kind")
    // The same place appears twice.
    changed = encoded
    for index in 0..<SignInOriginDigest.length {
      changed[count + 19 + index] = changed[count + 2 + index]
    }
    #expect(AttemptState.decode(changed.span) == nil, "a repeated place")
  }
}
