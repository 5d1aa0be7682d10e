import MFABase
import MFAModel
import Foundation
import Testing

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
        == "otpauth://totp/Example%20Co:alice%40host?secret=\(Self.key)")
  }

  @Test func withoutAnIssuer() {
    #expect(
      Self.uri(account: Array("alice".utf8), issuer: [])
        == "otpauth://totp/alice?secret=\(Self.key)")
  }

  struct Names: Sendable {
    let number: Int
    let account: String
    let issuer: String
  }

  @Test(arguments: [
    Names(number: 1, account: "alice", issuer: "host"),
    Names(number: 2, account: "alice@host.example", issuer: "Example Co"),
    Names(number: 3, account: "a:b", issuer: "c:d"),
    Names(number: 4, account: "a&secret=AAAA", issuer: "b&issuer=c"),
    Names(number: 5, account: "a?b#c", issuer: "?#"),
    Names(number: 6, account: "100%", issuer: "%41"),
    Names(number: 7, account: "a/b/../c", issuer: "//host/"),
    Names(number: 8, account: "a+b c", issuer: "a+b c"),
    Names(number: 9, account: "J\u{FC}rgen", issuer: "\u{65E5}\u{672C}\u{1F511}"),
    Names(number: 10, account: "\"'<>\\^`{|}", issuer: "!$()*,;=[]"),
    Names(number: 11, account: "a\n\t\u{1B}[m\u{7F}", issuer: "\r"),
    Names(number: 12, account: "-._~", issuer: "-._~"),
    Names(number: 13, account: "a", issuer: ""),
    Names(number: 14, account: String(repeating: "\u{E9}", count: 300), issuer: "x"),
  ])
  func otherSoftwareReadsItBack(_ row: Names) throws {
    let text = Self.uri(account: Array(row.account.utf8), issuer: Array(row.issuer.utf8))
    let parts = try #require(URLComponents(string: text), "row \(row.number)")
    #expect(parts.scheme == "otpauth")
    #expect(parts.host == "totp")
    #expect(parts.fragment == nil)
    let isPrefix = !row.issuer.isEmpty && !row.issuer.contains(":")
    let label = isPrefix ? "\(row.issuer):\(row.account)" : row.account
    #expect(parts.path == "/" + label, "row \(row.number)")
    // One colon separates issuer and account; colons within either are encoded.
    #expect(parts.percentEncodedPath.filter { $0 == ":" }.count == (isPrefix ? 1 : 0))
    let issuer =
      isPrefix || row.issuer.isEmpty ? [] : [URLQueryItem(name: "issuer", value: row.issuer)]
    #expect(
      parts.queryItems == [URLQueryItem(name: "secret", value: Self.key)] + issuer,
      "row \(row.number)")
  }

  /// Only the unreserved characters of RFC 3986, section 2.3, are not encoded.
  @Test func everyByte() {
    let unreserved = Set(
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)
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
      #expect(text.hasSuffix("&issuer=%3A") == !isPrefix, "\(byte)")
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
          #expect(text == "otpauth://totp/b:a?secret=\(Self.key)\(expected)")
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
