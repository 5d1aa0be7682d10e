import MFAModel
import MFAImport
import Testing

@Suite struct GoogleAuthenticatorFileTests {
  /// "12345678901234567890" in base32, the key of RFC 6238.
  static let key = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
  static let keyBytes = Array("12345678901234567890".utf8)

  /// The bytes of OLBOLBOLBOLBOLBO in base32.
  static let confused: [UInt8] = [
    0x72, 0xC2, 0xE5, 0x85, 0xCB, 0x0B, 0x96, 0x17, 0x2C, 0x2E,
  ]

  /// Returns a file with a key, the options of a time-based factor, and the lines of a row.
  static func file(_ lines: String...) -> String {
    ([key, "\" TOTP_AUTH", "\" DISALLOW_REUSE"] + lines).map { $0 + "\n" }.joined()
  }

  static func parse(_ text: String) throws(ImportRefusal) -> ImportedFactors {
    try GoogleAuthenticatorFile.parse(Array(text.utf8).span)
  }

  // MARK: Keys

  struct Key: Sendable, CustomTestStringConvertible {
    let number: Int
    let line: String
    let bytes: [UInt8]?
    let refusal: ImportRefusal.Reason?
    var testDescription: String { "row \(number)" }

    init(_ number: Int, _ line: String, _ bytes: [UInt8]) {
      (self.number, self.line, self.bytes, refusal) = (number, line, bytes, nil)
    }

    init(_ number: Int, _ line: String, _ refusal: ImportRefusal.Reason) {
      (self.number, self.line, bytes, self.refusal) = (number, line, nil, refusal)
    }
  }

  @Test(arguments: [
    Key(1, key, keyBytes),
    Key(2, key.lowercased(), keyBytes),
    Key(3, "GEZD GNBV\tGY3T-QOJQ-GEZDGNBVGY3TQOJQ  ", keyBytes),
    Key(4, "-" + key, keyBytes),
    // 0, 1 and 8 are read as O, L and B.
    Key(5, "0180180180180180", confused),
    Key(6, "OLBOLBOLBOLBOLBO", confused),
    // Left-over bits are dropped, whatever their value: 17 digits are 85 bits.
    Key(7, String(repeating: "7", count: 17), [UInt8](repeating: 0xFF, count: 10)),
    Key(8, String(repeating: "7", count: 26), [UInt8](repeating: 0xFF, count: 16)),
    Key(9, String(repeating: "A", count: 16), [UInt8](repeating: 0, count: 10)),
    Key(10, String(repeating: "A", count: 103), [UInt8](repeating: 0, count: 64)),
    // Too short and too long.
    Key(11, String(repeating: "A", count: 15), .secretTooShort(bytes: 9)),
    Key(12, "GE", .secretTooShort(bytes: 1)),
    Key(13, String(repeating: "A", count: 104), .secretTooLong(bytes: 65)),
    // Invalid base32.
    Key(14, "", .unreadableSecret),
    Key(15, "G", .unreadableSecret),
    Key(16, " - -", .unreadableSecret),
    Key(17, key + "=", .unreadableSecret),
    Key(18, key + "======", .unreadableSecret),
    Key(19, "9" + key, .unreadableSecret),
    Key(20, key + "!", .unreadableSecret),
    Key(21, key + "é", .unreadableSecret),
    Key(22, "\" TOTP_AUTH", .unreadableSecret),
  ])
  func keys(_ row: Key) throws {
    let text = row.line + "\n\" TOTP_AUTH\n"
    if let bytes = row.bytes {
      #expect(try Self.parse(text).factor.key == bytes)
    } else {
      #expect(refusal(of: text) == ImportRefusal(line: 1, reason: try #require(row.refusal)))
    }
  }

  func refusal(of text: String) -> ImportRefusal? {
    do throws(ImportRefusal) {
      _ = try Self.parse(text)
      return nil
    } catch {
      return error
    }
  }

  @Test func weakKeys() throws {
    for (digits, warnings) in [
      (16, [ImportWarning.weakSecret(bits: 80)]), (24, [.weakSecret(bits: 120)]), (26, []),
    ] {
      let text = String(repeating: "A", count: digits) + "\n\" TOTP_AUTH\n\" DISALLOW_REUSE\n"
      #expect(try Self.parse(text).warnings == warnings, "\(digits)")
    }
  }

  // MARK: Options

  struct Options: Sendable, CustomTestStringConvertible {
    let number: Int
    let lines: [String]
    var period: UInt16 = 30
    var adjacentIntervals: UInt8 = 1
    var timeOffset: Int32 = 0
    var warnings: [ImportWarning] = []
    var testDescription: String { "row \(number): \(lines)" }
  }

  @Test(arguments: [
    Options(number: 1, lines: []),
    Options(number: 2, lines: ["\" STEP_SIZE 15"], period: 15),
    Options(number: 3, lines: ["\" STEP_SIZE 60"], period: 60),
    Options(number: 4, lines: ["\" STEP_SIZE \t 45 \t"], period: 45),
    Options(number: 5, lines: ["\" WINDOW_SIZE 1"], adjacentIntervals: 0),
    Options(number: 6, lines: ["\" WINDOW_SIZE 2"], adjacentIntervals: 1),
    Options(number: 7, lines: ["\" WINDOW_SIZE 3"], adjacentIntervals: 1),
    Options(number: 8, lines: ["\" WINDOW_SIZE 6"], adjacentIntervals: 3),
    Options(number: 9, lines: ["\" WINDOW_SIZE 17"], adjacentIntervals: 8),
    Options(number: 10, lines: ["\" WINDOW_SIZE 21"], adjacentIntervals: 10),
    Options(
      number: 11, lines: ["\" WINDOW_SIZE 22"], adjacentIntervals: 10,
      warnings: [.windowNarrowed(steps: 11)]),
    Options(
      number: 12, lines: ["\" WINDOW_SIZE 100"], adjacentIntervals: 10,
      warnings: [.windowNarrowed(steps: 50)]),
    Options(
      number: 13, lines: ["\" TIME_SKEW -960"], timeOffset: -960,
      warnings: [.timeSkew(steps: -960)]),
    Options(number: 14, lines: ["\" TIME_SKEW 3"], timeOffset: 3, warnings: [.timeSkew(steps: 3)]),
    Options(number: 15, lines: ["\" TIME_SKEW +3"], timeOffset: 3, warnings: [.timeSkew(steps: 3)]),
    Options(number: 16, lines: ["\" TIME_SKEW 0"]),
    Options(
      number: 17, lines: ["\" RATE_LIMIT 3 30"],
      warnings: [.rateLimitDropped(attempts: 3, seconds: 30)]),
    Options(
      number: 18, lines: ["\" RATE_LIMIT 100 3600 1700000000 1700000001"],
      warnings: [.rateLimitDropped(attempts: 100, seconds: 3600)]),
    Options(number: 19, lines: ["\" RESETTING_TIME_SKEW"]),
    Options(
      number: 20, lines: ["\" RESETTING_TIME_SKEW 58000000+3 58000001-12 58000002+0"],
      warnings: [.skewMeasurementDropped]),
    Options(
      number: 21, lines: ["\" LAST0 192.0.2.1 1700000000", "\" LAST9 2001:db8::1 1700000000"],
      warnings: [.gracePeriodDropped]),
    Options(number: 22, lines: ["\" HOTP_COUNTER 0"]),
    Options(number: 23, lines: ["", "\" STEP_SIZE 60\r", "\r", ""], period: 60),
    Options(
      number: 24,
      lines: ["\" TIME_SKEW 1", "\" RATE_LIMIT 1 1", "\" LAST1 host 5", "\" WINDOW_SIZE 30"],
      adjacentIntervals: 10, timeOffset: 1,
      warnings: [
        .windowNarrowed(steps: 15), .timeSkew(steps: 1),
        .rateLimitDropped(attempts: 1, seconds: 1), .gracePeriodDropped,
      ]),
  ])
  func options(_ row: Options) throws {
    let text = Self.file() + row.lines.joined(separator: "\n")
    let result = try Self.parse(text)
    #expect(result.factor.parameters.algorithm == .sha1)
    #expect(result.factor.parameters.codeLength == .six)
    #expect(result.factor.parameters.period == row.period)
    #expect(result.factor.adjacentIntervals == row.adjacentIntervals)
    #expect(result.factor.timeOffset == row.timeOffset)
    #expect(result.warnings == row.warnings)
    #expect(result.factor.key == Self.keyBytes)
  }

  struct Refused: Sendable, CustomTestStringConvertible {
    let number: Int
    let text: String
    let line: Int
    let reason: ImportRefusal.Reason
    var testDescription: String { "row \(number)" }

    init(_ number: Int, _ text: String, _ line: Int, _ reason: ImportRefusal.Reason) {
      (self.number, self.text, self.line, self.reason) = (number, text, line, reason)
    }

    /// Creates a row whose fourth line is wrong.
    init(_ number: Int, _ line: String, _ reason: ImportRefusal.Reason) {
      self.init(number, file(line), 4, reason)
    }
  }

  @Test(arguments: [
    Refused(1, "", 0, .empty),
    Refused(2, String(repeating: "\n", count: 64 * 1024 + 1), 0, .tooLong(limit: 64 * 1024)),
    Refused(3, key + "\n\" TOTP_AUTH\n\0", 3, .nulByte),
    Refused(4, key + "\0\n\" TOTP_AUTH\n", 1, .nulByte),
    Refused(5, key + "\r\" TOTP_AUTH\n", 1, .carriageReturn),
    Refused(6, file("\" STEP_SIZE\r30"), 4, .carriageReturn),
    Refused(7, file("\" STEP_SIZE 30\r\r"), 4, .carriageReturn),
    // Counter-based factors, and factors that are neither counter-based nor time-based.
    Refused(8, key + "\n\" HOTP_COUNTER 1\n", 2, .counterBased),
    Refused(9, key + "\n\" HOTP_COUNTER 0\n", 2, .counterBased),
    Refused(10, file("\" HOTP_COUNTER 1"), 4, .counterBased),
    Refused(11, key, 0, .neitherTimeNorCounter),
    Refused(12, key + "\n\" WINDOW_SIZE 3\n12345678\n", 0, .neitherTimeNorCounter),
    // Unknown options.
    Refused(13, "\" FUTURE 1", .unknownOption),
    Refused(14, "\"", .unknownOption),
    Refused(15, "\" ", .unknownOption),
    Refused(16, "\"STEP_SIZE 30", .unknownOption),
    Refused(17, "\"  STEP_SIZE 30", .unknownOption),
    Refused(18, "\" step_size 30", .unknownOption),
    Refused(19, "\" TOTP_AUTHENTICATION", .unknownOption),
    Refused(20, "\" LAST10 host 1", .unknownOption),
    Refused(21, "\" LAST host 1", .unknownOption),
    Refused(22, "\"\tSTEP_SIZE 30", .unknownOption),
    // Repeated options.
    Refused(23, "\" TOTP_AUTH", .repeatedOption(.timeBased, firstLine: 2)),
    Refused(
      24, file("\" STEP_SIZE 30", "", "\" STEP_SIZE 30"), 6,
      .repeatedOption(.stepSize, firstLine: 4)),
    Refused(25, "\" DISALLOW_REUSE 1", .repeatedOption(.disallowReuse, firstLine: 3)),
    // Invalid values.
    Refused(26, key + "\n\" TOTP_AUTH 1\n", 2, .invalidValue(.timeBased)),
    Refused(27, "\" STEP_SIZE", .invalidValue(.stepSize)),
    Refused(28, "\" STEP_SIZE 0", .invalidValue(.stepSize)),
    Refused(29, "\" STEP_SIZE 61", .invalidValue(.stepSize)),
    Refused(30, "\" STEP_SIZE -30", .invalidValue(.stepSize)),
    Refused(31, "\" STEP_SIZE 30s", .invalidValue(.stepSize)),
    Refused(32, "\" STEP_SIZE 30 30", .invalidValue(.stepSize)),
    Refused(33, "\" STEP_SIZE 18446744073709551646", .invalidValue(.stepSize)),
    Refused(34, "\" STEP_SIZE 1", .period(seconds: 1)),
    Refused(35, "\" STEP_SIZE 14", .period(seconds: 14)),
    Refused(36, "\" WINDOW_SIZE", .invalidValue(.windowSize)),
    Refused(37, "\" WINDOW_SIZE 0", .invalidValue(.windowSize)),
    Refused(38, "\" WINDOW_SIZE 101", .invalidValue(.windowSize)),
    Refused(39, "\" WINDOW_SIZE 3x", .invalidValue(.windowSize)),
    // 3 in 64 bits.
    Refused(70, "\" WINDOW_SIZE 18446744073709551619", .invalidValue(.windowSize)),
    Refused(40, "\" HOTP_COUNTER", .invalidValue(.counter)),
    Refused(41, "\" HOTP_COUNTER -1", .invalidValue(.counter)),
    Refused(42, "\" HOTP_COUNTER one", .invalidValue(.counter)),
    Refused(43, key + "\n\" DISALLOW_REUSE 1 x\n\" TOTP_AUTH\n", 2, .invalidValue(.disallowReuse)),
    Refused(44, key + "\n\" DISALLOW_REUSE -1\n\" TOTP_AUTH\n", 2, .invalidValue(.disallowReuse)),
    Refused(
      45, key + "\n\" DISALLOW_REUSE 9223372036854775808\n\" TOTP_AUTH\n", 2,
      .invalidValue(.disallowReuse)),
    Refused(46, "\" RATE_LIMIT", .invalidValue(.rateLimit)),
    Refused(47, "\" RATE_LIMIT 3", .invalidValue(.rateLimit)),
    Refused(48, "\" RATE_LIMIT 0 30", .invalidValue(.rateLimit)),
    Refused(49, "\" RATE_LIMIT 101 30", .invalidValue(.rateLimit)),
    Refused(50, "\" RATE_LIMIT 3 0", .invalidValue(.rateLimit)),
    Refused(51, "\" RATE_LIMIT 3 3601", .invalidValue(.rateLimit)),
    Refused(52, "\" RATE_LIMIT 3 30 ", .invalidValue(.rateLimit)),
    Refused(53, "\" RATE_LIMIT 3 30 x", .invalidValue(.rateLimit)),
    Refused(54, "\" TIME_SKEW", .invalidValue(.timeSkew)),
    Refused(55, "\" TIME_SKEW 1 2", .invalidValue(.timeSkew)),
    Refused(56, "\" TIME_SKEW --1", .invalidValue(.timeSkew)),
    Refused(57, "\" TIME_SKEW -", .invalidValue(.timeSkew)),
    Refused(58, "\" TIME_SKEW 2147483648", .invalidValue(.timeSkew)),
    Refused(59, "\" RESETTING_TIME_SKEW 1", .invalidValue(.resettingTimeSkew)),
    Refused(60, "\" RESETTING_TIME_SKEW +1", .invalidValue(.resettingTimeSkew)),
    Refused(61, "\" RESETTING_TIME_SKEW 1+", .invalidValue(.resettingTimeSkew)),
    Refused(62, "\" RESETTING_TIME_SKEW 1x2", .invalidValue(.resettingTimeSkew)),
    Refused(63, "\" RESETTING_TIME_SKEW 1+1 2+1 3+1 4+1", .invalidValue(.resettingTimeSkew)),
    Refused(64, "\" LAST0", .invalidValue(.last0)),
    Refused(65, "\" LAST1 host", .invalidValue(.last1)),
    Refused(66, "\" LAST2 host 1 2", .invalidValue(.last2)),
    Refused(67, "\" LAST3 host x", .invalidValue(.last3)),
    // An option after the recovery codes is still checked.
    Refused(68, file("odd", "\" FUTURE"), 5, .unknownOption),
    // The first mistake is reported.
    Refused(69, file("\" FUTURE", "\" TOTP_AUTH"), 4, .unknownOption),
  ])
  func refusals(_ row: Refused) {
    #expect(refusal(of: row.text) == ImportRefusal(line: row.line, reason: row.reason))
  }

  @Test func longestFile() throws {
    let start = Self.file()
    let text = start + String(repeating: "\n", count: 64 * 1024 - start.utf8.count)
    #expect(try Self.parse(text).factor.key == Self.keyBytes)
  }

  // MARK: Used codes

  @Test(arguments: [
    // The option, the skew, the step of the watermark. The current time is in step 1000.
    (1, "\" DISALLOW_REUSE", 0, 1000),
    (2, "", 0, 1000),
    (3, "\" DISALLOW_REUSE 998", 0, 998),
    (4, "\" DISALLOW_REUSE 998 1001 999", 0, 1001),
    (5, "\" DISALLOW_REUSE \t 998 \t ", 0, 998),
    (6, "\" DISALLOW_REUSE 5", 0, 5),
    // As far ahead as a code could be used, and further.
    (7, "\" DISALLOW_REUSE 998 1003", 0, 1003),
    (8, "\" DISALLOW_REUSE 998 1004", 0, 998),
    (9, "\" DISALLOW_REUSE 9223372036854775807", 0, 1000),
    // With a clock offset.
    (10, "\" DISALLOW_REUSE", -960, 40),
    (11, "", 7, 1007),
    (12, "\" DISALLOW_REUSE 1010", 7, 1010),
    (13, "\" DISALLOW_REUSE 1011", 7, 1007),
  ])
  func watermarks(number: Int, option: String, skew: Int, watermark: Int64) throws {
    let text = "\(Self.key)\n\" TOTP_AUTH\n\(option)\n\" TIME_SKEW \(skew)\n"
    let result = try Self.parse(text)
    #expect(result.factor.watermark(at: 30_000) == watermark)
    #expect(result.warnings.contains(.reuseWasAllowed) == option.isEmpty)
  }

  @Test func watermarksAtTheEndsOfTime() throws {
    let factor = try Self.parse(Self.file("\" TIME_SKEW 2147483647")).factor
    #expect(factor.watermark(at: .max) > 0)
    #expect(factor.watermark(at: .min) < 0)
  }

  // MARK: Recovery codes

  struct Codes: Sendable, CustomTestStringConvertible {
    let number: Int
    let lines: String
    let codes: [String]
    var warnings: [ImportWarning] = []
    var testDescription: String { "row \(number)" }
  }

  @Test(arguments: [
    Codes(number: 1, lines: "", codes: []),
    Codes(
      number: 2, lines: "10000000\n99999999\n", codes: ["10000000", "99999999"],
      warnings: [.weakRecoveryCodes(count: 2)]),
    Codes(
      number: 3, lines: "12345678", codes: ["12345678"], warnings: [.weakRecoveryCodes(count: 1)]),
    Codes(
      number: 4, lines: "12345678\r\n\r\n\n23456789\r\n", codes: ["12345678", "23456789"],
      warnings: [.weakRecoveryCodes(count: 2)]),
    Codes(
      number: 5, lines: "12345678\n\" WINDOW_SIZE 3\n23456789\n", codes: ["12345678", "23456789"],
      warnings: [.weakRecoveryCodes(count: 2)]),
    // Numbers as the other module reads them.
    Codes(
      number: 6, lines: " \t12345678\n+23456789\n0034567890\n",
      codes: ["12345678", "23456789", "34567890"], warnings: [.weakRecoveryCodes(count: 3)]),
    // No code after an invalid line works.
    Codes(
      number: 7, lines: "12345678\n# mine\n23456789\n34567890\n", codes: ["12345678"],
      warnings: [.weakRecoveryCodes(count: 1), .unreachableRecoveryCodes(line: 5, count: 2)]),
    Codes(
      number: 8, lines: "1234567\n23456789\n", codes: [],
      warnings: [.unreachableRecoveryCodes(line: 4, count: 1)]),
    Codes(
      number: 9, lines: "123456789\n", codes: [],
      warnings: [.unreachableRecoveryCodes(line: 4, count: 0)]),
    Codes(
      number: 10, lines: "01234567\n23456789\n", codes: [],
      warnings: [.unreachableRecoveryCodes(line: 4, count: 1)]),
    Codes(
      number: 11, lines: "12345678 \n23456789\n", codes: [],
      warnings: [.unreachableRecoveryCodes(line: 4, count: 1)]),
    Codes(
      number: 12, lines: " \n23456789\n", codes: [],
      warnings: [.unreachableRecoveryCodes(line: 4, count: 1)]),
    Codes(
      number: 13, lines: "-12345678\n", codes: [],
      warnings: [.unreachableRecoveryCodes(line: 4, count: 0)]),
    // At most as many as an account can have.
    Codes(
      number: 14, lines: (0..<12).map { "\(20_000_000 + $0)\n" }.joined(),
      codes: (0..<10).map { "\(20_000_000 + $0)" },
      warnings: [.weakRecoveryCodes(count: 10), .recoveryCodesDropped(count: 2)]),
  ])
  func recoveryCodes(_ row: Codes) throws {
    let result = try Self.parse(Self.file() + row.lines)
    #expect(result.recoveryCodes.texts == row.codes)
    #expect(result.warnings == row.warnings)
    #expect(bytes(result.recoveryCodes.code(at: -1)).isEmpty)
    #expect(bytes(result.recoveryCodes.code(at: row.codes.count)).isEmpty)
  }

  /// A key of digits only is not read as a recovery code.
  @Test func theKeyIsNoRecoveryCode() throws {
    let text = "22222222222222222222222222\n\" TOTP_AUTH\n"
    #expect(try Self.parse(text).recoveryCodes.count == 0)
  }
}
