import MFAPAMStack
import Testing

@Suite struct IncludedServiceFileTests {
  static let rows: [(number: Int, name: String, isIncludedOnly: Bool)] = [
    (1, "common-auth", true),
    (2, "common-session-noninteractive", true),
    (3, "system-auth", true),
    (4, "password-auth", true),
    (5, "smartcard-auth", true),
    (6, "fingerprint-auth", true),
    (7, "postlogin", true),
    (8, "config-util", true),
    (9, "system-login", true),
    (10, "system-local-login", true),
    (11, "system-remote-login", true),
    (12, "system-services", true),
    (13, "common", false),
    (14, "login", false),
    (15, "sshd", false),
    (16, "gdm-password", false),
    // libpam uses `other` for services without a file.
    (17, "other", false),
    (18, "", false),
  ]

  @Test(arguments: rows)
  func filesThatAreNoServiceAreRecognised(number: Int, name: String, isIncludedOnly: Bool) {
    #expect(IncludedServiceFile.contains(Array(name.utf8)) == isIncludedOnly, "row \(number)")
  }
}
