import MFABase
import MFAModel
import Testing

/// Key URIs as common authenticator apps read them.
@Suite struct AuthenticatorAppTests {
  static let key = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"

  private static func uri(
    _ account: String, _ issuer: String, _ parameters: TOTPParameters = .standard
  ) -> String {
    let secret = Array("12345678901234567890".utf8)
    let uri = OTPAuthURI.make(
      secret: secret.span, account: Array(account.utf8).span, issuer: Array(issuer.utf8).span,
      parameters: parameters)
    return String(decoding: uri.span.indices.map { uri.span[$0] }, as: UTF8.self)
  }

  struct Names: Sendable, CustomTestStringConvertible {
    let number: Int
    let account: String
    let issuer: String
    var testDescription: String { "\(number): \(issuer):\(account)" }
  }

  static let names = [
    Names(number: 1, account: "alice", issuer: "Example Company"),
    Names(number: 2, account: "alice", issuer: "web1.example.com"),
    Names(number: 3, account: "alice@example.com", issuer: "J\u{F6}rg & S\u{F6}hne"),
    Names(number: 4, account: "a+b", issuer: "a+b?c#d/e%41"),
    Names(number: 5, account: "alice", issuer: "\u{65E5}\u{672C}"),
    Names(number: 6, account: "alice", issuer: ""),
    Names(number: 7, account: "alice", issuer: "Example: Company"),
    Names(number: 8, account: "alice", issuer: "Example:Company:Host"),
  ]

  @Test("every app shows issuer and account, and makes standard codes", arguments: names)
  func shownNames(row: Names) throws {
    let title = row.issuer.isEmpty ? row.account : "\(row.issuer):\(row.account)"
    for app in AuthenticatorApp.allCases {
      let account = try app.account(of: Self.uri(row.account, row.issuer))
      #expect(account == AuthenticatorApp.Account(title: title, secret: Self.key), "\(app)")
    }
  }

  @Test("accounts of the same name at two issuers have different labels")
  func labels() {
    // Apps that tell accounts apart by the label alone would replace one with the other.
    let labels = ["Example Company", "Other Company"].map {
      Self.uri("alice", $0).prefix { $0 != "?" }
    }
    #expect(labels[0] != labels[1])
  }

  @Test("every app that supports other parameters reads them", arguments: HashAlgorithm.allCases)
  func parameters(algorithm: HashAlgorithm) throws {
    for length in CodeLength.allCases {
      for period: UInt16 in [15, 30, 60, 120] {
        let parameters = try #require(
          TOTPParameters(algorithm: algorithm, codeLength: length, period: period))
        let uri = Self.uri("alice", "Example", parameters)
        for app in AuthenticatorApp.allCases where app.readsParameters {
          let account = try app.account(of: uri)
          #expect(account.algorithm == String(decoding: algorithm.name.bytes, as: UTF8.self))
          #expect(account.digits == "\(length.rawValue)" && account.period == "\(period)")
        }
      }
    }
  }

  struct Rule: Sendable, CustomTestStringConvertible {
    let number: Int
    let app: AuthenticatorApp
    let uri: String
    /// The title, or nil if the app refuses the URI.
    let title: String?
    var testDescription: String { "\(number): \(app)" }
  }

  /// The published rules that decide the form of a URI. They are why the issuer is before the
  /// account, and why an issuer with a colon is not.
  static let rules = [
    Rule(number: 1, app: .aegis, uri: "a:b?secret=\(key)&issuer=c", title: "a:b"),
    Rule(number: 2, app: .aegis, uri: "b?secret=\(key)&issuer=c", title: "c:b"),
    Rule(number: 3, app: .aegis, uri: "a%3Ac:b?secret=\(key)&issuer=c", title: "a:c:b"),
    Rule(number: 4, app: .aegis, uri: "a:b", title: nil),
    Rule(number: 5, app: .googleAuthenticator, uri: "a:b?secret=\(key)", title: "a:b"),
    Rule(number: 6, app: .googleAuthenticator, uri: "b?secret=\(key)&issuer=c", title: "c:b"),
    Rule(number: 7, app: .googleAuthenticator, uri: "a:b?secret=\(key)&issuer=a", title: "a:b"),
    Rule(number: 8, app: .googleAuthenticator, uri: "?secret=\(key)", title: nil),
    Rule(number: 9, app: .freeOTP, uri: "a:b?secret=\(key)&issuer=c", title: "a:b"),
    Rule(number: 10, app: .freeOTP, uri: "b?secret=\(key)&issuer=c%3Ad", title: "c:d:b"),
    Rule(number: 11, app: .freeOTP, uri: "a%3Ac:b?secret=\(key)", title: nil),
    Rule(number: 12, app: .freeOTP, uri: "a:b?secret=GEZDGNBVGY3TQOJQ", title: nil),
    Rule(number: 13, app: .keyURIFormat, uri: "a%3A%20b?secret=\(key)", title: "a: b"),
  ]

  @Test("apps read other forms as published", arguments: rules)
  func rule(row: Rule) {
    do {
      let account = try row.app.account(of: "otpauth://totp/" + row.uri)
      #expect(account.title == row.title)
    } catch {
      #expect(row.title == nil, "\(error)")
    }
  }
}
