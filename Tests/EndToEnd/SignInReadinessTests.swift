import Foundation
import MFATestSupport
import Testing

extension EndToEnd.Insight {
  /// A user, the stack of a service, and what a real sign-in with everything right leads to there.
  struct ReadinessRow: CustomTestStringConvertible, Sendable {
    let name: String
    /// The lines of the service, in which USER, GROUP and LIST stand for the user, a group of the user, and a
    /// file with the user's name.
    var lines = [
      "auth requisite pam_unix.so", "auth required pam_mfa.so", "account required pam_mfa.so",
      "account required pam_unix.so",
    ]
    var configuration = "[project]\n"
    var isEnrolled = true
    /// A command that changes the account.
    var command: [String] = []
    /// How often the user types a wrong password before.
    var wrongPasswords = 0
    /// The path of a file of the machine, and its contents.
    var file: [String] = []
    /// The result of the sign-in.
    let code: String
    /// Where readiness lists the user: the beginning of the line, or nil for a user who is ready.
    var listed: String?
    /// A part of that line.
    var reason = ""
    var testDescription: String { name }
  }

  private static let password = "auth requisite pam_unix.so"
  private static let asking = "auth required pam_mfa.so"
  private static let required = "[project]\nenrollment = required\n"
  private static let exempting =
    "[success=1 default=ignore] pam_succeed_if.so quiet user ingroup GROUP"

  static let readinessRows = [
    ReadinessRow(name: "a user with a factor", code: "PAM_SUCCESS"),
    ReadinessRow(
      name: "an account that has expired", command: ["/usr/bin/chage", "-E", "2020-01-01", "USER"],
      code: "PAM_ACCT_EXPIRED", listed: "cannot sign in: ",
      reason: "the account expired on 2020-01-01"),
    ReadinessRow(
      name: "a password that can no longer be changed",
      command: ["/usr/bin/chage", "-d", "2020-01-01", "-M", "10", "-I", "5", "USER"],
      code: "PAM_AUTHTOK_EXPIRED", listed: "cannot sign in: ",
      reason: "the password expired, and can no longer be changed"),
    ReadinessRow(
      name: "a locked password", command: ["/usr/sbin/usermod", "-L", "USER"], code: "PAM_AUTH_ERR",
      listed: "cannot sign in: ", reason: "a password is required, and the account has none"),
    ReadinessRow(
      name: "a group that the lines leave out",
      lines: [
        password, "auth \(exempting)", asking, "auth required pam_permit.so",
        "account \(exempting)", "account required pam_mfa.so", "account required pam_unix.so",
      ], configuration: required, isEnrolled: false, code: "PAM_SUCCESS"),
    ReadinessRow(
      name: "a list that the lines leave out",
      lines: [
        password,
        "auth [success=1 default=ignore] pam_listfile.so item=user sense=allow file=LIST onerr=fail",
        asking, "auth required pam_permit.so", "account required pam_unix.so",
      ], configuration: required, isEnrolled: false, code: "PAM_SUCCESS"),
    ReadinessRow(
      name: "a group that only the auth lines leave out",
      lines: [
        password, "auth \(exempting)", asking, "auth required pam_permit.so",
        "account required pam_mfa.so", "account required pam_unix.so",
      ], configuration: required, isEnrolled: false, code: "PAM_AUTH_ERR", listed: "  ",
      reason: "denied: "),
    ReadinessRow(
      name: "a line whose denial is ignored",
      lines: [password, "auth optional pam_mfa.so", "account required pam_unix.so"],
      configuration: required, isEnrolled: false, code: "PAM_SUCCESS"),
    ReadinessRow(
      name: "a line that cannot enrol", lines: [password, asking, "account required pam_unix.so"],
      configuration: required, isEnrolled: false, code: "PAM_AUTH_ERR", listed: "  ",
      reason: "has no factor, but must have one"),
    // The conversation ends at the first question about the new factor.
    ReadinessRow(
      name: "a user who can enrol at the sign-in", configuration: required, isEnrolled: false,
      code: "PAM_AUTH_ERR", listed: "has to enrol: ",
      reason: "1 has to enrol at a sign-in"),
    ReadinessRow(
      name: "an offer that goes on",
      configuration: "[project]\nenrollment = offered\noffer_sign_ins = 3\n", isEnrolled: false,
      code: "PAM_SUCCESS"),
    ReadinessRow(
      name: "a host that admits root alone",
      lines: [password, asking, "account required pam_nologin.so", "account required pam_unix.so"],
      file: ["/etc/nologin", "closed\n"], code: "PAM_AUTH_ERR", listed: "cannot sign in: ",
      reason: "pam_nologin.so refuses all users but root while /etc/nologin exists: "),
    ReadinessRow(
      name: "a host that admits all users",
      lines: [password, asking, "account required pam_nologin.so", "account required pam_unix.so"],
      code: "PAM_SUCCESS"),
    ReadinessRow(
      name: "a shell that is not listed",
      lines: [password, asking, "account required pam_shells.so", "account required pam_unix.so"],
      file: ["/etc/shells", "/bin/other\n"], code: "PAM_AUTH_ERR", listed: "cannot sign in: ",
      reason: "pam_shells.so refuses the shell /bin/"),
    ReadinessRow(
      name: "a locked tally",
      lines: [
        "auth required pam_faillock.so preauth", "auth [success=1 default=bad] pam_unix.so",
        "auth [default=die] pam_faillock.so authfail", asking, "account required pam_unix.so",
      ], wrongPasswords: 3, code: "PAM_AUTH_ERR", listed: "cannot sign in: ",
      reason: "pam_faillock.so has locked the account after too many wrong passwords: "),
    ReadinessRow(
      name: "a tally that is not locked yet",
      lines: [
        "auth required pam_faillock.so preauth deny=5",
        "auth [success=1 default=bad] pam_unix.so",
        "auth [default=die] pam_faillock.so authfail deny=5", asking,
        "account required pam_unix.so",
      ], wrongPasswords: 3, code: "PAM_SUCCESS"),
  ]

  @Test("readiness says of a user what a real sign-in does", arguments: readinessRows)
  func signInReadiness(row: ReadinessRow) throws {
    let user: MachineUser
    var codes: [PAMClient.Answer] = []
    if row.isEnrolled {
      let (enrolled, enrollment) = try machine.addEnrolledUser()
      user = enrolled
      codes = [.text(try enrollment.phone.code(offset: 1))]
    } else {
      user = try machine.addUser()
    }
    func filled(_ text: String) -> String {
      text.replacing("USER", with: user.name).replacing("GROUP", with: user.name)
        .replacing("LIST", with: "/etc/mfa-list")
    }
    try machine.write(user.name + "\n", to: "/etc/mfa-list")
    let service = try machine.makeService(row.lines.map { filled($0) })
    try machine.writeConfiguration(row.configuration)
    if !row.command.isEmpty { try Command.succeed(row.command.map { filled($0) }) }

    if let path = row.file.first, let text = row.file.last {
      try machine.keep(path)
      try machine.write(text, to: path)
    }

    var options = PAMClient.Options()
    options.asksAccount = true
    for _ in 0..<row.wrongPasswords {
      _ = try PAMClient.signIn(
        service: service, user: user.name, answers: [.text("wrong"), .failure], options: options)
    }
    let outcome = try PAMClient.signIn(
      service: service, user: user.name, answers: [.text(user.password)] + codes + [.failure],
      options: options)
    #expect(outcome.code == row.code, "\(row.name): \(outcome)")

    func says(_ text: String) -> Bool {
      row.reason.isEmpty || text.replacing("\n", with: " ").contains(row.reason)
    }
    // The user alone, and among all.
    for arguments in [[user.name], []] {
      let command = try Command.run(["/usr/sbin/mfa-admin", "readiness"] + arguments)
      let lines = command.text.split(separator: "\n", omittingEmptySubsequences: false)
        .filter { $0.contains(user.name) }
      guard let listed = row.listed else {
        #expect(lines.isEmpty, "\(row.name): \(command.text)")
        continue
      }
      #expect(lines.count == 1, "\(row.name): \(command.text)")
      #expect(
        lines.first?.hasPrefix(listed + user.name) == true
          && says(command.text),
        "\(row.name): \(command.text)")
      #expect(
        (command.status == .exited(1)) == (listed == "  ") || arguments.isEmpty
          || command.text.contains("no first factor"), "\(row.name): \(command)")
    }
    let explained = try Command.run([
      "/usr/sbin/mfa-admin", "explain", "--user", user.name, "--service", service,
    ])
    let isExcluded = row.listed == "cannot sign in: "
    #expect(says(explained.text) || !isExcluded, "\(explained.text)")
    #expect(
      explained.text.hasPrefix("decision     denied: ") == (isExcluded || row.listed == "  "),
      "\(explained.text)")
  }

  @Test(
    "readiness checks users by name, from a list and of a group, and refuses those that cannot be"
  )
  func selectedUsers() throws {
    let (user, _) = try machine.addEnrolledUser()
    let other = try machine.addUser(groups: ["operator"])
    _ = try machine.makeService([
      "auth requisite pam_unix.so", "auth required pam_mfa.so", "account required pam_mfa.so",
      "account required pam_unix.so",
    ])
    try machine.writeConfiguration("[project]\nenrollment = required\n")
    let list = machine.folder + "/users"
    try machine.write("# the users\n\n  \(user.name)  \n\(other.name)\nnobody-here\n", to: list)
    func readiness(_ arguments: [String], input: String = "") throws -> Command {
      try Command.run(
        ["/usr/sbin/mfa-admin", "readiness"] + arguments, input: Array(input.utf8))
    }
    let one = "1 of 1 ready\n"
    let enrolls = "0 of 1 ready, 1 has to enrol at a sign-in\nhas to enrol: \(other.name)\n"
    let both =
      "1 of 3 ready, 1 has to enrol at a sign-in, 1 cannot sign in anyway\n"
      + "has to enrol: \(other.name)\n"
      + "cannot sign in: nobody-here: there is no account with this name\n"
    for (arguments, input, expected) in [
      ([user.name], "", one), ([user.name, user.name], "", one),
      (["--group", "operator"], "", enrolls), (["--group", other.name], "", enrolls),
      (["--users-from", "-"], "\(other.name)\n", enrolls), (["--users-from", list], "", both),
      (["--users-from", list, "--group", "operator", user.name], "", both),
    ] {
      let command = try readiness(arguments, input: input)
      #expect(command.text == expected, "\(arguments): \(command)")
      #expect(command.status == .exited(0), "\(arguments): \(command)")
    }
    for (arguments, status, error) in [
      (["--group", "no-such-group"], Int32(2), "there is no group no-such-group"),
      (["--users-from", "/no/such/file"], 1, "/no/such/file"),
      (["a/b\u{7}"], 2, "cannot be a user's name"),
    ] {
      let command = try readiness(arguments)
      #expect(command.status == .exited(status), "\(arguments): \(command)")
      #expect(command.errorText.contains(error), "\(arguments): \(command)")
      #expect(command.text.isEmpty, "\(arguments): \(command)")
    }
  }

  @Test("readiness says which modules it does not examine")
  func modules() throws {
    _ = try machine.addUser()
    let service = try machine.makeService([
      "auth requisite pam_unix.so", "auth required pam_mfa.so", "account required pam_access.so",
      "account required pam_time.so", "account optional pam_other.so",
      "account required pam_unix.so",
    ])
    let text = try Command.run(["/usr/sbin/mfa-admin", "readiness"]).text
      .replacing("\n", with: " ")
    for (module, line) in [("pam_access.so", 3), ("pam_time.so", 4)] {
      #expect(
        text.contains("not examined: whom \(module) refuses (/etc/pam.d/\(service):\(line))"),
        "\(text)")
    }
    #expect(!text.contains("pam_other.so"), "\(text)")
  }

  @Test("root is denied at sudo if a factor is required, which readiness and explain say")
  func rootAtSudo() throws {
    try machine.keep("/etc/pam.d/sudo")
    try machine.write(
      "auth requisite pam_unix.so\nauth required pam_mfa.so\naccount required pam_mfa.so\n"
        + "account required pam_permit.so\nsession required pam_permit.so\n",
      to: "/etc/pam.d/sudo")
    for (enrollment, isDenied) in [("required", true), ("self-service", false)] {
      try machine.writeConfiguration("[project]\nenrollment = \(enrollment)\n")
      let sudo = try Command.run(["/usr/bin/sudo", "-n", "/bin/true"])
      #expect((sudo.status == .exited(0)) != isDenied, "\(sudo)")
      let readiness = try Command.run(["/usr/sbin/mfa-admin", "readiness", "root"])
      let text = readiness.text.replacing("\n", with: " ")
      #expect(text.contains("  root at sudo: denied: ") == isDenied, "\(readiness)")
      #expect((readiness.status == .exited(1)) == isDenied, "\(readiness)")
      let explained = try Command.run([
        "/usr/sbin/mfa-admin", "explain", "--user", "root", "--service", "sudo",
      ])
      #expect(explained.text.hasPrefix("decision     denied: ") == isDenied, "\(explained)")
    }
  }

  @Test("readiness says whom it does not examine, if users come from a directory")
  func directories() throws {
    _ = try machine.addUser()
    try machine.keep("/etc/nsswitch.conf")
    let local = try Command.run(["/usr/sbin/mfa-admin", "readiness"])
    #expect(!local.text.contains("/etc/nsswitch.conf"), "\(local.text)")
    // The libraries of the directories are not installed, and libc leaves them out.
    try machine.write(
      "passwd: files sss [NOTFOUND=return] ldap\ngroup: files sss\nshadow: files\nhosts: files\n",
      to: "/etc/nsswitch.conf")
    let all = try Command.run(["/usr/sbin/mfa-admin", "readiness"])
    #expect(
      all.text.replacing("\n", with: " ")
        .contains("not examined: users of sss, ldap (/etc/nsswitch.conf:1)"), "\(all.text)")
    let one = try Command.run(["/usr/sbin/mfa-admin", "readiness", "root"])
    #expect(!one.text.contains("/etc/nsswitch.conf"), "\(one.text)")
  }
}
