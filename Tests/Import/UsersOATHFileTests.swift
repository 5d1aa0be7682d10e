import MFAModel
import MFAImport
import MFATestSupport
import Testing

@Suite struct UsersOATHFileTests {
  /// "12345678901234567890", the key of RFC 6238.
  static let key = "3132333435363738393031323334353637383930"
  static let keyBytes = Array("12345678901234567890".utf8)

  static func parse(
    _ text: String, window: UInt8 = 5, hoursEast: [Int64] = [0]
  ) throws(ImportRefusal) -> [UsersOATHEntry] {
    try UsersOATHFile.parse(Array(text.utf8).span, window: window) { time in
      hoursEast.map { time.secondsSinceEpochAsUTC - $0 * 3600 }
    }
  }

  static func refusal(of text: String) -> ImportRefusal? {
    do throws(ImportRefusal) {
      _ = try parse(text)
      return nil
    } catch {
      return error
    }
  }

  // MARK: Tokens

  struct Token: Sendable, CustomTestStringConvertible {
    let number: Int
    let line: String
    var period: UInt16 = 30
    var codeLength: CodeLength = .six
    var key = keyBytes
    var warnings: [ImportWarning] = []
    var testDescription: String { "row \(number): \(line)" }
  }

  @Test(arguments: [
    Token(number: 1, line: "HOTP/T30 alice - \(key)"),
    Token(number: 2, line: "HOTP/T30/6 alice + \(key)"),
    Token(number: 3, line: "HOTP/T30/7 alice - \(key)", codeLength: .seven),
    Token(number: 4, line: "HOTP/T30/8 alice - \(key)", codeLength: .eight),
    Token(number: 5, line: "HOTP/T60 alice - \(key)", period: 60),
    Token(number: 6, line: "HOTP/T60/6 alice - \(key)", period: 60),
    Token(number: 7, line: "HOTP/T60/7 alice - \(key)", period: 60, codeLength: .seven),
    Token(number: 8, line: "HOTP/T60/8 alice - \(key)", period: 60, codeLength: .eight),
    Token(number: 9, line: "\t HOTP/T30\talice \t-\r\t\(key)\t \r"),
    Token(
      number: 10, line: "HOTP/T30 alice secret \(key)", warnings: [.passwordDropped]),
    Token(number: 11, line: "HOTP/T30 alice -- \(key)", warnings: [.passwordDropped]),
    Token(number: 12, line: "HOTP/T30 alice - \(key) 0"),
    Token(number: 13, line: "HOTP/T30 alice - \(key) 18446744073709551615"),
    Token(
      number: 14, line: "HOTP/T30 alice - aAbBcCdDeEfF00112233",
      key: [0xAA, 0xBB, 0xCC, 0xDD, 0xEE, 0xFF, 0, 0x11, 0x22, 0x33],
      warnings: [.weakSecret(bits: 80)]),
    Token(
      number: 15, line: "HOTP/T30 alice - \(String(repeating: "ff", count: 16))",
      key: [UInt8](repeating: 255, count: 16)),
    Token(
      number: 16, line: "HOTP/T30 alice - \(String(repeating: "0f", count: 32))",
      key: [UInt8](repeating: 15, count: 32)),
  ])
  func tokens(_ row: Token) throws {
    let entries = try Self.parse("# comment\n\n" + row.line + "\n")
    let entry = try #require(entries.first)
    #expect(entries.count == 1 && entry.line == 3 && entry.number == 1)
    #expect(entry.user?.bytes == Array("alice".utf8))
    let factor = try entry.result.get()
    #expect(factor.key == row.key)
    #expect(factor.parameters.algorithm == .sha1)
    #expect(factor.parameters.period == row.period)
    #expect(factor.parameters.codeLength == row.codeLength)
    #expect(factor.adjacentIntervals == 5)
    #expect(factor.timeOffset == 0)
    #expect(factor.warnings == row.warnings)
    #expect(factor.watermark(at: 60_000) == 60_000 / Int64(row.period))
  }

  // MARK: Refusals

  struct Refused: Sendable, CustomTestStringConvertible {
    let number: Int
    let line: String
    let user: String?
    let reason: ImportRefusal.Reason
    var testDescription: String { "row \(number)" }

    init(_ number: Int, _ line: String, _ reason: ImportRefusal.Reason, user: String? = "alice") {
      (self.number, self.line, self.user, self.reason) = (number, line, user, reason)
    }
  }

  @Test(arguments: [
    Refused(1, "HOTP alice - \(key)", .counterBased),
    Refused(2, "HOTP/E alice - \(key) 5", .counterBased),
    Refused(3, "HOTP/E/6 alice - \(key) 5 123456 2006-12-07T00:00:00L", .counterBased),
    Refused(4, "HOTP/E/7 alice - \(key)", .counterBased),
    Refused(5, "HOTP/E/8 alice - \(key)", .counterBased),
    Refused(6, "HOTP/T45 alice - \(key)", .unknownType, user: nil),
    Refused(7, "HOTP/T30/5 alice - \(key)", .unknownType, user: nil),
    Refused(8, "HOTP/T30/ alice - \(key)", .unknownType, user: nil),
    Refused(9, "hotp/t30 alice - \(key)", .unknownType, user: nil),
    Refused(10, "TOTP alice - \(key)", .unknownType, user: nil),
    Refused(11, "; comment", .unknownType, user: nil),
    Refused(12, "HOTP/T30", .missingField, user: nil),
    Refused(13, "HOTP/T30 alice", .missingField),
    Refused(14, "HOTP/T30 alice -", .missingField),
    Refused(
      15, "HOTP/T30 alice - \(key) 0 123456 2006-12-07T00:00:00L x", .tooManyFields),
    Refused(16, "HOTP/T30 a/b - \(key)", .invalidUser, user: nil),
    Refused(17, "HOTP/T30 alice - 00", .secretTooShort(bytes: 1)),
    Refused(18, "HOTP/T30 alice - \(String(repeating: "0", count: 18))", .secretTooShort(bytes: 9)),
    Refused(19, "HOTP/T30 alice - \(String(repeating: "0", count: 66))", .secretTooLong(bytes: 33)),
    Refused(20, "HOTP/T30 alice - \(key)0", .unreadableSecret),
    Refused(21, "HOTP/T30 alice - \(key)0g", .unreadableSecret),
    Refused(22, "HOTP/T30 alice - 0x\(key)", .unreadableSecret),
    Refused(23, "HOTP/T30 alice - \(key) x", .invalidCounter),
    Refused(24, "HOTP/T30 alice - \(key) -1", .invalidCounter),
    Refused(25, "HOTP/T30 alice - \(key) 0 123456", .invalidLastCode),
    Refused(26, "HOTP/T30 alice - \(key) 0 12345 2006-12-07T00:00:00L", .invalidLastCode),
    Refused(27, "HOTP/T30 alice - \(key) 0 1234567 2006-12-07T00:00:00L", .invalidLastCode),
    Refused(28, "HOTP/T30/8 alice - \(key) 0 123456 2006-12-07T00:00:00L", .invalidLastCode),
    Refused(29, "HOTP/T30 alice - \(key) 0 12345x 2006-12-07T00:00:00L", .invalidLastCode),
    Refused(30, "HOTP/T30 alice - \(key) 0 123456 2006-12-07T00:00:00", .invalidLastTime),
    Refused(31, "HOTP/T30 alice - \(key) 0 123456 2006-12-07T00:00:00Z", .invalidLastTime),
    Refused(32, "HOTP/T30 alice - \(key) 0 123456 2006-02-29T00:00:00L", .invalidLastTime),
    Refused(33, "HOTP/T30 alice - \(key) 0 123456 2006-13-01T00:00:00L", .invalidLastTime),
    Refused(34, "HOTP/T30 alice - \(key) 0 123456 2006-12-00T00:00:00L", .invalidLastTime),
    Refused(35, "HOTP/T30 alice - \(key) 0 123456 2006-12-01T24:00:00L", .invalidLastTime),
    Refused(36, "HOTP/T30 alice - \(key) 0 123456 2006-12-01T00:60:00L", .invalidLastTime),
    Refused(37, "HOTP/T30 alice - \(key) 0 123456 2006-12-01T00:00:61L", .invalidLastTime),
    Refused(38, "HOTP/T30 alice - \(key) 0 123456 1969-12-01T00:00:00L", .invalidLastTime),
    Refused(39, "HOTP/T30 alice - \(key) 0 123456 2006-12-1T00:00:000L", .invalidLastTime),
    Refused(40, "HOTP/T30 alice - \(key) 0 123456 +006-12-01T00:00:00L", .invalidLastTime),
  ])
  func refusals(_ row: Refused) throws {
    // The adjacent lines are not affected.
    let text = "HOTP/T30 bob - \(Self.key)\n\(row.line)\nHOTP/T60 bob - \(Self.key)"
    let entries = try Self.parse(text)
    #expect(entries.map(\.line) == [1, 2, 3])
    #expect(entries.map(\.number) == [1, 0, 2])
    #expect(entries[1].user?.bytes == row.user.map { Array($0.utf8) })
    guard case .failure(let refusal) = entries[1].result else {
      Issue.record("an invalid file was imported")
      return
    }
    #expect(refusal == ImportRefusal(line: 2, reason: row.reason))
    for place in [0, 2] { #expect(try entries[place].result.get().key == Self.keyBytes) }
  }

  @Test func wholeFiles() throws {
    #expect(Self.refusal(of: "") == ImportRefusal(line: 0, reason: .empty))
    #expect(
      Self.refusal(of: "# a\n\(Self.key)\0\n") == ImportRefusal(line: 2, reason: .nulByte))
    #expect(
      Self.refusal(of: String(repeating: "#", count: 16 * 1024 * 1024 + 1))
        == ImportRefusal(line: 0, reason: .tooLong(limit: 16 * 1024 * 1024)))
    #expect(try Self.parse("# only\n#HOTP/T30 alice - \(Self.key)\n \t\r\n").isEmpty)
  }

  /// A local time that was skipped by a clock change.
  @Test func noSuchTime() throws {
    let text = "HOTP/T30 alice - \(Self.key) 0 123456 2006-12-07T00:00:00L"
    let entries = try Self.parse(text, hoursEast: [])
    #expect(throws: ImportRefusal(line: 1, reason: .invalidLastTime)) {
      try entries[0].result.get()
    }
  }

  @Test func numbersEachUsersTokens() throws {
    let names = ["alice", "bob", "alice", "Alice", "bob", "alice"]
    let text = names.map { "HOTP/T30 \($0) - \(Self.key)\n" }.joined()
    #expect(try Self.parse(text).map(\.number) == [1, 1, 2, 1, 2, 3])
  }

  // MARK: Used codes

  struct Used: Sendable, CustomTestStringConvertible {
    let number: Int
    var type = "HOTP/T30"
    /// The distance in steps between the used code and the code of its time.
    var offset: Int
    var window: UInt8 = 5
    /// The hours that local time is ahead of UTC; two values if the clocks were set back.
    var hoursEast: [Int64] = [0]
    /// The distance in steps between the watermark and the code's time.
    var watermark: Int64
    var isFound = true
    var testDescription: String { "row \(number)" }
  }

  /// 2023-11-14T22:13:20Z.
  static let time: Int64 = 1_700_000_000

  @Test(arguments: [
    Used(number: 1, offset: 0, watermark: 0),
    Used(number: 2, offset: -5, watermark: -5),
    Used(number: 3, offset: 5, watermark: 5),
    Used(number: 4, offset: -6, watermark: 5, isFound: false),
    Used(number: 5, offset: 6, watermark: 5, isFound: false),
    Used(number: 6, offset: 20, window: 20, watermark: 20),
    Used(number: 7, offset: 1, window: 0, watermark: 0, isFound: false),
    Used(number: 8, type: "HOTP/T60/8", offset: 2, watermark: 2),
    Used(number: 9, type: "HOTP/T60/7", offset: -9, watermark: 5, isFound: false),
    Used(number: 10, offset: 3, hoursEast: [2], watermark: 3),
    // The hour that occurred twice.
    Used(number: 11, offset: 3, hoursEast: [2, 1], watermark: 3),
    Used(number: 12, offset: 123, hoursEast: [2, 1], watermark: 123),
    Used(number: 13, offset: 200, hoursEast: [2, 1], watermark: 125, isFound: false),
  ])
  func watermarks(_ row: Used) throws {
    let period: Int64 = row.type.hasPrefix("HOTP/T60") ? 60 : 30
    let digits = row.type.split(separator: "/").dropFirst(2).first.flatMap { Int($0) } ?? 6
    let phone = Authenticator(
      key: GoogleAuthenticatorFileTests.key, digits: digits, period: Int(period))
    let step = Self.time / period
    let code = try phone.codes(fromStep: Int(step) + row.offset, count: 1)[0]
    let shown = ["00", "23", "00"][Int(row.hoursEast[0])]
    let date = row.hoursEast[0] == 2 ? "2023-11-15" : "2023-11-14"
    let hour = row.hoursEast[0] == 0 ? "22" : shown
    let text = "\(row.type) alice - \(Self.key) 0 \(code) \(date)T\(hour):13:20L\n"
    let factor = try Self.parse(text, window: row.window, hoursEast: row.hoursEast)[0].result.get()
    // Long afterwards, and immediately.
    for now in [Self.time + 7200, Self.time + 86_400] {
      #expect(factor.watermark(at: now) == step + row.watermark)
    }
    #expect(factor.warnings.contains(.lastCodeNotFound) == !row.isFound)
  }

  // MARK: Times

  @Test(
    arguments: [
      (1, "1970-01-01T00:00:00L", 0), (2, "2000-02-29T12:00:00L", 951_825_600),
      (3, "2024-12-31T23:59:59L", 1_735_689_599), (4, "2100-03-01T00:00:00L", 4_107_542_400),
    ] as [(Int, String, Int64)])
  func localTimes(number: Int, text: String, seconds: Int64) throws {
    var found: [Int64] = []
    let line = "HOTP/T30 alice - \(Self.key) 0 123456 \(text)"
    _ = try UsersOATHFile.parse(Array(line.utf8).span) { time in
      found.append(time.secondsSinceEpochAsUTC)
      return []
    }
    #expect(found == [seconds])
  }
}
