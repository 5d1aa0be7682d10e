import MFACTestSupport
import MFATestSupport
import Testing

extension EndToEnd {
  /// `mfa-admin enable` for programs with one field for the password and the code, with Debian's vsftpd, and for
  /// programs that cannot ask for a code.
  @Suite struct OneField {
    init() throws { try machine.keepServices() }

    /// A running vsftpd.
    struct Server {
      let port: Int
      private let process: ChildProcess

      init(on machine: Machine) throws {
        port = Int(ctest_free_port())
        let empty = machine.folder + "/empty"
        try Command.succeed(["/bin/mkdir", "-m", "0755", empty])
        let settings = machine.folder + "/vsftpd.conf"
        try machine.write(
          """
          listen=YES
          listen_address=127.0.0.1
          listen_port=\(port)
          background=NO
          anonymous_enable=NO
          local_enable=YES
          pam_service_name=vsftpd
          secure_chroot_dir=\(empty)

          """, to: settings)
        process = try ChildProcess(["/usr/sbin/vsftpd", settings])
      }

      /// Returns whether a user who types this answer is signed in.
      func letsIn(_ user: MachineUser, _ answer: String) throws -> Bool {
        let client = try Command.run([
          "/usr/bin/curl", "--silent", "--show-error", "--list-only", "--retry", "50",
          "--retry-connrefused", "--retry-delay", "1", "--user", "\(user.name):\(answer)",
          "ftp://127.0.0.1:\(port)/",
        ])
        // 67 is CURLE_LOGIN_DENIED.
        #expect([.exited(0), .exited(67)].contains(client.status), "\(client)")
        return client.status == .exited(0)
      }
    }

    @Test("after enable vsftpd, users type the code directly after the password")
    func vsftpd() throws {
      let files = ServiceFiles(["vsftpd"])
      let (user, enrollment) = try machine.addEnrolledUser()
      let other = try machine.addUser()
      let server = try Server(on: machine)
      #expect(try server.letsIn(user, user.password))
      let enabled = try machine.administer("enable", "--no-confirm", "vsftpd")
      #expect(enabled.status == .exited(0), "\(enabled.errorText)")
      #expect(
        enabled.errorText.contains(
          "note: vsftpd: users type the code directly after the password, in the same field"))
      let codes = try enrollment.phone.codes(fromStep: enrollment.phone.step(), count: 2)
      #expect(try server.letsIn(user, user.password + codes[0]))
      #expect(try !server.letsIn(user, user.password + codes[0]), "the code is used")
      #expect(try !server.letsIn(user, user.password), "there is no code")
      #expect(try !server.letsIn(user, "x" + user.password + codes[1]), "the password is wrong")
      #expect(try server.letsIn(other, other.password), "the user has not enrolled")
      #expect(try !server.letsIn(other, "x" + other.password))
      try machine.mustAdminister("disable", "vsftpd")
      #expect(files.isRestored)
      #expect(try server.letsIn(user, user.password))
    }

    @Test(
      "enable login says that i3lock, which includes its file, has one field, and the hint helps")
    func follower() throws {
      let (user, enrollment) = try machine.addEnrolledUser()
      let enabled = try machine.administer("enable", "--no-confirm", "login")
      #expect(enabled.status == .exited(0), "\(enabled.errorText)")
      #expect(
        enabled.errorText.contains(
          "warning: login: i3lock includes this file and has one field: users who have enrolled can no longer"
        ),
        "\(enabled.errorText)")
      func finding() throws -> Bool {
        try machine.administer("doctor", "--json").text.contains("\"one-field\"")
      }
      func unlocks(_ answer: String) throws -> Bool {
        // The program gives each question the same answer.
        let answers: [PAMClient.Answer] = [
          .text(answer), .text(answer), .text(answer), .text(answer),
        ]
        return try PAMClient.signIn(service: "i3lock", user: user.name, answers: answers).code
          == "PAM_SUCCESS"
      }
      let codes = try enrollment.phone.codes(fromStep: enrollment.phone.step(), count: 2)
      #expect(try finding())
      #expect(try !unlocks(user.password + codes[0]))
      // What the hint says.
      try machine.write(
        "auth required pam_mfa.so forward_pass\n@include common-auth\n", to: "/etc/pam.d/i3lock")
      #expect(try !finding())
      #expect(try unlocks(user.password + codes[1]))
      try machine.mustAdminister("disable", "login")
    }

    @Test("doctor reports the cache of saslauthd, and the hint helps")
    func cache() throws {
      try machine.write(
        "auth required pam_mfa.so forward_pass\n@include common-auth\naccount required pam_mfa.so\n",
        to: "/etc/pam.d/smtp")
      func finding() throws -> Bool {
        try machine.administer("doctor", "--json").text.contains("\"used-code-accepted\"")
      }
      let settings = "MECHANISMS=\"pam\"\nTHREADS=5\nOPTIONS=\"-c -m /var/run/saslauthd\"\n"
      try machine.write(settings, to: "/etc/default/saslauthd")
      #expect(try finding())
      try machine.write(settings.replacing("-c ", with: ""), to: "/etc/default/saslauthd")
      #expect(try !finding())
    }

    @Test("enable openvpn writes the lines that suit the settings of its servers")
    func openVPN() throws {
      let (service, settings) = ("/etc/pam.d/openvpn", "/etc/openvpn/server/mfa-test.conf")
      try machine.write(
        "auth requisite pam_unix.so\naccount required pam_unix.so\n", to: service)
      try machine.keep("/etc/openvpn")
      try Command.succeed(["/bin/mkdir", "-p", "/etc/openvpn/server"])
      let (user, enrollment) = try machine.addEnrolledUser()
      let codes = try enrollment.phone.codes(fromStep: enrollment.phone.step(), count: 2)
      for (list, answers) in [
        ("", [user.password + codes[0]]),
        (" login USERNAME password PASSWORD verification OTP", [user.password, codes[1]]),
      ] {
        try machine.write(
          "auth-gen-token\nplugin /usr/lib/openvpn/openvpn-plugin-auth-pam.so \"openvpn\(list)\"\n",
          to: settings)
        try machine.mustAdminister("enable", "--no-confirm", "openvpn")
        let findings = try machine.administer("doctor").text
        for code in ["[one-field]", "[openvpn-"] {
          #expect(!findings.contains(code), "\(findings)")
        }
        let outcome = try PAMClient.signIn(
          service: "openvpn", user: user.name, answers: answers.map { .text($0) })
        #expect(outcome.code == "PAM_SUCCESS", "\(outcome)")
        #expect(outcome.prompts.count == answers.count, "\(outcome)")
        try machine.mustAdminister("disable", "openvpn")
      }
    }

    @Test("a service whose program is not known is enabled once the administrator says how it asks")
    func unknown() throws {
      let service = try machine.makeService([
        "auth requisite pam_unix.so", "account required pam_unix.so",
      ])
      let refused = try machine.administer("enable", "--no-confirm", service)
      #expect(refused.status == .exited(1))
      #expect(
        refused.errorText.contains(
          "\(service): it is not known whether its program asks the user each of PAM's questions"))
      let (user, enrollment) = try machine.addEnrolledUser()
      for option in ["--fields", "--one-field"] {
        #expect(refused.errorText.contains(option), "\(refused.errorText)")
        try machine.mustAdminister("enable", "--no-confirm", option, service)
        let code = try enrollment.phone.code(offset: option == "--fields" ? 0 : 1)
        let answers = option == "--fields" ? [user.password, code] : [user.password + code]
        let outcome = try PAMClient.signIn(
          service: service, user: user.name, answers: answers.map { .text($0) })
        #expect(outcome.code == "PAM_SUCCESS", "\(option): \(outcome)")
        #expect(outcome.prompts.count == answers.count, "\(option): \(outcome)")
        try machine.mustAdminister("disable", service)
      }
    }

    @Test("a program that cannot ask for a code is not enabled", arguments: ["nginx", "cron"])
    func unsuitable(service: String) throws {
      let path = "/etc/pam.d/\(service)"
      let text = "@include common-auth\n@include common-account\n"
      try machine.write(text, to: path)
      let refused = try machine.administer("enable", "--no-confirm", service)
      #expect(refused.status == .exited(1))
      let hint =
        service == "nginx" ? "hint: let users make passwords for programs: " : "hint: leave "
      #expect(refused.errorText.contains(hint), "\(refused.errorText)")
      #expect(machine.contents(of: path) == Array(text.utf8))
    }
  }
}
