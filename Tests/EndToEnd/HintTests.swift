import MFATestSupport
import Testing

extension EndToEnd {
  /// The factor list at the prompt, as an OpenSSH client shows it.
  @Suite struct Hints {
    @Test("ssh: a number selects a factor, and a different factor's code is wrong")
    func list() throws {
      try Machine.use { machine in
        try machine.writeConfiguration("[project]\nprompt_hints = on\n")
        let user = try machine.addUser()
        let pixel = try machine.enroll(user, named: "Pixel")
        let tablet = try machine.enroll(
          user, named: "Grüner Knopf", presentCode: try pixel.phone.code(offset: -4))
        try machine.changeService(
          "sshd", authentication: try Guide.blocks(under: "ssh: a key, then a code")[0])
        let server = try PrivateServer(
          on: machine, settings: ["AuthenticationMethods keyboard-interactive"])
        let start = try machine.log.position()
        let session = try server.signIn(user.name, command: "echo uid=$(id -un)")
        let list = "Your devices:\r\n 1: Pixel\r\n 2: Grüner Knopf\r\n"
        let question = list + "One-time code, or the number of a device: "
        try session.expect(question)
        try session.send("3")
        try session.expect("No device has that number.")
        try session.expect(question)
        try session.send("2")
        try session.expect("One-time code from 'Grüner Knopf': ")
        try session.send(try pixel.phone.code())
        try session.expect("Wrong code.")
        #expect(try StoreFiles(of: user.name).failures() == 1)
        try session.expect(question)
        try session.send("2")
        try session.expect("One-time code from 'Grüner Knopf': ")
        try session.send(try tablet.phone.code())
        try session.expect("uid=\(user.name)")
        #expect(try session.waitForExit() == .exited(0), "\(session.transcript)")

        // A code is accepted without selecting a factor.
        let other = try server.signIn(user.name, command: "echo uid=$(id -un)")
        try other.expect(question)
        try other.send(try pixel.phone.code())
        try other.expect("Type yes if you have read this: ")
        try other.send("yes")
        try other.expect("uid=\(user.name)")
        #expect(try other.waitForExit() == .exited(0), "\(other.transcript)")

        let entries = try OneCode.logged(machine, since: start)
        #expect(
          entries.map { $0.fields["result"] } == ["not-a-code", "wrong", "accepted", "accepted"])
        #expect(entries.compactMap { $0.fields["factor"] } == [tablet.factor, pixel.factor])

        // An unknown user sees the normal prompt.
        let stranger = try server.signIn("nobody-of-that-name")
        try stranger.expect(") One-time code: ")
      }
    }
  }
}
