import Foundation
import MFATestSupport
import Testing

extension EndToEnd {
  /// The text with which a sign-in by ssh ends, as clients other than OpenSSH's show it.
  @Suite struct ClosingClients {
    /// Returns a server at which the user has typed too many wrong codes.
    private static func throttled() throws -> (MachineUser, PrivateServer) {
      let (user, enrollment) = try machine.addEnrolledUser()
      let server = try SecureShell().server(machine, heading: "ssh: the password, then a code")
      let service = try machine.makeService(OneCode.stack)
      for code in try enrollment.phone.wrongCodes(count: 5) {
        _ = try user.signIn(to: service, typing: code)
      }
      return (user, server)
    }

    private static let client = "/usr/bin/plink"

    @Test(
      "plink shows why the sign-in ends, and stops",
      .enabled("plink is not installed") {
        FileManager.default.isExecutableFile(atPath: "/usr/bin/plink")
      })
    func plinkStops() throws {
      let (user, server) = try Self.throttled()
      let key = try Command.succeed([
        "/bin/sh", "-c",
        "ssh-keyscan -t ed25519 -p \(server.port) 127.0.0.1 2>/dev/null | ssh-keygen -lf -",
      ])
      let fingerprint = String(key.split(separator: " ")[1])
      let session = try TerminalSession([
        Self.client, "-ssh", "-P", "\(server.port)", "-hostkey", fingerprint,
        "\(user.name)@127.0.0.1",
        SecureShell.command,
      ])
      try session.answer("Password: ", with: user.password)
      try session.expect("Too many wrong codes. Try again in")
      try session.expect("This connection accepts no more passwords or codes.")
      try session.answer("Press Enter: ", with: "")
      try session.expect("No supported authentication methods available")
      #expect(try session.waitForExit() == .exited(1), "\(session.transcript)")
    }

    private static let script = """
      import paramiko, sys
      transport = paramiko.Transport(("127.0.0.1", int(sys.argv[1])))
      transport.start_client()
      def answer(title, instructions, fields):
          print(title, instructions, [text for text, echo in fields])
          return [sys.argv[3] for field in fields]
      for attempt in range(6):
          try:
              print("signed in", transport.auth_interactive(sys.argv[2], answer))
          except paramiko.SSHException as error:
              print(type(error).__name__)
      """

    @Test(
      "a program that answers every question with the password is told once, and not signed in",
      .enabled("paramiko is not installed") {
        FileManager.default.fileExists(atPath: "/usr/lib/python3/dist-packages/paramiko")
      })
    func answersEverything() throws {
      let (user, server) = try Self.throttled()
      let run = try Command.run([
        "/usr/bin/python3", "-c", Self.script, "\(server.port)", user.name, user.password,
      ])
      #expect(run.text.contains("AuthenticationException"), "\(run)")
      #expect(!run.text.contains("signed in"), "\(run)")
      #expect(run.text.components(separatedBy: "Press Enter: ").count == 2, "\(run)")
    }
  }
}
