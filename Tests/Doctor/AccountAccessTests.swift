import MFAAdminTestSupport
import MFAPAMStack
import Testing

@testable import MFADoctor

@Suite("How an account can reach a shell")
struct AccountAccessTests {
  private static let password = "@include common-auth\nauth required pam_mfa.so\n"
  private static let codeOnly = "auth required pam_mfa.so\nauth required pam_permit.so\n"
  /// The lines of `mfa-admin enable sshd --factors key+code`.
  private static let key =
    "auth [success=done new_authtok_reqd=done ignore=ignore default=die] pam_mfa.so\n"
    + "@include common-auth\n"
  private static let kbi = "authenticationmethods keyboard-interactive"
  private static let keyThenCode = "authenticationmethods publickey,keyboard-interactive"
  private static let unknown = AccountMeans.Key.unknown("x")

  struct Row: CustomTestStringConvertible, Sendable {
    let number: Int
    let lines: String
    let settings: String
    let means: AccountMeans
    var isRoot = false
    let expected: String
    var testDescription: String { "row \(number)" }

    init(
      _ number: Int, _ lines: String, _ settings: String, password: Bool = false,
      key: AccountMeans.Key = .noKey, enrolled: Bool = false, isRoot: Bool = false,
      _ expected: String
    ) {
      self.number = number
      self.lines = lines
      self.settings = settings
      means = AccountMeans(hasPassword: password, key: key, isEnrolled: enrolled)
      self.isRoot = isRoot
      self.expected = expected
    }
  }

  static let rows = [
    // The password, then a code.
    Row(1, password, kbi, password: true, "open"),
    Row(2, password, kbi, password: true, enrolled: true, "open"),
    Row(3, password, kbi, key: .present, "a password is required, and the account has none"),
    Row(
      4, password, kbi, key: .present, enrolled: true,
      "a password is required, and the account has none"),
    Row(5, password, kbi, key: unknown, "a password is required, and the account has none"),
    // A key, then a code, or the password of users who have not enrolled.
    Row(6, key, keyThenCode, key: .present, enrolled: true, "open"),
    Row(7, key, keyThenCode, key: .present, "a password is required, and the account has none"),
    Row(8, key, keyThenCode, password: true, key: .present, "open"),
    Row(
      9, key, keyThenCode, password: true, enrolled: true,
      "sshd requires a key, and the account has none"),
    Row(10, key, keyThenCode, key: unknown, enrolled: true, "unknown"),
    Row(11, key, keyThenCode, key: unknown, "a password is required, and the account has none"),
    Row(12, key, keyThenCode, password: true, key: unknown, "unknown"),
    // A key, then a code, and nothing of users who have not enrolled.
    Row(13, codeOnly, keyThenCode, key: .present, "open"),
    Row(14, codeOnly, keyThenCode, "sshd requires a key, and the account has none"),
    Row(15, codeOnly, kbi, password: true, "no way into sshd is left for the account"),
    Row(16, codeOnly, kbi, enrolled: true, "open"),
    // A key or a password is enough.
    Row(17, password, "authenticationmethods any", key: .present, "open"),
    Row(18, password, "authenticationmethods any", key: unknown, "unknown"),
    Row(19, password, "authenticationmethods any", password: true, key: unknown, "open"),
    // Root.
    Row(
      20, password, kbi + "\npermitrootlogin prohibit-password", password: true, key: .present,
      isRoot: true, "no way into sshd is left for the account"),
    Row(
      21, password, "authenticationmethods publickey\npermitrootlogin prohibit-password",
      key: .present, isRoot: true, "open"),
    // What is not known.
    Row(
      22, password, "authenticationmethods gssapi-with-mic\ngssapiauthentication yes", "unknown"),
    Row(
      23, password,
      "authenticationmethods password\npasswordauthentication yes\nkerberosauthentication yes",
      "unknown"),
    Row(
      24, password, "usepam no\nauthenticationmethods any\npasswordauthentication yes",
      password: true, "open"),
    Row(
      25, password, "usepam no\nauthenticationmethods any\npasswordauthentication yes",
      "a password is required, and the account has none"),
  ]

  @Test("depends on what it has and on what sshd requires", arguments: rows)
  func access(row: Row) throws {
    var stacks = MemoryHost.Stacks()
    stacks.files["sshd"] = row.lines
    let name = Array("sshd".utf8)
    let service = try #require(
      ServiceWithModule(name: name, stack: try ServiceStack(.auth, of: name, from: stacks)))
    let settings = SSHDSettings(Array((row.settings + "\n" + MemoryHost.sshdSettings).utf8))
    let found =
      switch service.access(with: row.means, settings, isRoot: row.isRoot) {
      case .open: "open"
      case .unknown: "unknown"
      case .closed(let reason): reason
      }
    #expect(found == row.expected, "row \(row.number)")
  }
}
