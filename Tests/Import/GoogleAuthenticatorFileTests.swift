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

  struct Key: Sendable {
    let line: String
    let bytes: [UInt8]?
    let refusal: ImportRefusal.Reason?

    init(_ line: String, _ bytes: [UInt8]) {
      (self.line, self.bytes, refusal) = (line, bytes, nil)
    }

    init(_ line: String, _ refusal: ImportRefusal.Reason) {
      (self.line, bytes, self.refusal) = (line, nil, refusal)
    }
  }

  @Test(arguments: [
    Key(key, keyBytes),
    Key(key.lowercased(), keyBytes),
    Key("GEZD GNBV\tGY3T-QOJQ-GEZDGNBVGY3TQOJQ  ", keyBytes),
    Key("-" + key, keyBytes),
    // 0, 1 and 8 are read as O, L and B.
    Key("0180180180180180", confused),
    Key("OLBOLBOLBOLBOLBO", confused),
    // Left-over bits are dropped, whatever their value: 17 digits are 85 bits.
    Key(String(repeating: "7", count: 17), [UInt8](repeating: 0xFF, count: 10)),
    Key(String(repeating: "7", count: 26), [UInt8](repeating: 0xFF, count: 16)),
    Key(String(repeating: "A", count: 16), [UInt8](repeating: 0, count: 10)),
    Key(String(repeating: "A", count: 103), [UInt8](repeating: 0, count: 64)),
    // Too short and too long.
    Key(String(repeating: "A", count: 15), .secretTooShort(bytes: 9)),
    Key("GE", .secretTooShort(bytes: 1)),
    Key(String(repeating: "A", count: 104), .secretTooLong(bytes: 65)),
    // Invalid base32.
    Key("", .unreadableSecret),
    Key("G", .unreadableSecret),
    Key(" - -", .unreadableSecret),
    Key(key + "=", .unreadableSecret),
    Key(key + "======", .unreadableSecret),
    Key("9" + key, .unreadableSecret),
    Key(key + "!", .unreadableSecret),
    Key(key + "é", .unreadableSecret),
    Key("\" TOTP_AUTH", .unreadableSecret),
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
    let lines: [String]
    var period: UInt16 = 30
    var adjacentIntervals: UInt8 = 1
    var timeOffset: Int32 = 0
    var warnings: [ImportWarning] = []
    var testDescription: String { "\(lines)" }
  }

  @Test(arguments: [
    Options(lines: []),
    Options(lines: ["\" STEP_SIZE 15"], period: 15),
    Options(lines: ["\" STEP_SIZE 60"], period: 60),
    Options(lines: ["\" STEP_SIZE \t 45 \t"], period: 45),
    Options(lines: ["\" WINDOW_SIZE 1"], adjacentIntervals: 0),
    Options(lines: ["\" WINDOW_SIZE 2"], adjacentIntervals: 1),
    Options(lines: ["\" WINDOW_SIZE 3"], adjacentIntervals: 1),
    Options(lines: ["\" WINDOW_SIZE 6"], adjacentIntervals: 3),
    Options(lines: ["\" WINDOW_SIZE 17"], adjacentIntervals: 8),
    Options(lines: ["\" WINDOW_SIZE 21"], adjacentIntervals: 10),
    Options(
      lines: ["\" WINDOW_SIZE 22"], adjacentIntervals: 10,
      warnings: [.windowNarrowed(steps: 11)]),
    Options(
      lines: ["\" WINDOW_SIZE 100"], adjacentIntervals: 10,
      warnings: [.windowNarrowed(steps: 50)]),
    Options(lines: ["\" TIME_SKEW -960"], timeOffset: -960, warnings: [.timeSkew(steps: -960)]),
    Options(lines: ["\" TIME_SKEW 3"], timeOffset: 3, warnings: [.timeSkew(steps: 3)]),
    Options(lines: ["\" TIME_SKEW +3"], timeOffset: 3, warnings: [.timeSkew(steps: 3)]),
    Options(lines: ["\" TIME_SKEW 0"]),
    Options(lines: ["\" RATE_LIMIT 3 30"], warnings: [.rateLimitDropped(attempts: 3, seconds: 30)]),
    Options(
      lines: ["\" RATE_LIMIT 100 3600 1700000000 1700000001"],
      warnings: [.rateLimitDropped(attempts: 100, seconds: 3600)]),
    Options(lines: ["\" RESETTING_TIME_SKEW"]),
    Options(
      lines: ["\" RESETTING_TIME_SKEW 58000000+3 58000001-12 58000002+0"],
      warnings: [.skewMeasurementDropped]),
    Options(
      lines: ["\" LAST0 192.0.2.1 1700000000", "\" LAST9 2001:db8::1 1700000000"],
      warnings: [.gracePeriodDropped]),
    Options(lines: ["\" HOTP_COUNTER 0"]),
    Options(lines: ["", "\" STEP_SIZE 60\r", "\r", ""], period: 60),
    Options(
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

  struct Refused: Sendable {
    let text: String
    let line: Int
    let reason: ImportRefusal.Reason

    init(_ text: String, _ line: Int, _ reason: ImportRefusal.Reason) {
      (self.text, self.line, self.reason) = (text, line, reason)
    }

    /// Creates a row whose fourth line is wrong.
    init(_ line: String, _ reason: ImportRefusal.Reason) {
      self.init(file(line), 4, reason)
    }
  }

  @Test(arguments: [
    Refused("", 0, .empty),
    Refused(String(repeating: "\n", count: 64 * 1024 + 1), 0, .tooLong(limit: 64 * 1024)),
    Refused(key + "\n\" TOTP_AUTH\n\0", 3, .nulByte),
    Refused(key + "\0\n\" TOTP_AUTH\n", 1, .nulByte),
    Refused(key + "\r\" TOTP_AUTH\n", 1, .carriageReturn),
    Refused(file("\" STEP_SIZE\r30"), 4, .carriageReturn),
    Refused(file("\" STEP_SIZE 30\r\r"), 4, .carriageReturn),
    // Counter-based factors, and factors that are neither counter-based nor time-based.
    Refused(key + "\n\" HOTP_COUNTER 1\n", 2, .counterBased),
    Refused(key + "\n\" HOTP_COUNTER 0\n", 2, .counterBased),
    Refused(file("\" HOTP_COUNTER 1"), 4, .counterBased),
    Refused(key, 0, .neitherTimeNorCounter),
    Refused(key + "\n\" WINDOW_SIZE 3\n12345678\n", 0, .neitherTimeNorCounter),
    // Unknown options.
    Refused("\" FUTURE 1", .unknownOption),
    Refused("\"", .unknownOption),
    Refused("\" ", .unknownOption),
    Refused("\"STEP_SIZE 30", .unknownOption),
    Refused("\"  STEP_SIZE 30", .unknownOption),
    Refused("\" step_size 30", .unknownOption),
    Refused("\" TOTP_AUTHENTICATION", .unknownOption),
    Refused("\" LAST10 host 1", .unknownOption),
    Refused("\" LAST host 1", .unknownOption),
    Refused("\"\tSTEP_SIZE 30", .unknownOption),
    // Repeated options.
    Refused("\" TOTP_AUTH", .repeatedOption(.timeBased, firstLine: 2)),
    Refused(
      file("\" STEP_SIZE 30", "", "\" STEP_SIZE 30"), 6,
      .repeatedOption(.stepSize, firstLine: 4)),
    Refused("\" DISALLOW_REUSE 1", .repeatedOption(.disallowReuse, firstLine: 3)),
    // Invalid values.
    Refused(key + "\n\" TOTP_AUTH 1\n", 2, .invalidValue(.timeBased)),
    Refused("\" STEP_SIZE", .invalidValue(.stepSize)),
    Refused("\" STEP_SIZE 0", .invalidValue(.stepSize)),
    Refused("\" STEP_SIZE 61", .invalidValue(.stepSize)),
    Refused("\" STEP_SIZE -30", .invalidValue(.stepSize)),
    Refused("\" STEP_SIZE 30s", .invalidValue(.stepSize)),
    Refused("\" STEP_SIZE 30 30", .invalidValue(.stepSize)),
    Refused("\" STEP_SIZE 18446744073709551646", .invalidValue(.stepSize)),
    Refused("\" STEP_SIZE 1", .period(seconds: 1)),
    Refused("\" STEP_SIZE 14", .period(seconds: 14)),
    Refused("\" WINDOW_SIZE", .invalidValue(.windowSize)),
    Refused("\" WINDOW_SIZE 0", .invalidValue(.windowSize)),
    Refused("\" WINDOW_SIZE 101", .invalidValue(.windowSize)),
    Refused("\" WINDOW_SIZE 3x", .invalidValue(.windowSize)),
    // 3 in 64 bits.
    Refused("\" WINDOW_SIZE 18446744073709551619", .invalidValue(.windowSize)),
    Refused("\" HOTP_COUNTER", .invalidValue(.counter)),
    Refused("\" HOTP_COUNTER -1", .invalidValue(.counter)),
    Refused("\" HOTP_COUNTER one", .invalidValue(.counter)),
    Refused(key + "\n\" DISALLOW_REUSE 1 x\n\" TOTP_AUTH\n", 2, .invalidValue(.disallowReuse)),
    Refused(key + "\n\" DISALLOW_REUSE -1\n\" TOTP_AUTH\n", 2, .invalidValue(.disallowReuse)),
    Refused(
      key + "\n\" DISALLOW_REUSE 9223372036854775808\n\" TOTP_AUTH\n", 2,
      .invalidValue(.disallowReuse)),
    Refused("\" RATE_LIMIT", .invalidValue(.rateLimit)),
    Refused("\" RATE_LIMIT 3", .invalidValue(.rateLimit)),
    Refused("\" RATE_LIMIT 0 30", .invalidValue(.rateLimit)),
    Refused("\" RATE_LIMIT 101 30", .invalidValue(.rateLimit)),
    Refused("\" RATE_LIMIT 3 0", .invalidValue(.rateLimit)),
    Refused("\" RATE_LIMIT 3 3601", .invalidValue(.rateLimit)),
    Refused("\" RATE_LIMIT 3 30 ", .invalidValue(.rateLimit)),
    Refused("\" RATE_LIMIT 3 30 x", .invalidValue(.rateLimit)),
    Refused("\" TIME_SKEW", .invalidValue(.timeSkew)),
    Refused("\" TIME_SKEW 1 2", .invalidValue(.timeSkew)),
    Refused("\" TIME_SKEW --1", .invalidValue(.timeSkew)),
    Refused("\" TIME_SKEW -", .invalidValue(.timeSkew)),
    Refused("\" TIME_SKEW 2147483648", .invalidValue(.timeSkew)),
    Refused("\" RESETTING_TIME_SKEW 1", .invalidValue(.resettingTimeSkew)),
    Refused("\" RESETTING_TIME_SKEW +1", .invalidValue(.resettingTimeSkew)),
    Refused("\" RESETTING_TIME_SKEW 1+", .invalidValue(.resettingTimeSkew)),
    Refused("\" RESETTING_TIME_SKEW 1x2", .invalidValue(.resettingTimeSkew)),
    Refused("\" RESETTING_TIME_SKEW 1+1 2+1 3+1 4+1", .invalidValue(.resettingTimeSkew)),
    Refused("\" LAST0", .invalidValue(.last0)),
    Refused("\" LAST1 host", .invalidValue(.last1)),
    Refused("\" LAST2 host 1 2", .invalidValue(.last2)),
    Refused("\" LAST3 host x", .invalidValue(.last3)),
    // An option after the recovery codes is still checked.
    Refused(file("odd", "\" FUTURE"), 5, .unknownOption),
    // The first mistake is reported.
    Refused(file("\" FUTURE", "\" TOTP_AUTH"), 4, .unknownOption),
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

  struct Codes: Sendable {
    let lines: String
    let codes: [String]
    var warnings: [ImportWarning] = []
  }

  @Test(arguments: [
    Codes(lines: "", codes: []),
    Codes(
      lines: "10000000\n99999999\n", codes: ["10000000", "99999999"],
      warnings: [.weakRecoveryCodes(count: 2)]),
    Codes(lines: "12345678", codes: ["12345678"], warnings: [.weakRecoveryCodes(count: 1)]),
    Codes(
      lines: "12345678\r\n\r\n\n23456789\r\n", codes: ["12345678", "23456789"],
      warnings: [.weakRecoveryCodes(count: 2)]),
    Codes(
      lines: "12345678\n\" WINDOW_SIZE 3\n23456789\n", codes: ["12345678", "23456789"],
      warnings: [.weakRecoveryCodes(count: 2)]),
    // Numbers as the other module reads them.
    Codes(
      lines: " \t12345678\n+23456789\n0034567890\n",
      codes: ["12345678", "23456789", "34567890"], warnings: [.weakRecoveryCodes(count: 3)]),
    // No code after an invalid line works.
    Codes(
      lines: "12345678\n# mine\n23456789\n34567890\n", codes: ["12345678"],
      warnings: [.weakRecoveryCodes(count: 1), .unreachableRecoveryCodes(line: 5, count: 2)]),
    Codes(
      lines: "1234567\n23456789\n", codes: [],
      warnings: [.unreachableRecoveryCodes(line: 4, count: 1)]),
    Codes(
      lines: "123456789\n", codes: [],
      warnings: [.unreachableRecoveryCodes(line: 4, count: 0)]),
    Codes(
      lines: "01234567\n23456789\n", codes: [],
      warnings: [.unreachableRecoveryCodes(line: 4, count: 1)]),
    Codes(
      lines: "12345678 \n23456789\n", codes: [],
      warnings: [.unreachableRecoveryCodes(line: 4, count: 1)]),
    Codes(
      lines: " \n23456789\n", codes: [],
      warnings: [.unreachableRecoveryCodes(line: 4, count: 1)]),
    Codes(
      lines: "-12345678\n", codes: [],
      warnings: [.unreachableRecoveryCodes(line: 4, count: 0)]),
    // At most as many as an account can have.
    Codes(
      lines: (0..<12).map { "\(20_000_000 + $0)\n" }.joined(),
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
