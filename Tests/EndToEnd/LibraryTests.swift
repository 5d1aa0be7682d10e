import Foundation
import MFATestSupport
import Testing

extension EndToEnd {
  /// The samples of the library's documentation, in a program of another project that names this
  /// package by a version tag (Tests/Consumer).
  @Suite struct Library {
    @Test("the samples for programs from Identity Platform compile and run")
    func samples() throws {
      try Machine.use { machine in
        let user = try machine.addUser()
        let program = try build(in: machine.folder + "/library")
        let enrolment = try TerminalSession([program, "enroll"], as: user.identity)
        try enrolment.expect("Helper Policy System")
        try enrolment.expect("Password: ")
        try enrolment.send(user.password)
        let key = String(try enrolment.expect(matching: /([A-Z2-7]{32})\r\n/).output.1)
        try enrolment.expect("not opened: ")
        try enrolment.expect("SVG: true PNG: true")
        try enrolment.expect("Verification code: ")
        let phone = Authenticator(key: key)
        try enrolment.send(try phone.code())
        #expect(try enrolment.waitForExit() == .exited(0), "\(enrolment.transcript)")

        let signIn = try TerminalSession([program, "sign-in"], as: user.identity)
        try signIn.expect("factors: [Optional(\"TOTP\")]")
        try signIn.expect("Code: ")
        try signIn.send(try phone.code(offset: 1))
        try signIn.expect("signed in with: TOTP")
        #expect(try signIn.waitForExit() == .exited(0), "\(signIn.transcript)")

        let refused = try TerminalSession([program, "sign-in"], as: user.identity)
        try refused.expect("Code: ")
        try refused.send(try phone.code(offset: 1))
        try refused.expect("already")
        #expect(try refused.waitForExit() == .exited(0), "\(refused.transcript)")

        // Codes of later time steps are accepted, because a phone's clock may be ahead.
        let removal = try TerminalSession([program, "unenroll"], as: user.identity)
        try removal.expect(" TOTP totp ")
        try removal.expect("Password: ")
        try removal.send(user.password)
        try removal.expect(": ")
        try removal.send(try phone.code(offset: 2))
        // The factor was the newest, so the sample begins a new session.
        try removal.expect("Password: ")
        try removal.send(user.password)
        #expect(try removal.waitForExit() == .exited(0), "\(removal.transcript)")
        let list = try Command.succeed(["/usr/bin/mfa-enroll", "list"], as: user.identity)
        #expect(list == "\(user.name) has no device yet.\n")
        try documents(program, user)
        try Command.succeed(["/usr/sbin/mfa-admin", "revoke", user.name, "--all", "--yes"])
        try phoneSamples(program, user, machine)
      }
    }

    /// Runs the documents' own lines.
    private func documents(_ program: String, _ user: MachineUser) throws {
      let enrolment = try TerminalSession([program, "documents"], as: user.identity)
      try enrolment.expect("Password: ")
      try enrolment.send(user.password)
      let url = String(try enrolment.expect(matching: /URL: (otpauth:[^\r]+)\r\n/).output.1)
      #expect(url.contains(":\(user.name)?"), "\(url)")
      let phone = try Authenticator(url: url)
      try enrolment.expect("not opened: ")
      try enrolment.expect("Verification code: ")
      try enrolment.send(try phone.code())
      #expect(try enrolment.waitForExit() == .exited(0), "\(enrolment.transcript)")
      let signIn = try TerminalSession([program, "documents-sign-in"], as: user.identity)
      try signIn.expect("factors: [Optional(\"TOTP\")]")
      try signIn.expect("Code: ")
      try signIn.send(try phone.code(offset: 1))
      try signIn.expect("signed in with: TOTP")
      try signIn.expect("a session is required")
      #expect(try signIn.waitForExit() == .exited(0), "\(signIn.transcript)")
    }

    /// Runs the samples about phones.
    private func phoneSamples(_ program: String, _ user: MachineUser, _ machine: Machine) throws {
      let phone = try EnrollPhones.Phone(on: machine)
      let enrolment = try TerminalSession([program, "enroll-phone"], as: user.identity)
      try enrolment.expect("Password: ")
      try enrolment.send(user.password)
      try enrolment.expect("Phone number: ")
      try enrolment.send(phone.number)
      try enrolment.expect("Verification code: ")
      try enrolment.send(phone.code)
      #expect(try enrolment.waitForExit() == .exited(0), "\(enrolment.transcript)")
      let list = try Command.succeed(["/usr/bin/mfa-enroll", "list"], as: user.identity)
      #expect(list.contains(phone.masked), "\(list)")

      try SentCodesOfTests.age(user, 31)
      let signIn = try TerminalSession([program, "sign-in-phone"], as: user.identity)
      try signIn.expect("factors: [Optional(\"TOTP\")]")
      try signIn.expect("Code: ")
      try signIn.send(phone.code)
      try signIn.expect("signed in with: TOTP")
      #expect(try signIn.waitForExit() == .exited(0), "\(signIn.transcript)")
    }

    /// Builds the samples against a repository that contains this checkout as version 1.0.0.
    private func build(in folder: String) throws -> String {
      let package = try ConsumerPackage("samples", in: folder)
      let repository = folder + "/mfa"
      try Command.succeed(["/bin/mkdir", repository])
      for name in ["Package.swift", "Sources", "Tests", "pam", "packaging"] {
        try Command.succeed(["/bin/cp", "-r", "\(Checkout.folder)/\(name)", repository])
      }
      for arguments in [
        ["init", "--quiet"], ["add", "."],
        [
          "-c", "user.name=test", "-c", "user.email=test@localhost", "commit", "--quiet", "-m", "1",
        ],
        ["tag", "1.0.0"],
      ] {
        try Command.succeed(["/usr/bin/git", "-C", repository] + arguments)
      }
      let consumer = Checkout.folder + "/Tests/Consumer"
      try Command.succeed(["/bin/cp", "-r", consumer + "/Sources", package.folder])
      try package.write(
        try Self.lines(of: consumer + "/Package.swift").map {
          $0.replacing("LIBRARY", with: "file://" + repository)
        }, to: "Package.swift")
      try package.write(
        try Self.lines(of: consumer + "/Sources/samples/Samples.swift").flatMap {
          try Self.replacement(of: $0)
        }, to: "Sources/samples/Samples.swift")
      return try package.build("samples")
    }

    private static func lines(of path: String) throws -> [String] {
      try String(contentsOfFile: path, encoding: .utf8).components(separatedBy: "\n")
    }

    /// Returns the code that the documentation shows in place of a line `//= HEADING NUMBER`.
    private static func replacement(of line: String) throws -> [String] {
      guard let match = line.wholeMatch(of: #/ *//= (.*) ([0-9])/#),
        let number = Int(match.output.2)
      else { return [line] }
      let page = "Sources/Clients/MultiFactor/MultiFactor.docc/ComingFromIdentityPlatform.md"
      let blocks = try Guide.blocks(under: String(match.output.1), in: page)
      return try #require(blocks.indices.contains(number - 1) ? blocks[number - 1] : nil, "\(line)")
    }
  }
}
