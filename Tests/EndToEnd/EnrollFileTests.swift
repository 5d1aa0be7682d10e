import Foundation
import MFATestSupport
import Testing

extension EndToEnd {
  /// mfa-enroll with the QR code in a file, and with JSON output.
  @Suite struct EnrollFile {
    let user: MachineUser

    init() throws { user = try machine.addUser() }

    static let program = "/usr/bin/mfa-enroll"

    /// Returns the text that a scanner reads from a picture file.
    static func scan(_ path: String, machine: Machine) throws -> String {
      var path = path
      if path.hasSuffix(".svg") {
        let drawn = machine.folder + "/drawn.png"
        try Command.succeed(["/usr/bin/rsvg-convert", "--output", drawn, path])
        path = drawn
      }
      return try Command.succeed([
        "/usr/bin/zbarimg", "--quiet", "--raw", "-Sdisable", "-Sqrcode.enable", path,
      ])
    }

    @Test(
      "a scanner reads the picture file, and only its owner may read the file",
      arguments: [("png", "000"), ("svg", "000"), ("png", "777"), ("svg", "022")])
    func isScanned(format: String, mask: String) throws {
      let path = "\(user.home)/key.\(format)"
      let session = try TerminalSession(
        [
          "/bin/sh", "-c",
          "umask \(mask); exec \(Self.program) --name p --qr \(format)=key.\(format)",
        ],
        as: user.identity, directory: user.home)
      try session.answer("Password: ", with: user.password)
      try session.expect("Scan the QR code in key.\(format) with")
      let url = String(try session.expect(matching: /URL: (otpauth:[^\r]+)\r\n/).output.1)
      let below = try session.expect("Code from the app: ")
      #expect(!below.contains("\u{2580}") && !below.contains("Type the key above."))
      #expect(try Self.scan(path, machine: machine) == url + "\n")
      try session.send(try Authenticator(url: url).code())
      try session.expect("key.\(format) contains your key. Delete it when you have scanned it.")
      try session.keepRecoveryCodes()
      #expect(try session.waitForExit() == .exited(0), "\(session.transcript)")
      #expect(
        try Command.succeed(["/usr/bin/stat", "-c", "%U %a %h %F", path])
          == "\(user.name) 600 1 regular file\n")
    }

    struct Refusal: Sendable, CustomTestStringConvertible {
      /// Shell commands that are run in the user's home folder beforehand.
      let preparation: String
      let file: String
      let message: String
      var testDescription: String { "\(file)" }
    }

    static let refusals = [
      Refusal(preparation: "echo mine >key", file: "key", message: "already exists"),
      Refusal(
        preparation: "echo mine >other; ln -s other key", file: "key",
        message: "already exists"),
      Refusal(preparation: "ln -s nowhere key", file: "key", message: "already exists"),
      Refusal(preparation: "mkdir key", file: "key", message: "already exists"),
      Refusal(preparation: "mkfifo key", file: "key", message: "already exists"),
      Refusal(preparation: ":", file: "no/key", message: "The folder of no/key does not"),
      Refusal(preparation: ":", file: "/etc/key", message: "You do not have permission to create"),
      Refusal(preparation: "echo mine >key", file: "key/key", message: "The folder of key/key"),
    ]

    @Test("a file that cannot be created is refused before any prompt", arguments: refusals)
    func refused(row: Refusal) throws {
      try Command.succeed(
        ["/bin/sh", "-c", row.preparation], as: user.identity, directory: user.home)
      let image = "find . -printf '%P %y %m %l %i\\n' | sort; [ ! -f key ] || cat key"
      let before = try Command.succeed(
        ["/bin/sh", "-c", image], as: user.identity, directory: user.home)
      for format in ["png", "svg"] {
        let command = try Command.run(
          [Self.program, "--stdin", "--qr", "\(format)=\(row.file)"],
          input: Array("\(user.password)\n".utf8), as: user.identity, directory: user.home)
        #expect(command.status == .exited(1))
        #expect(command.errorText.contains(row.message), "\(command.errorText)")
        #expect(command.errorText.contains("\nhint: "))
        #expect(!command.errorText.contains("Password"))
      }
      let after = try Command.succeed(
        ["/bin/sh", "-c", image], as: user.identity, directory: user.home)
      #expect(after == before)
      #expect(machine.contents(of: "/etc/key") == nil)
    }

    @Test("on a full disk nothing is left behind or enrolled", arguments: ["png", "svg"])
    func fullDisk(format: String) throws {
      let disk = machine.folder + "/disk"
      try Command.succeed(["/bin/mkdir", disk])
      try Command.succeed([
        "/bin/mount", "-t", "tmpfs", "-o", "size=16k,mode=1777", "tmpfs", disk,
      ])
      machine.atTheEnd("unmount the disk") { try Command.succeed(["/bin/umount", disk]) }
      try Command.shell("head -c 16384 /dev/zero >\(disk)/full")
      let command = try Command.run(
        [Self.program, "--stdin", "--qr", "\(format)=\(disk)/key"],
        input: Array("\(user.password)\n".utf8), as: user.identity)
      #expect(command.status == .exited(1))
      #expect(command.errorText.contains("can't be written (No space left on device)"))
      #expect(command.text.isEmpty, "\(command.text)")
      #expect(try Command.succeed(["/bin/ls", disk]) == "full\n")
      #expect(machine.contents(of: StoreFiles(of: user.name).record) == nil)
    }

    @Test("interruption leaves no file", arguments: ["Password: ", "Code from the app: "], [3, 4])
    func interrupted(at prompt: String, key: UInt8) throws {
      let session = try TerminalSession(
        [Self.program, "--name", "phone", "--qr", "png=key.png"], as: user.identity,
        directory: user.home)
      try session.expect("Password: ")
      #expect(machine.contents(of: user.home + "/key.png") == [])
      if prompt != "Password: " {
        try session.send(user.password)
        try session.expect(prompt)
      }
      try session.sendKeys([key])
      #expect(try session.waitForExit() != .exited(0), "\(session.transcript)")
      #expect(machine.contents(of: user.home + "/key.png") == nil)
      #expect(machine.contents(of: StoreFiles(of: user.name).record) == nil)
    }

    // Debian's library names contain versions, so all matching files are removed.
    @Test(
      "without its library there is no picture, but enrolment works",
      arguments: ["terminal", "png=key", "svg=key"])
    func libraryMissing(destination: String) throws {
      let missing = destination == "png=key" ? "libpng" : "libqrencode"
      let libraries = try Command.succeed([
        "/bin/sh", "-c", "ls /usr/lib/*/\(missing)*.so.* /usr/lib64/\(missing)*.so.* || true",
      ])
      for path in libraries.split(separator: "\n") { try machine.remove(String(path)) }
      let session = try TerminalSession(
        [Self.program, "--name", "phone", "--qr", destination], as: user.identity,
        directory: user.home)
      try session.answer("Password: ", with: user.password)
      if destination == "terminal" {
        let shown = try session.keyOnScreen()
        #expect(session.text.contains("A QR code needs the library \(missing) (Debian"))
        try session.send(try shown.phone.code())
        try session.keepRecoveryCodes()
        #expect(try session.waitForExit() == .exited(0), "\(session.transcript)")
      } else {
        try session.expect("A QR code needs the library \(missing) (Debian package")
        #expect(try session.waitForExit() == .exited(1), "\(session.transcript)")
        #expect(machine.contents(of: user.home + "/key") == nil)
      }
    }

    @Test(
      "a program enrols a factor with JSON",
      arguments: [
        ["--name", "phone"],
        ["--name", "\"J\u{00F6}rg\\\"", "--issuer", "\"A\\B\" & C/D", "--qr", "svg=key.svg"],
        ["--algorithm", "sha512", "--digits", "8", "--period", "60", "--qr", "none"],
      ])
    func json(arguments: [String]) throws {
      let conversation = try Conversations.converse(
        user, ["enroll"] + arguments, ["password": [user.password], "newFactorCode": ["right"]])
      let offer = conversation.line("key")
      let url = try #require(offer["url"] as? String, "\(conversation)")
      let phone = try Authenticator(url: url)
      #expect(phone.key == offer["key"] as? String && phone.digits == offer["digits"] as? Int)
      #expect(phone.period == offer["periodSeconds"] as? Int)
      #expect(phone.algorithm.rawValue.lowercased() == offer["algorithm"] as? String)
      let deadline = try Date(
        #require(offer["enrollmentCompletionDeadline"] as? String), strategy: .iso8601)
      #expect(deadline > .now)
      if arguments.contains("svg=key.svg") {
        #expect(try Self.scan(user.home + "/key.svg", machine: machine) == url + "\n")
      }
      // The list shows the factor as it was enrolled.
      let factor = try #require(conversation.end["factor"] as? [String: String], "\(conversation)")
      let list = try Conversations.converse(user, ["list"])
      let listed = try #require(list.end["factors"] as? [[String: Any]], "\(list)")
      #expect(listed.count == 1)
      for (name, value) in factor { #expect(listed.first?[name] as? String == value) }
    }

    @Test("without the right code there is neither a device nor a picture")
    func jsonWithWrongCode() throws {
      let conversation = try Conversations.converse(
        user, ["enroll", "--qr", "png=key.png"],
        ["password": [user.password], "newFactorCode": ["not a code"]])
      #expect(conversation.status == 3, "\(conversation)")
      #expect(machine.contents(of: user.home + "/key.png") == nil)
      let list = try Conversations.converse(user, ["list"])
      #expect((list.end["factors"] as? [Any])?.isEmpty == true, "\(list)")
    }
  }
}
