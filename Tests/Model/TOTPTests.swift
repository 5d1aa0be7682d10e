import Foundation
import MFABase
import MFAModel
import MFAStore
import MFATestSupport
import Testing

@Suite struct TOTPParametersTests {
  @Test(arguments: [
    (UInt16(0), false), (1, false), (14, false), (15, true), (16, true), (30, true), (119, true),
    (120, true), (121, false), (.max, false),
  ])
  func periods(period: UInt16, isAccepted: Bool) {
    let parameters = TOTPParameters(algorithm: .sha256, codeLength: .eight, period: period)
    #expect(parameters?.period == (isAccepted ? period : nil))
  }

  @Test func standardParametersAreTheDefaults() {
    let expected = TOTPParameters(algorithm: .sha1, codeLength: .six, period: 30)
    #expect(TOTPParameters.standard == expected)
  }

  struct Step: Sendable {
    let period: UInt16
    let time: Int64
    let step: Int64
  }

  @Test(arguments: [
    Step(period: 30, time: 0, step: 0),
    Step(period: 30, time: 29, step: 0),
    Step(period: 30, time: 30, step: 1),
    Step(period: 30, time: -1, step: -1),
    Step(period: 30, time: -30, step: -1),
    Step(period: 30, time: -31, step: -2),
    Step(period: 15, time: 1_795_000_014, step: 119_666_667),
    Step(period: 120, time: 239, step: 1),
    Step(period: 15, time: .max, step: 614_891_469_123_651_720),
    Step(period: 15, time: .min, step: -614_891_469_123_651_721),
    Step(period: 120, time: .max, step: 76_861_433_640_456_465),
    Step(period: 120, time: .min, step: -76_861_433_640_456_466),
  ])
  func steps(_ row: Step) throws {
    let parameters = try #require(
      TOTPParameters(algorithm: .sha1, codeLength: .six, period: row.period))
    #expect(parameters.step(at: row.time) == row.step, "\(row)")
  }

  struct Window: Sendable {
    let time: Int64
    let adjacentIntervals: UInt8
    let steps: ClosedRange<Int64>?
  }

  @Test(arguments: [
    Window(time: 3_000, adjacentIntervals: 0, steps: 100...100),
    Window(time: 3_000, adjacentIntervals: 5, steps: 95...105),
    Window(time: 3_029, adjacentIntervals: 10, steps: 90...110),
    // At the epoch there are no earlier steps.
    Window(time: 0, adjacentIntervals: 0, steps: 0...0),
    Window(time: 0, adjacentIntervals: 5, steps: 0...5),
    Window(time: 90, adjacentIntervals: 5, steps: 0...8),
    // Before the epoch, only the steps from the epoch on.
    Window(time: -1, adjacentIntervals: 0, steps: nil),
    Window(time: -1, adjacentIntervals: 1, steps: 0...0),
    Window(time: -150, adjacentIntervals: 5, steps: 0...0),
    Window(time: -151, adjacentIntervals: 5, steps: nil),
    Window(time: .min, adjacentIntervals: 0, steps: nil),
    Window(time: .min, adjacentIntervals: .max, steps: nil),
    Window(
      time: .max, adjacentIntervals: 10,
      steps: 307_445_734_561_825_850...307_445_734_561_825_870),
    Window(time: 0, adjacentIntervals: .max, steps: 0...255),
  ])
  func windows(_ row: Window) {
    let window = TOTPParameters.standard.window(
      at: row.time, adjacentIntervals: row.adjacentIntervals)
    #expect(window == row.steps, "\(row)")
  }

  /// No time causes a trap, whatever the period and the number of intervals.
  @Test func extremeTimesDoNotTrap() throws {
    let times = [Int64.min, .min + 1, -1 << 32, -121, -1, 0, 1, 121, 1 << 32, .max - 1, .max]
    for period in TOTPParameters.periods {
      let parameters = try #require(
        TOTPParameters(algorithm: .sha1, codeLength: .six, period: period))
      for time in times {
        for adjacentIntervals in [0, 1, 5, 10, 255] as [UInt8] {
          let window = parameters.window(at: time, adjacentIntervals: adjacentIntervals)
          #expect((window?.lowerBound ?? 0) >= 0)
          #expect((window?.count ?? 0) <= 2 * Int(adjacentIntervals) + 1)
        }
      }
    }
  }
}

/// Compares the codes with those of another implementation, oathtool, which packaging/test
/// installs.
@Suite struct OathtoolTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let number: Int
    let algorithm: HashAlgorithm
    let length: CodeLength
    let period: UInt16

    var testDescription: String {
      "\(algorithm), \(length.rawValue) digits, \(period) s"
    }
  }

  /// Every algorithm with every number of digits, and with the shortest, default, longest and one
  /// more period.
  private static let rows: [Row] = {
    var rows: [Row] = []
    for algorithm in HashAlgorithm.allCases {
      for length in CodeLength.allCases {
        for period in [15, 30, 60, 120] as [UInt16] {
          rows.append(
            Row(number: rows.count + 1, algorithm: algorithm, length: length, period: period))
        }
      }
    }
    return rows
  }()

  /// The epoch, two times in the past and present, and the far future, in seconds; 21 steps from
  /// each.
  private static let times: [Int64] = [0, 1_111_111_111, 1_795_000_000, 20_000_000_000]

  @Test(arguments: rows)
  func agree(_ row: Row) throws {
    let secret = (0..<row.algorithm.outputLength).map { UInt8($0 * 3 + row.number) }
    let key = Base32.encode(secret.span)
    var text = ""
    for index in key.span.indices { text.append(Character(Unicode.Scalar(key.span[index]))) }
    let name = String(decoding: row.algorithm.name.bytes, as: UTF8.self)
    let authenticator = Authenticator(
      key: text, algorithm: try #require(Authenticator.Algorithm(rawValue: name)),
      digits: Int(row.length.rawValue), period: Int(row.period))
    let parameters = try #require(
      TOTPParameters(algorithm: row.algorithm, codeLength: row.length, period: row.period))

    for time in Self.times {
      let first = parameters.step(at: time)
      let ours = try codes(
        secret: secret, algorithm: row.algorithm, length: row.length,
        counters: UInt64(first)...UInt64(first) + 20)
      let theirs = try authenticator.codes(fromStep: Int(first), count: 21)
      #expect(ours == theirs, "at \(time)")
    }
  }
}

/// The test vectors of the RFCs, one file each in Tests/Vectors.
@Suite struct VectorTests {
  @Test(arguments: try Vector.all(in: "hotp", count: 10))
  func hotp(_ vector: Vector) throws {
    let counter: UInt64 = try vector.number("counter")
    let codes = try codes(
      secret: vector.secret(), algorithm: vector.algorithm(), length: vector.codeLength(),
      counters: counter...counter)
    #expect(codes == [try vector.text("expect")])
  }

  @Test(arguments: try Vector.all(in: "totp", count: 18))
  func totp(_ vector: Vector) throws {
    let algorithm = try vector.algorithm()
    let secret = try vector.secret()
    #expect(secret.count == algorithm.outputLength)
    let parameters = try #require(
      TOTPParameters(
        algorithm: algorithm, codeLength: vector.codeLength(), period: vector.number("period")))
    let step = UInt64(parameters.step(at: try vector.number("time")))
    let codes = try codes(
      secret: secret, algorithm: algorithm, length: parameters.codeLength, counters: step...step)
    #expect(codes == [try vector.text("expect")])
  }

  /// A shorter code consists of the last digits of a longer one (RFC 4226, section 5.3, step 3).
  @Test(arguments: HashAlgorithm.allCases)
  func aShorterCodeEndsALongerOne(algorithm: HashAlgorithm) throws {
    let secret = Array("12345678901234567890".utf8)
    let counters: ClosedRange<UInt64> = 0...200
    let eight = try codes(
      secret: secret, algorithm: algorithm, length: .eight, counters: counters)
    for length in CodeLength.allCases {
      let shorter = try codes(
        secret: secret, algorithm: algorithm, length: length, counters: counters)
      #expect(shorter == eight.map { String($0.suffix(Int(length.rawValue))) })
    }
  }

  /// The counter has 64 bits, and none of them is ignored.
  @Test func everyBitOfTheCounterCounts() throws {
    var hotp = try HOTP(secret: Array("12345678901234567890".utf8).span, algorithm: .sha1)
    var seen: Set<UInt32> = []
    for bit in 0..<64 { seen.insert(try hotp.code(at: 1 << bit, digits: .eight).value) }
    seen.insert(try hotp.code(at: .max, digits: .eight).value)
    seen.insert(try hotp.code(at: 0, digits: .eight).value)
    #expect(seen.count == 66)
  }
}

@Suite struct OTPAuthURITests {
  private static let secret = Array("12345678901234567890".utf8)
  private static let key = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"

  private static func uri(
    account: [UInt8], issuer: [UInt8], parameters: TOTPParameters = .standard,
    secret: [UInt8] = secret
  ) -> String {
    let uri = OTPAuthURI.make(
      secret: secret.span, account: account.span, issuer: issuer.span, parameters: parameters)
    var bytes: [UInt8] = []
    for index in uri.span.indices { bytes.append(uri.span[index]) }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test func completeURL() {
    #expect(
      Self.uri(account: Array("alice@host".utf8), issuer: Array("Example Co".utf8))
        == "otpauth://totp/Example%20Co:alice%40host?secret=\(Self.key)&issuer=Example%20Co")
  }

  @Test func withoutAnIssuer() {
    #expect(
      Self.uri(account: Array("alice".utf8), issuer: [])
        == "otpauth://totp/alice?secret=\(Self.key)")
  }

  struct Names: Sendable {
    let account: String
    let issuer: String
  }

  @Test(arguments: [
    Names(account: "alice", issuer: "host"),
    Names(account: "alice@host.example", issuer: "Example Co"),
    Names(account: "a:b", issuer: "c:d"),
    Names(account: "a&secret=AAAA", issuer: "b&issuer=c"),
    Names(account: "a?b#c", issuer: "?#"),
    Names(account: "100%", issuer: "%41"),
    Names(account: "a/b/../c", issuer: "//host/"),
    Names(account: "a+b c", issuer: "a+b c"),
    Names(account: "J\u{FC}rgen", issuer: "\u{65E5}\u{672C}\u{1F511}"),
    Names(account: "\"'<>\\^`{|}", issuer: "!$()*,;=[]"),
    Names(account: "a\n\t\u{1B}[m\u{7F}", issuer: "\r"),
    Names(account: "-._~", issuer: "-._~"),
    Names(account: "a", issuer: ""),
    Names(account: String(repeating: "\u{E9}", count: 300), issuer: "x"),
  ])
  func otherSoftwareReadsItBack(_ row: Names) throws {
    let text = Self.uri(account: Array(row.account.utf8), issuer: Array(row.issuer.utf8))
    let parts = try #require(URLComponents(string: text), "\(row)")
    #expect(parts.scheme == "otpauth")
    #expect(parts.host == "totp")
    #expect(parts.fragment == nil)
    let isPrefix = !row.issuer.isEmpty && !row.issuer.contains(":")
    let label = isPrefix ? "\(row.issuer):\(row.account)" : row.account
    #expect(parts.path == "/" + label, "\(row)")
    // One colon separates issuer and account; colons within either are encoded.
    #expect(parts.percentEncodedPath.filter { $0 == ":" }.count == (isPrefix ? 1 : 0))
    // An issuer in the label is repeated if the picture still fits.
    let hasIssuer = !row.issuer.isEmpty && text.contains("&issuer=")
    if isPrefix {
      let repeated = "&issuer=\(parts.percentEncodedPath.dropFirst().prefix { $0 != ":" })"
      let whole = hasIssuer ? text : text + repeated
      #expect(hasIssuer == (whole.utf8.count <= 134), "\(row)")
    }
    let issuer = hasIssuer ? [URLQueryItem(name: "issuer", value: row.issuer)] : []
    #expect(parts.queryItems == [URLQueryItem(name: "secret", value: Self.key)] + issuer, "\(row)")
  }

  @Test("the issuer is repeated as long as the picture fits a window of 24 lines")
  func longestWithParameter() {
    let account = Array("root".utf8)
    let shorter = Self.uri(account: account, issuer: Array(repeating: 0x78, count: 33))
    #expect(shorter.utf8.count == 134 && shorter.contains("&issuer=x"))
    let short = OTPAuthURI.make(
      secret: Self.secret.span, account: account.span, issuer: account.span, parameters: .standard,
      isShort: true)
    #expect(short.count == 64)
    let longer = Self.uri(account: account, issuer: Array(repeating: 0x78, count: 34))
    #expect(!longer.contains("issuer="))
  }

  /// Only the unreserved characters of RFC 3986, section 2.3, are not encoded.
  @Test func everyByte() {
    let unreserved = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)
    for byte in UInt8.min...UInt8.max {
      let expected =
        unreserved.contains(byte)
        ? String(Unicode.Scalar(byte)) : String(format: "%%%02X", Int(byte))
      #expect(
        Self.uri(account: [byte], issuer: [0x62]).hasPrefix(
          "otpauth://totp/b:\(expected)?secret="), "\(byte)")
      let isPrefix = byte != UInt8(ascii: ":")
      let text = Self.uri(account: [0x61], issuer: [byte])
      #expect(
        text.hasPrefix(isPrefix ? "otpauth://totp/\(expected):a?" : "otpauth://totp/a?"), "\(byte)")
      #expect(text.hasSuffix("&issuer=\(expected)"), "\(byte)")
    }
  }

  @Test("only parameters that differ from what every app assumes are written")
  func otherParametersAreExplicit() throws {
    for algorithm in HashAlgorithm.allCases {
      for length in CodeLength.allCases {
        for period in TOTPParameters.periods {
          let parameters = try #require(
            TOTPParameters(algorithm: algorithm, codeLength: length, period: period))
          let text = Self.uri(account: [0x61], issuer: [0x62], parameters: parameters)
          let name = String(decoding: algorithm.name.bytes, as: UTF8.self)
          let expected =
            (algorithm == .sha1 ? "" : "&algorithm=\(name)")
            + (length == .six ? "" : "&digits=\(length.rawValue)")
            + (period == 30 ? "" : "&period=\(period)")
          #expect(text == "otpauth://totp/b:a?secret=\(Self.key)&issuer=b\(expected)")
        }
      }
    }
  }

  @Test(arguments: [0, 1, 19, 20, 32, 64])
  func everyLengthOfSecret(count: Int) throws {
    let secret = (0..<count).map { UInt8($0) }
    let text = Self.uri(account: [0x61], issuer: [], secret: secret)
    let item = try #require(URLComponents(string: text)?.queryItems?.first)
    let value = try #require(item.value)
    var bytes: [UInt8] = []
    if let decoded = Base32.decode(Array(value.utf8).span) {
      for index in decoded.span.indices { bytes.append(decoded.span[index]) }
    }
    #expect(item.name == "secret")
    #expect(bytes == secret)
  }
}
