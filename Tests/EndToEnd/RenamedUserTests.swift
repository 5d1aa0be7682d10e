import MFATestSupport
import Testing

extension EndToEnd {
  /// Accounts that usermod renamed.
  @Suite struct RenamedUsersOfHost {
    static let admin = "/usr/sbin/mfa-admin"

    @Test("after usermod -l, nobody signs in without a code, and rename-user moves the factors")
    func renamed() throws {
      try Machine.use { machine in
        try machine.emptyStore()
        let (user, enrollment) = try machine.addEnrolledUser()
        let new = "\(user.name)x"
        let service = try machine.makeService(["auth required pam_permit.so"] + OneCode.stack)
        func signIn(_ name: String, _ code: String) throws -> String? {
          try PAMClient.signIn(service: service, user: name, answers: [.text(code)]).code
        }
        let recovery = try machine.makeRecoveryCodes(user, enrollment, offset: -4)
        let used = try enrollment.phone.code()
        #expect(try signIn(user.name, used) == "PAM_SUCCESS")
        #expect(try signIn(user.name, try enrollment.phone.wrongCode()) == "PAM_AUTH_ERR")
        machine.atTheEnd("rename the account back") {
          _ = try Command.run(["/usr/sbin/usermod", "-l", user.name, new])
        }
        try Command.succeed(["/usr/sbin/usermod", "-l", new, user.name])

        let start = try machine.log.position()
        #expect(try signIn(new, try enrollment.phone.code(offset: 1)) == "PAM_AUTH_ERR")
        let entries = try OneCode.logged(machine, since: start)
        #expect(entries.map { $0.fields["reason"] } == ["renamed-user"], "\(entries)")
        let doctor = try Doctor.examine(["--json"])
        #expect(
          try Doctor.found(doctor).contains("warning renamed-user /var/lib/mfa"), "\(doctor.text)")
        #expect(doctor.text.contains("mfa-admin rename-user \(user.name) \(new)"))
        let pruned = try Command.succeed([Self.admin, "prune", "--dry-run"])
        #expect(!pruned.contains(user.name), "\(pruned)")
        #expect(try Command.run([Self.admin, "show", new]).errorText.contains("rename-user"))

        #expect(
          try Command.run([Self.admin, "rename-user", user.name, "daemon"]).errorText
            .contains("another user ID"))
        let moved = try Command.succeed([Self.admin, "rename-user", user.name, new])
        #expect(moved.contains("moved the factors"))
        #expect(try StoreFiles(of: new).failures() == 1)
        #expect(try signIn(new, used) == "PAM_AUTH_ERR", "the used code stays used")
        #expect(try signIn(new, try enrollment.phone.code(offset: 1)) == "PAM_SUCCESS")
        #expect(try signIn(new, recovery[0]) == "PAM_SUCCESS")
        #expect(try signIn(new, recovery[0]) == "PAM_AUTH_ERR")
        try Rekeying.expectIntactStore()
        let shown = try Command.succeed([Self.admin, "audit-log", "show", "--last", "20"])
        #expect(shown.contains("user-renamed"), "\(shown)")
      }
    }
  }
}
