import MFATestSupport
import Testing

extension EndToEnd {
  /// login, su and sudo at a terminal, with Debian's service files and the guide's lines.
  @Suite struct Services {
    static func lines() throws -> [String] { try Guide.blocks(under: "login, sudo, su")[0] }

    /// Returns the lines for su.
    static func switchUserLines() throws -> [String] {
      try Guide.blocks(under: "login, sudo, su")[1]
    }

    @Test func login() throws {
      try Machine.use { machine in
        let (user, enrollment) = try machine.addEnrolledUser()
        try machine.changeService("login", authentication: try Self.lines())
        let session = try TerminalSession(["/bin/login"])
        try session.expect("login: ")
        try session.send(user.name)
        try session.expect("Password: ")
        try session.send(user.password)
        try session.expect("One-time code: ")
        try session.send(try enrollment.phone.wrongCode())
        // Only the code is asked for again.
        try session.expect("Wrong code. Try again.\r\nOne-time code: ")
        try session.send(try enrollment.phone.code())
        try session.expect("$ ")
        try session.send("id -un > ~/was-here; exit")
        #expect(try session.waitForExit() == .exited(0), "\(session.transcript)")
        #expect(machine.contents(of: user.home + "/was-here") == Array("\(user.name)\n".utf8))
      }
    }

    @Test("su asks for the code of the target account, and asks root for none")
    func su() throws {
      try Machine.use { machine in
        let user = try machine.addUser()
        let (other, enrollment) = try machine.addEnrolledUser()
        try machine.changeService("su", authentication: try Self.switchUserLines())
        let code = try enrollment.phone.code()
        for isIn in [true, false] {
          let session = try TerminalSession(
            ["/bin/su", other.name, "-c", "echo uid=$(id -un)"], as: user.identity)
          try session.expect("Password: ")
          try session.send(other.password)
          try session.expect("One-time code: ")
          try session.send(code)
          if isIn {
            try session.expect("uid=\(other.name)")
          } else {
            try session.expect("That code has already been used.")
            for _ in 0..<2 {
              try session.expect("One-time code: ")
              try session.send("")
              try session.expect("That is not a code.")
            }
          }
          #expect(try session.waitForExit().isSuccess == isIn, "\(session.transcript)")
        }
        let fromRoot = try TerminalSession(["/bin/su", other.name, "-c", "echo uid=$(id -un)"])
        try fromRoot.expect("uid=\(other.name)")
        #expect(!fromRoot.text.contains("One-time code"), "\(fromRoot.transcript)")
      }
    }

    @Test("sudo asks for the caller's code")
    func sudo() throws {
      try Machine.use { machine in
        let (user, enrollment) = try machine.addEnrolledUser()
        try machine.changeService("sudo", authentication: try Self.lines())
        try machine.write("\(user.name) ALL=(ALL) ALL\n", to: "/etc/sudoers.d/mfa", mode: "0440")
        let session = try TerminalSession(["/usr/bin/sudo", "id", "-un"], as: user.identity)
        try session.expect("assword")
        try session.send(user.password)
        try session.expect("One-time code: ")
        try session.send(try enrollment.phone.wrongCode())
        // sudo passes PAM_SILENT, but users see that it was the code that was wrong.
        try session.expect("Wrong code. Try again.\r\nOne-time code: ")
        try session.send(try enrollment.phone.code())
        try session.expect("root")
        #expect(try session.waitForExit() == .exited(0), "\(session.transcript)")
      }
    }
  }
}
