import Foundation
import MFATestSupport
import Testing

extension EndToEnd {
  /// The guide's example program, built as shown and run by an ordinary user.
  @Suite struct Program {
    @Test("the guide's example program enrols, lists and removes a factor")
    func program() throws {
      try Machine.use { machine in
        let user = try machine.addUser()
        let program = try build(in: machine.folder + "/program")
        let session = try TerminalSession([program], as: user.identity)
        try session.expect("Password: ")
        try session.send(user.password)
        let url = String(try session.expect(matching: /(otpauth:[^\r]+)\r\n/).output.1)
        let phone = try Authenticator(url: url)
        try session.expect("Code from the app: ")
        try session.send(try phone.wrongCode())
        try session.expect("Wrong code. Try again.")
        try session.expect("Code from the app: ")
        try session.send(try phone.code())
        try session.expect("enrolled: settings, totp, ")
        let recoveryCode = String(
          try session.expect(matching: /them safe:\r\n([0-9a-z-]{19})\r\n/).output.1)
        #expect(try session.waitForExit() == .exited(0), "\(session.transcript)")
        #expect(session.text.contains(phone.key))
        #expect(!session.text.contains(user.password))

        let removal = try TerminalSession([program, "remove"], as: user.identity)
        try removal.expect("Password: ")
        try removal.send(user.password)
        try removal.expect(": ")
        try removal.send(recoveryCode)
        try removal.expect("removed; signed out: true")
        #expect(try removal.waitForExit() == .exited(0), "\(removal.transcript)")
        let list = try Command.succeed(["/usr/bin/mfa-enroll", "list"], as: user.identity)
        #expect(list == "\(user.name) has no device yet.\n")

        let stranger = try TerminalSession([program], as: user.identity)
        try stranger.expect("Password: ")
        try stranger.send("not the password")
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
        try suspended.expect("Password: ")
        try suspended.send(user.password)
        try suspended.expect("Code from the app: ")
        try suspended.sendKeys([4])
        try suspended.expect("Nothing was changed.")
        #expect(try suspended.waitForExit() == .exited(1), "\(suspended.transcript)")

        let full = try TerminalSession(
          ["/bin/sh", "-c", program + " >/dev/full; echo status $?"], as: user.identity)
        try full.expect("Password: ")
        try full.send(user.password)
        try full.expect("standard output cannot be written")
        try full.expect("status 1")
        #expect(try full.waitForExit() == .exited(0), "\(full.transcript)")

        let declined = try TerminalSession([program], as: user.identity)
        try declined.expect("Password: ")
        try declined.send(user.password)
        try declined.expect("Code from the app: ")
        try declined.sendKeys([4])
        try declined.expect("Nothing was changed.")
        #expect(try declined.waitForExit() == .exited(1), "\(declined.transcript)")
        let unchanged = try Command.succeed(["/usr/bin/mfa-enroll", "list"], as: user.identity)
        #expect(unchanged == list)

        let alone = try Command.run([program], as: user.identity)
        #expect(alone.status == .exited(1) && alone.text.contains("Wrong password."))
      }
    }

    /// Builds the program next to the checkout, as the guide says, by path.
    private func build(in folder: String) throws -> String {
      let blocks = try Guide.blocks(
        under: "From a Swift program", in: "packaging/doc/library.md")
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
