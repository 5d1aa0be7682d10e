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
    let account: String
    let issuer: String
    var testDescription: String { "\(issuer):\(account)" }
  }

  static let names = [
    Names(account: "alice", issuer: "Example Company"),
    Names(account: "alice", issuer: "web1.example.com"),
    Names(account: "alice@example.com", issuer: "J\u{F6}rg & S\u{F6}hne"),
    Names(account: "a+b", issuer: "a+b?c#d/e%41"),
    Names(account: "alice", issuer: "\u{65E5}\u{672C}"),
    Names(account: "alice", issuer: ""),
    Names(account: "alice", issuer: "Example: Company"),
    Names(account: "alice", issuer: "Example:Company:Host"),
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
    let app: AuthenticatorApp
    let uri: String
    /// The title, or nil if the app refuses the URI.
    let title: String?
    var testDescription: String { "\(app)" }
  }

  /// The published rules that decide the form of a URI. They are why the issuer is before the
  /// account, and why an issuer with a colon is not.
  static let rules = [
    Rule(app: .aegis, uri: "a:b?secret=\(key)&issuer=c", title: "a:b"),
    Rule(app: .aegis, uri: "b?secret=\(key)&issuer=c", title: "c:b"),
    Rule(app: .aegis, uri: "a%3Ac:b?secret=\(key)&issuer=c", title: "a:c:b"),
    Rule(app: .aegis, uri: "a:b", title: nil),
    Rule(app: .googleAuthenticator, uri: "a:b?secret=\(key)", title: "a:b"),
    Rule(app: .googleAuthenticator, uri: "b?secret=\(key)&issuer=c", title: "c:b"),
    Rule(app: .googleAuthenticator, uri: "a:b?secret=\(key)&issuer=a", title: "a:b"),
    Rule(app: .googleAuthenticator, uri: "?secret=\(key)", title: nil),
    Rule(app: .freeOTP, uri: "a:b?secret=\(key)&issuer=c", title: "a:b"),
    Rule(app: .freeOTP, uri: "b?secret=\(key)&issuer=c%3Ad", title: "c:d:b"),
    Rule(app: .freeOTP, uri: "a%3Ac:b?secret=\(key)", title: nil),
    Rule(app: .freeOTP, uri: "a:b?secret=GEZDGNBVGY3TQOJQ", title: nil),
    Rule(app: .keyURIFormat, uri: "a%3A%20b?secret=\(key)", title: "a: b"),
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
