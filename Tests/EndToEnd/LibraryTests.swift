import Foundation
import MFATestSupport
import Testing

extension EndToEnd {
  /// The samples of the library's documentation, in a program of another project that names this
  /// package by a version tag (Tests/Consumer).
  @Suite struct Library {
    @Test("the samples for programs from Identity Platform compile and run")
    func samples() throws {
      let user = try machine.addUser()
      let program = try build(in: machine.folder + "/library")
      let enrolment = try TerminalSession([program, "enroll"], as: user.identity)
      try enrolment.expect("Helper Policy System")
      try enrolment.answer("Password: ", with: user.password)
      let key = String(try enrolment.expect(matching: /([A-Z2-7]{32})\r\n/).output.1)
      try enrolment.expect("not opened: ")
      try enrolment.expect("SVG: true PNG: true")
      try enrolment.expect("Verification code: ")
      let phone = Authenticator(key: key)
      try enrolment.send(try phone.code())
      #expect(try enrolment.waitForExit() == .exited(0), "\(enrolment.transcript)")

      let signIn = try TerminalSession([program, "sign-in"], as: user.identity)
      try signIn.expect("factors: [Optional(\"TOTP\")]")
      try signIn.answer("Code: ", with: try phone.code(offset: 1))
      try signIn.expect("signed in with: TOTP")
      #expect(try signIn.waitForExit() == .exited(0), "\(signIn.transcript)")

      let refused = try TerminalSession([program, "sign-in"], as: user.identity)
      try refused.answer("Code: ", with: try phone.code(offset: 1))
      try refused.expect("already")
      #expect(try refused.waitForExit() == .exited(0), "\(refused.transcript)")

      // Codes of later time steps are accepted, because a phone's clock may be ahead.
      let removal = try TerminalSession([program, "unenroll"], as: user.identity)
      try removal.expect(" TOTP totp ")
      try removal.answer("Password: ", with: user.password)
      try removal.answer(": ", with: try phone.code(offset: 2))
      // The factor was the newest, so the sample begins a new session.
      try removal.answer("Password: ", with: user.password)
      #expect(try removal.waitForExit() == .exited(0), "\(removal.transcript)")
      let list = try user.mustEnroll("list")
      #expect(list == "\(user.name) has no device yet.\n")
      try documents(program, user)
      try machine.mustAdminister("revoke", user.name, "--all", "--yes")
      try phoneSamples(program, user, machine)
      try olderDocuments(program)
    }

    /// Runs the documents' lines with completion handlers.
    private func olderDocuments(_ program: String) throws {
      let user = try machine.addUser()
      try machine.writeConfiguration(
        "[project]\nfactors = totp, phone\nphone_test_numbers = +15105550000=123456\n")
      let session = try TerminalSession([program, "older-documents"], as: user.identity)
      try session.answer("Phone number: ", with: "+15105550000")
      try session.answer("Password: ", with: user.password)
      try session.expect("Verification code: ")
      // The sample asks for the next code at once.
      try SentCodesOfTests.age(user, 31)
      try session.send("123456")
      try session.expect("enrolled: true")
      try session.answer("Verification code: ", with: "123456")
      try session.expect("signed in with: work")
      // The session continues, so nothing is asked for.
      let url = String(try session.expect(matching: /URL: (otpauth:[^\r]+)\r\n/).output.1)
      try session.answer("Verification code: ", with: try Authenticator(url: url).code())
      try session.expect("enrolled: true")
      try session.expect("removed: true")
      #expect(try session.waitForExit() == .exited(0), "\(session.transcript)")
    }

    /// Runs the documents' own lines.
    private func documents(_ program: String, _ user: MachineUser) throws {
      let enrolment = try TerminalSession([program, "documents"], as: user.identity)
      try enrolment.answer("Password: ", with: user.password)
      let url = String(try enrolment.expect(matching: /URL: (otpauth:[^\r]+)\r\n/).output.1)
      #expect(url.contains(":\(user.name)?"), "\(url)")
      let phone = try Authenticator(url: url)
      try enrolment.expect("not opened: ")
      try enrolment.answer("Verification code: ", with: try phone.code())
      #expect(try enrolment.waitForExit() == .exited(0), "\(enrolment.transcript)")
      let signIn = try TerminalSession([program, "documents-sign-in"], as: user.identity)
      try signIn.expect("factors: [Optional(\"TOTP\")]")
      try signIn.answer("Code: ", with: try phone.code(offset: 1))
      try signIn.expect("signed in with: TOTP")
      try signIn.expect("a session is required")
      #expect(try signIn.waitForExit() == .exited(0), "\(signIn.transcript)")
    }

    /// Runs the samples about phones.
    private func phoneSamples(_ program: String, _ user: MachineUser, _ machine: Machine) throws {
      let phone = try EnrollPhones.Phone(on: machine)
      let enrolment = try TerminalSession([program, "enroll-phone"], as: user.identity)
      try enrolment.answer("Password: ", with: user.password)
      try enrolment.answer("Phone number: ", with: phone.number)
      try enrolment.answer("Verification code: ", with: phone.code)
      #expect(try enrolment.waitForExit() == .exited(0), "\(enrolment.transcript)")
      let list = try user.mustEnroll("list")
      #expect(list.contains(phone.masked), "\(list)")

      try SentCodesOfTests.age(user, 31)
      let signIn = try TerminalSession([program, "sign-in-phone"], as: user.identity)
      try signIn.expect("factors: [Optional(\"TOTP\")]")
      try signIn.answer("Code: ", with: phone.code)
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

  /// The guide's example program, built as shown and run by an ordinary user.
  @Suite struct Program {
    @Test("the guide's example program enrols, lists and removes a factor")
    func program() throws {
      let user = try machine.addUser()
      let program = try build(in: machine.folder + "/program")
      let session = try TerminalSession([program], as: user.identity)
      try session.answer("Password: ", with: user.password)
      let url = String(try session.expect(matching: /(otpauth:[^\r]+)\r\n/).output.1)
      let phone = try Authenticator(url: url)
      try session.answer("Code from the app: ", with: try phone.wrongCode())
      try session.expect("Wrong code. Try again.")
      try session.answer("Code from the app: ", with: try phone.code())
      try session.expect("enrolled: settings, totp, ")
      let recoveryCode = String(
        try session.expect(matching: /them safe:\r\n([0-9a-z-]{19})\r\n/).output.1)
      #expect(try session.waitForExit() == .exited(0), "\(session.transcript)")
      #expect(session.text.contains(phone.key))
      #expect(!session.text.contains(user.password))

      let removal = try TerminalSession([program, "remove"], as: user.identity)
      try removal.answer("Password: ", with: user.password)
      try removal.answer(": ", with: recoveryCode)
      try removal.expect("removed; signed out: true")
      #expect(try removal.waitForExit() == .exited(0), "\(removal.transcript)")
      let list = try user.mustEnroll("list")
      #expect(list == "\(user.name) has no device yet.\n")

      let stranger = try TerminalSession([program], as: user.identity)
      try stranger.answer("Password: ", with: "not the password")
      try stranger.expect("Wrong password.")
      try stranger.expect("hint: ")
      #expect(try stranger.waitForExit() == .exited(1), "\(stranger.transcript)")

      let interrupted = try TerminalSession(
        ["/bin/sh", "-c", program + "; echo status $?; stty -a"], as: user.identity)
      try interrupted.expect("Password: ")
      try interrupted.sendKeys(Array("secret".utf8) + [3])
      try interrupted.expect("status 130")
      _ = try interrupted.expect(matching: /\sisig icanon iexten echo echoe/)
      #expect(try interrupted.waitForExit() == .exited(0), "\(interrupted.transcript)")
      #expect(!interrupted.text.contains("secret"))

      let suspended = try TerminalSession(
        ["/bin/bash", "-mc", program + "; echo status $?; stty -a; fg"], as: user.identity)
      try suspended.expect("Password: ")
      try suspended.sendKeys(Array("sec".utf8) + [26])
      try suspended.expect("status 148")
      _ = try suspended.expect(matching: /\sisig icanon iexten echo echoe/)
      try suspended.answer("Password: ", with: user.password)
      try suspended.expect("Code from the app: ")
      try suspended.sendKeys([4])
      try suspended.expect("Nothing was changed.")
      #expect(try suspended.waitForExit() == .exited(1), "\(suspended.transcript)")

      let full = try TerminalSession(
        ["/bin/sh", "-c", program + " >/dev/full; echo status $?"], as: user.identity)
      try full.answer("Password: ", with: user.password)
      try full.expect("standard output cannot be written")
      try full.expect("status 1")
      #expect(try full.waitForExit() == .exited(0), "\(full.transcript)")

      let declined = try TerminalSession([program], as: user.identity)
      try declined.answer("Password: ", with: user.password)
      try declined.expect("Code from the app: ")
      try declined.sendKeys([4])
      try declined.expect("Nothing was changed.")
      #expect(try declined.waitForExit() == .exited(1), "\(declined.transcript)")
      let unchanged = try user.mustEnroll("list")
      #expect(unchanged == list)

      let alone = try Command.run([program], as: user.identity)
      #expect(alone.status == .exited(1) && alone.text.contains("Wrong password."))
    }

    /// Builds the program next to the checkout, as the guide says, by path.
    private func build(in folder: String) throws -> String {
      let blocks = try Guide.blocks(under: "In Swift", in: "packaging/doc/library.md")
      let package = try ConsumerPackage("settings", in: folder)
      try Command.succeed(["/bin/ln", "-s", Checkout.folder, folder + "/mfa"])
      try package.write(
        ["import Helper", "import Policy", "import System"] + blocks[1],
        to: "Sources/settings/Settings.swift")
      // The consumer has targets with the names of folders of this package.
      let names = ["Policy", "System", "Helper"]
      try package.write(
        blocks[0].flatMap { line in
          line == "  targets: ["
            ? [line] + names.map { "    .target(name: \"\($0)\")," } : [line]
        }.map {
          $0.replacing(
            "dependencies: [.product",
            with: "dependencies: [\(names.map { "\"\($0)\"" }.joined(separator: ", ")), .product")
        }, to: "Package.swift")
      for name in names {
        let source = Checkout.folder + "/Tests/Consumer/Sources/\(name)"
        try Command.succeed(["/bin/cp", "-r", source, package.folder + "/Sources/\(name)"])
      }
      return try package.build("settings")
    }
  }
}

/// A package of another project that uses this one, built without the network and without OpenSSL's
/// headers.
struct ConsumerPackage {
  let folder: String
  private let home: String
  private let parser: String

  /// Creates the package in a new folder next to `mfa`. The dependencies of `mfa` come from the
  /// checkout's own build folder.
  init(_ name: String, in folder: String) throws {
    self.folder = folder + "/" + name
    home = folder + "/home"
    parser = folder + "/swift-argument-parser"
    try Command.succeed(["/bin/mkdir", "-p", self.folder, home])
    try Command.succeed([
      "/bin/cp", "-r", Checkout.folder + "/.build/checkouts/swift-argument-parser", parser,
    ])
  }

  /// Writes a file, and the folders above it.
  func write(_ lines: [String], to path: String) throws {
    let file = folder + "/" + path
    try FileManager.default.createDirectory(
      atPath: (file as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    try lines.joined(separator: "\n").write(toFile: file, atomically: false, encoding: .utf8)
  }

  /// Builds the package, and returns the path of the program.
  func build(_ program: String) throws -> String {
    try swift([
      "package", "config", "set-mirror", "--mirror", parser, "--original",
      "https://github.com/apple/swift-argument-parser",
    ])
    let headers = "/usr/include/openssl"
    try Command.succeed(["/bin/mount", "-t", "tmpfs", "none", headers])
    defer { _ = try? Command.run(["/bin/umount", headers]) }
    try swift([
      "build", "--jobs", "2", "--product", program, "--disable-index-store",
      "-debug-info-format", "none",
    ])
    try Command.succeed([
      "/bin/chmod", "-R", "a+rX", (folder as NSString).deletingLastPathComponent,
    ])
    return folder + "/.build/debug/" + program
  }

  private func swift(_ arguments: [String]) throws {
    try Command.succeed(
      ["/usr/bin/nice", try Self.swift(), arguments[0], "--package-path", folder]
        + arguments.dropFirst(),
      environment: ["HOME": home, "PATH": "/usr/bin:/bin"], deadline: .after(seconds: 1800))
  }

  /// Returns the Swift compiler that built the tests.
  private static func swift() throws -> String {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    for folder in folders where FileManager.default.isExecutableFile(atPath: folder + "/swift") {
      return folder + "/swift"
    }
    throw HarnessFailure("swift is not on the PATH")
  }
}
