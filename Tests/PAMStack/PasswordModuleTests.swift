import MFAPAMStack
import Testing

@Suite struct PasswordModuleTests {
  static let rows: [(number: Int, module: String, asks: Bool)] = [
    (1, "pam_unix.so", true),
    (2, "pam_sss.so", true),
    (3, "pam_ldap.so", true),
    (4, "pam_krb5.so", true),
    (5, "pam_winbind.so", true),
    (6, "pam_systemd_home.so", true),
    (7, "pam_himmelblau.so", true),
    (8, "pam_authd.so", true),
    (9, "pam_lsass.so", true),
    (10, "/usr/lib/security/pam_unix.so", true),
    (11, "/opt/pam_unix.so", false),
    (12, "pam_unix", false),
    // Modules that verify a key, a fingerprint or a Kerberos ticket, and modules without a check.
    (13, "pam_u2f.so", false),
    (14, "pam_fprintd.so", false),
    (15, "pam_sss_gss.so", false),
    (16, "pam_faillock.so", false),
    (17, "pam_permit.so", false),
  ]

  @Test(arguments: rows)
  func onlyPasswordModulesAskForAPassword(number: Int, module: String, asks: Bool) throws {
    let files = MemoryStacks(files: ["s": "auth required \(module)\n"])
    let stack = try ServiceStack(.auth, of: Array("s".utf8), from: files)
    #expect(stack.entries.map(\.asksForPassword) == [asks], "row \(number)")
  }
}
