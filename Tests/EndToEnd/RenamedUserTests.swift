import MFABase
import MFATestSupport
import Testing

extension EndToEnd {
  /// Accounts that usermod renamed.
  @Suite struct RenamedUsersOfHost {
    static let admin = "/usr/sbin/mfa-admin"

    @Test("after usermod -l, nobody signs in without a code, and rename-user moves the factors")
    func renamed() throws {
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
      let pruned = try machine.mustAdminister("prune", "--dry-run").text
      #expect(!pruned.contains(user.name), "\(pruned)")
      #expect(try Command.run([Self.admin, "show", new]).errorText.contains("rename-user"))

      #expect(
        try Command.run([Self.admin, "rename-user", user.name, "daemon"]).errorText
          .contains("another user ID"))
      let moved = try machine.mustAdminister("rename-user", user.name, new).text
      #expect(moved.contains("moved the factors"))
      #expect(try StoreFiles(of: new).failures() == 1)
      #expect(try signIn(new, used) == "PAM_AUTH_ERR", "the used code stays used")
      #expect(try signIn(new, try enrollment.phone.code(offset: 1)) == "PAM_SUCCESS")
      #expect(try signIn(new, recovery[0]) == "PAM_SUCCESS")
      #expect(try signIn(new, recovery[0]) == "PAM_AUTH_ERR")
      try Rekeying.expectIntactStore()
      let shown = try machine.mustAdminister("audit-log", "show", "--last", "20").text
      #expect(shown.contains("user-renamed"), "\(shown)")
    }
  }

  /// Accounts whose user ID was changed.
  @Suite struct RenumberedUsersOfHost {
    @Test("after usermod -u, nobody signs in without a code, and rename-user moves the factors")
    func renumbered() throws {
      try machine.emptyStore()
      let (user, enrollment) = try machine.addEnrolledUser()
      let service = try machine.makeService(["auth required pam_permit.so"] + OneCode.stack)
      func signIn(_ code: String) throws -> String? {
        try PAMClient.signIn(service: service, user: user.name, answers: [.text(code)]).code
      }
      func renumber(_ uid: String) throws {
        try Command.succeed(["/usr/sbin/usermod", "-u", uid, user.name])
      }
      let recovery = try machine.makeRecoveryCodes(user, enrollment, offset: -4)
      let used = try enrollment.phone.code()
      #expect(try signIn(used) == "PAM_SUCCESS")
      #expect(try signIn(try enrollment.phone.wrongCode()) == "PAM_AUTH_ERR")
      let earlier = String(try Command.succeed(["/usr/bin/id", "-u", user.name]).dropLast())
      machine.atTheEnd("change the user ID back") { try renumber(earlier) }
      let admin = RenamedUsersOfHost.admin
      #expect(
        try Command.run([admin, "rename-user", user.name, user.name]).errorText
          .contains("still exists, with the user ID of the record"))

      try renumber("54321")
      let files = ["factors", "attempts"].map { "/var/lib/mfa/\($0)/\(user.name)" }
      let copies = machine.folder + "/copies"
      try Command.succeed(["/bin/mkdir", copies])
      for file in files { try Command.succeed(["/bin/cp", "-a", "--parents", file, copies]) }
      let start = try machine.log.position()
      #expect(try signIn(try enrollment.phone.code(offset: 1)) == "PAM_AUTH_ERR")
      let entries = try OneCode.logged(machine, since: start)
      #expect(entries.map { $0.fields["reason"] } == ["belongs-to-another"], "\(entries)")
      let command = "mfa-admin rename-user \(user.name) \(user.name)"
      #expect(try Command.run([admin, "show", user.name]).errorText.contains(command))

      // Killed after the entry in the audit log and before the record is replaced, the command is repeated.
      let kill = SystemCallTrace.inject(
        .kill, at: SystemCall(name: "renameat", number: 1), copies: .followed)
      let killed = try Command.run(kill + [admin, "rename-user", user.name, user.name])
      #expect(!killed.status.isSuccess && !killed.text.contains("moved"), "\(killed)")
      #expect(try Command.run([admin, "show", user.name]).errorText.contains(command))
      let moved = try machine.mustAdminister("rename-user", user.name, user.name).text
      #expect(moved == "moved the factors of \(user.name) to the present user ID\n")
      #expect(try StoreFiles(of: user.name).failures() == 1)
      #expect(try signIn(used) == "PAM_AUTH_ERR", "the used code stays used")
      #expect(try signIn(try enrollment.phone.code(offset: 1)) == "PAM_SUCCESS")
      #expect(try signIn(recovery[0]) == "PAM_SUCCESS")
      #expect(try signIn(recovery[0]) == "PAM_AUTH_ERR")
      let shown = try machine.mustAdminister("audit-log", "show", "--last", "20").text
      #expect(shown.contains("uid \(earlier)"), "\(shown)")
      try Rekeying.expectIntactStore()
      #expect(try Command.run([admin, "show", user.name]).status == .exited(0))

      // Earlier copies of the files, which belong to the earlier user ID, are not accepted again.
      for file in files { try Command.succeed(["/bin/cp", "-a", copies + file, file]) }
      let again = try Command.run([admin, "rename-user", user.name, user.name])
      #expect(again.errorText.contains("older than the audit log says"), "\(again)")
      #expect(try signIn(try enrollment.phone.code(offset: 2)) == "PAM_AUTH_ERR")
    }
  }

  /// Accounts with the same uid and different names.
  @Suite struct SharedIdentity {
    @Test("the password alone does not sign in a second name of an enrolled user")
    func secondName() throws {
      let (user, enrollment) = try machine.addEnrolledUser()
      let other = try secondName(of: user, on: machine)
      let service = try machine.makeService([
        "auth required pam_mfa.so tries=1", "account required pam_mfa.so",
      ])
      let start = try machine.log.position()
      let refused = try PAMClient.signIn(service: service, user: other, answers: [.noText])
      #expect(refused.prompts == ["Verification code: "])
      #expect(refused.code != "PAM_SUCCESS")
      let code = try enrollment.phone.code()
      var options = PAMClient.Options()
      options.asksAccount = true
      let accepted = try PAMClient.signIn(
        service: service, user: other, answers: [.text(code)], options: options)
      #expect(accepted.code == "PAM_SUCCESS")
      // The code is used for both names.
      let replayed = try user.signIn(to: service, typing: code)
      #expect(replayed.code != "PAM_SUCCESS")
      let entries = try OneCode.logged(machine, since: start)
      #expect(entries.map { $0.fields["user"] } == [other, other, user.name])
      #expect(entries.map { $0.fields["result"] } == ["not-a-code", "accepted", "replayed"])
      let doctor = try Command.run(["/usr/sbin/mfa-admin", "doctor"])
      #expect(
        doctor.text.contains("warning: /etc/passwd: \(user.name), \(other) share uid"),
        "\(doctor.text)")
    }

    @Test("the list of accounts with a uid is the same, read one by one or at once")
    func list() throws {
      let user = try machine.addUser()
      let names = [user.name, try secondName(of: user, on: machine)]
      let account = try #require(try Account.named(Array(user.name.utf8)))
      let listed = try account.listed(most: 9)
      #expect(listed.map { String(decoding: $0.name, as: UTF8.self) } == names)
      for index in 1...3 {
        let other = try account.sharing(at: Int32(index))
        #expect(other == (index <= 2 ? listed[index - 1] : nil))
      }
      #expect(try account.listed(most: 1) == [account])
      #expect(try Account(name: account.name, uid: .max).listed(most: 9).isEmpty)
    }

    /// Adds a second name for a user's uid, after the first one.
    func secondName(of user: MachineUser, on machine: Machine) throws -> String {
      let name = user.name + "b"
      let uid = try Command.succeed(["/usr/bin/id", "-u", user.name]).dropLast()
      try Command.succeed([
        "/usr/sbin/useradd", "--non-unique", "--uid", String(uid), "--no-create-home", name,
      ])
      machine.atTheEnd("remove the account \(name)") {
        try Command.succeed(["/usr/sbin/userdel", "--force", name])
      }
      return name
    }
  }
}
