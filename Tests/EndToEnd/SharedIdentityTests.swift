import MFABase
import MFATestSupport
import Testing

extension EndToEnd {
  /// Accounts with the same uid and different names.
  @Suite struct SharedIdentity {
    @Test("the password alone does not sign in a second name of an enrolled user")
    func secondName() throws {
      try Machine.use { machine in
        let (user, enrollment) = try machine.addEnrolledUser()
        let other = try secondName(of: user, on: machine)
        let service = try machine.makeService([
          "auth required pam_mfa.so tries=1", "account required pam_mfa.so",
        ])
        let start = try machine.log.position()
        let refused = try PAMClient.signIn(service: service, user: other, answers: [.noText])
        #expect(refused.prompts == ["One-time code: "])
        #expect(refused.code != "PAM_SUCCESS")
        let code = try enrollment.phone.code()
        var options = PAMClient.Options()
        options.asksAccount = true
        let accepted = try PAMClient.signIn(
          service: service, user: other, answers: [.text(code)], options: options)
        #expect(accepted.code == "PAM_SUCCESS")
        // The code is used for both names.
        let replayed = try PAMClient.signIn(
          service: service, user: user.name, answers: [.text(code)])
        #expect(replayed.code != "PAM_SUCCESS")
        let entries = try OneCode.logged(machine, since: start)
        #expect(entries.map { $0.fields["user"] } == [other, other, user.name])
        #expect(entries.map { $0.fields["result"] } == ["not-a-code", "accepted", "replayed"])
        let doctor = try Command.run(["/usr/sbin/mfa-admin", "doctor"])
        #expect(
          doctor.text.contains("warning: /etc/passwd: \(user.name), \(other) share uid"),
          "\(doctor.text)")
      }
    }

    @Test("the list of accounts with a uid is the same, read one by one or at once")
    func list() throws {
      try Machine.use { machine in
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
