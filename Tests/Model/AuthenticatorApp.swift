import Foundation

/// An authenticator app as far as it reads key URIs: the rules of its published source, which say
/// what it requires, what it assumes for a missing parameter, and where it reads the issuer.
enum AuthenticatorApp: CaseIterable {
  /// Aegis 3.4, `GoogleAuthInfo.parseUri`. Wants `secret`. The issuer is the label before its only
  /// colon, otherwise the parameter. Several colons: the whole label is the account.
  case aegis
  /// Google Authenticator 5.00 for Android, `AuthenticatorActivity.parseSecret` and `AccountDb`.
  /// Wants `secret` and a label. The issuer is the parameter; without one, the whole label, with
  /// the issuer in it, is the name. It ignores algorithm, digits and period.
  case googleAuthenticator
  /// FreeOTP 2.0 for Android, `Token`. Wants `secret` with at least 16 bytes, a label with at most
  /// one colon, and a period of at least 5. The issuer is the label before the colon, otherwise the
  /// parameter.
  case freeOTP
  /// The Key URI Format itself (wiki of google-authenticator). Wants `secret`. "If the issuer
  /// parameter is absent, issuer information may be taken from the issuer prefix of the label."
  /// "Neither issuer nor account name may themselves contain a colon." Defaults: SHA1, 6, 30.
  case keyURIFormat

  /// An account as the app shows it, and how the app makes its codes.
  struct Account: Equatable {
    /// What the user reads: issuer, colon and account name, as Google Authenticator writes it.
    var title: String
    var secret: String
    var algorithm = "SHA1"
    var digits = "6"
    var period = "30"
  }

  /// Why the app does not add an account.
  struct Refusal: Error, Equatable { let reason: String }

  /// Whether the app reads the parameters of the codes.
  var readsParameters: Bool { self != .googleAuthenticator }

  /// Reads a URI as the app does.
  func account(of text: String) throws -> Account {
    guard let url = URLComponents(string: text), url.scheme == "otpauth" else {
      throw Refusal(reason: "not an otpauth URI")
    }
    guard url.host == "totp" else { throw Refusal(reason: "type \(url.host ?? "")") }
    guard url.path.hasPrefix("/") else { throw Refusal(reason: "no label") }
    let label = String(url.path.dropFirst())
    // Android decodes a plus sign in a query as a space.
    func parameter(_ name: String) -> String? {
      let item = url.percentEncodedQueryItems?.first { $0.name == name }
      return item?.value?.replacing("+", with: "%20").removingPercentEncoding
    }
    guard let secret = parameter("secret"), !secret.isEmpty else {
      throw Refusal(reason: "no secret")
    }
    var account = Account(title: "", secret: secret)
    if readsParameters {
      account.algorithm = parameter("algorithm") ?? "SHA1"
      account.digits = parameter("digits") ?? "6"
      account.period = parameter("period") ?? "30"
    }
    let parts = label.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    let issuer = parameter("issuer")
    switch self {
    case .aegis:
      switch parts.count {
      case 1: account.title = Self.title(issuer, label)
      case 2: account.title = Self.title(parts[0], parts[1])
      default: account.title = label
      }
    case .googleAuthenticator:
      let name = label.trimmingCharacters(in: .whitespaces)
      guard !name.isEmpty else { throw Refusal(reason: "no name") }
      account.title =
        if let issuer, !issuer.isEmpty, !name.hasPrefix(issuer + ":") {
          Self.title(issuer, name)
        } else {
          name
        }
    case .freeOTP, .keyURIFormat:
      guard parts.count <= 2 else { throw Refusal(reason: "two colons in the label") }
      if self == .freeOTP {
        guard secret.count * 5 / 8 >= 16 else { throw Refusal(reason: "a short secret") }
      }
      account.title = Self.title(parts.count == 2 ? parts[0] : issuer, parts[parts.count - 1])
    }
    return account
  }

  private static func title(_ issuer: String?, _ account: String) -> String {
    guard let issuer, !issuer.isEmpty else { return account }
    return "\(issuer):\(account)"
  }
}
