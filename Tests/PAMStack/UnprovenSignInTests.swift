import MFAPAMStack
import Testing

@Suite("Sign-ins without a first factor")
struct UnprovenSignInTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let number: Int
    let lines: String
    var service = "s"
    /// Whether a user who has not enrolled is admitted without anything.
    let nothing: Bool
    /// Whether a user is admitted with a code alone.
    let codeAlone: Bool
    var isCalledByRoot = true
    var testDescription: String { "row \(number)" }

    init(
      _ number: Int, _ lines: String, service: String = "s", nothing: Bool, codeAlone: Bool,
      isCalledByRoot: Bool = true
    ) {
      self.number = number
      self.lines = lines
      self.service = service
      self.nothing = nothing
      self.codeAlone = codeAlone
      self.isCalledByRoot = isCalledByRoot
    }
  }

  private static let common =
    "auth [success=1 default=ignore] pam_unix.so nullok\nauth requisite pam_deny.so\n"
    + "auth required pam_permit.so\n"
  private static let ours = "auth required pam_mfa.so\n"
  private static let permit = "auth required pam_permit.so"
  private static let afterKey =
    "auth [success=done new_authtok_reqd=done ignore=ignore default=die] pam_mfa.so"

  static let rows = [
    // The lines for a key and then a code.
    Row(1, ours + permit, nothing: true, codeAlone: true),
    // If all modules return PAM_IGNORE, libpam denies.
    Row(2, ours, nothing: false, codeAlone: true),
    Row(3, "@include common\n" + ours, nothing: false, codeAlone: false),
    Row(4, "auth required pam_unix.so\n" + ours + permit, nothing: false, codeAlone: false),
    Row(5, ours + "auth required pam_sss.so", nothing: false, codeAlone: false),
    Row(6, ours + "@include common", nothing: false, codeAlone: false),
    // The module's line ends the stack for users who have enrolled, and leaves others to the password.
    Row(7, afterKey + "\n@include common", nothing: false, codeAlone: true),
    Row(8, afterKey + " after_key\n@include common\n" + ours, nothing: false, codeAlone: false),
    Row(9, afterKey + " after_key\n" + permit, nothing: true, codeAlone: true),
    Row(10, "auth sufficient pam_mfa.so\n@include common", nothing: false, codeAlone: true),
    // A line that cannot deny proves nothing.
    Row(11, "auth optional pam_unix.so\n" + ours + permit, nothing: true, codeAlone: true),
    Row(12, "auth sufficient pam_unix.so\n" + ours + permit, nothing: true, codeAlone: true),
    Row(13, "auth sufficient pam_unix.so\n" + ours, nothing: false, codeAlone: true),
    Row(
      14, "auth [success=ok default=ignore] pam_unix.so\n" + ours + permit, nothing: true,
      codeAlone: true),
    Row(
      15, "auth required pam_unix.so\nauth [default=reset] pam_env.so\n" + ours + permit,
      nothing: true, codeAlone: true),
    // Modules that authenticate no user.
    Row(
      16, "auth required pam_env.so\nauth required pam_nologin.so\n" + ours + permit,
      nothing: true, codeAlone: true),
    Row(17, "auth required pam_faildelay.so\n" + ours, nothing: true, codeAlone: true),
    Row(
      18, "auth required pam_succeed_if.so user != root\n" + ours + permit, nothing: true,
      codeAlone: true),
    Row(
      19, "auth required pam_faillock.so preauth\n" + ours + permit, nothing: true,
      codeAlone: true),
    Row(
      20, "auth required pam_faillock.so authfail\n" + ours + permit, nothing: false,
      codeAlone: false),
    Row(
      21, "auth required pam_ccreds.so action=validate\n" + ours + permit, nothing: false,
      codeAlone: false),
    // Modules that may authenticate the user.
    Row(22, "auth required pam_exec.so /x\n" + ours + permit, nothing: false, codeAlone: false),
    Row(23, "auth required pam_u2f.so\n" + ours + permit, nothing: false, codeAlone: false),
    Row(24, "auth required pam_unheard_of.so\n" + ours + permit, nothing: false, codeAlone: false),
    Row(
      25, "auth required /opt/pam_permit.so\n" + ours + permit, nothing: false, codeAlone: false),
    // A condition of the administrator's that skips lines is taken not to hold.
    Row(
      26, "auth sufficient pam_succeed_if.so user ingroup nopasswdlogin\n@include common\n" + ours,
      nothing: false, codeAlone: false),
    Row(
      27,
      "auth [success=3 default=ignore] pam_succeed_if.so user ingroup x\n@include common\n" + ours,
      nothing: false, codeAlone: false),
    // A condition on the service is known.
    Row(
      28,
      "auth [success=3 default=ignore] pam_succeed_if.so quiet service in sshd:s\n"
        + "@include common\n" + ours + permit, nothing: true, codeAlone: true),
    Row(
      29,
      "auth [success=3 default=ignore] pam_succeed_if.so quiet service = sshd\n"
        + "@include common\n" + ours + permit, nothing: false, codeAlone: false),
    // pam_rootok.so succeeds in a program of root's.
    Row(
      30, "auth sufficient pam_rootok.so\n@include common\n" + ours, nothing: true, codeAlone: true),
    Row(
      31, "auth sufficient pam_rootok.so\n@include common\n" + ours, nothing: false,
      codeAlone: false, isCalledByRoot: false),
    Row(
      32, "auth sufficient pam_rootok.so\n" + ours + permit, nothing: true, codeAlone: true,
      isCalledByRoot: false),
    // Substacks.
    Row(33, "auth substack common\n" + ours + permit, nothing: false, codeAlone: false),
    Row(34, "auth substack open\n" + ours, nothing: true, codeAlone: true),
    Row(35, "auth required pam_deny.so\n" + ours + permit, nothing: false, codeAlone: false),
    // The stack does not call the module.
    Row(36, permit, nothing: false, codeAlone: false),
    Row(37, "auth [default=9] pam_env.so\n" + ours + permit, nothing: false, codeAlone: false),
  ]

  @Test("are admitted only by stacks in which nothing else could deny", arguments: rows)
  func admitted(row: Row) throws {
    var source = MemoryStacks(files: ["common": Self.common, "open": Self.permit + "\n"])
    source.files[row.service] = row.lines + "\n"
    let name = Array(row.service.utf8)
    let stack = try ServiceStack(.auth, of: name, from: source)
    for (code, expected) in [(PAMReturnCode.ignore, row.nothing), (.success, row.codeAlone)] {
      let unproven = UnprovenSignIn(
        at: name, moduleReturns: code, isCalledByRoot: row.isCalledByRoot)
      #expect(unproven.isAdmitted(by: stack) == expected, "row \(row.number): \(code)")
    }
  }
}
