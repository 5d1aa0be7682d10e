import Foundation
import MFATestSupport
import Testing

extension EndToEnd {
  /// mfa-enroll at a terminal, as a user sees it, and in a script.
  @Suite struct EnrollTool {
    struct Row: Sendable, CustomTestStringConvertible {
      let number: Int
      let rows: Int32
      let columns: Int32
      var environment: [String: String] = [:]
      var theme = ShownScreen.Theme.dark
      /// Whether a picture is shown.
      let isDrawn: Bool
      var testDescription: String { "\(number): \(columns)×\(rows) \(environment)" }
    }

    static let rows = [
      Row(number: 1, rows: 60, columns: 120, isDrawn: true),
      Row(number: 2, rows: 60, columns: 120, theme: .light, isDrawn: true),
      Row(number: 3, rows: 48, columns: 80, isDrawn: true),
      Row(number: 4, rows: 60, columns: 120, environment: ["NO_COLOR": "1"], isDrawn: true),
      Row(
        number: 5, rows: 60, columns: 120,
        environment: ["NO_COLOR": "1", "COLORFGBG": "0;15"], theme: .light, isDrawn: true),
      Row(number: 6, rows: 24, columns: 40, isDrawn: false),
      Row(number: 7, rows: 10, columns: 120, isDrawn: false),
      Row(number: 8, rows: 60, columns: 120, environment: ["LANG": "C"], isDrawn: false),
      Row(number: 9, rows: 60, columns: 120, environment: ["TERM": "dumb"], isDrawn: false),
    ]

    @Test("a scanner reads the picture on the terminal, and its code signs in", arguments: rows)
    func isScanned(row: Row) throws {
      try Machine.use { machine in
        let user = try machine.addUser()
        let service = try machine.makeService(OneCode.stack)
        let session = try TerminalSession(
          ["/usr/bin/mfa-enroll", "--name", "phone"], as: user.identity,
          environment: row.environment, rows: row.rows, columns: row.columns)
        try session.expect("Password: ")
        try session.send(user.password)
        let key = String(try session.expect(matching: /Key: ([A-Z2-7 ]+)\r\n/).output.1)
        let url = String(try session.expect(matching: /URL: (otpauth:[^\r]+)\r\n\r\n/).output.1)
        let below = try session.expect("Code from the app: ")
        let phone = try Authenticator(url: url)
        #expect(key.replacing(" ", with: "") == phone.key)
        #expect(key.wholeMatch(of: /([A-Z2-7]{4} )*[A-Z2-7]{1,4}/) != nil)
        if row.isDrawn {
          let text = below.replacing("\r\n", with: "\n")
          let screen = try ShownScreen(showing: text, theme: row.theme)
          let file = machine.folder + "/screen.pgm"
          try machine.write(screen.picture, to: file)
          let read = try Command.succeed([
            "/usr/bin/zbarimg", "--quiet", "--raw", "-Sdisable", "-Sqrcode.enable", file,
          ])
          #expect(read == url + "\n")
        } else {
          #expect(below.contains("Type the key above."), "\(session.transcript)")
          #expect(!below.contains("\u{2580}"))
        }
        try session.send(try phone.wrongCode())
        try session.expect("Code from the app: ")
        try session.send(try phone.code(offset: -1))
        try session.expect("was added")
        #expect(try session.waitForExit() == .exited(0), "\(session.transcript)")
        #expect(!session.text.contains(user.password))
        let outcome = try PAMClient.signIn(
          service: service, user: user.name, answers: [.text(try phone.code())])
        #expect(outcome.code == "PAM_SUCCESS", "\(outcome)")
      }
    }

    @Test("Ctrl-C leaves nothing behind", arguments: ["Password: ", "Code from the app: "])
    func interrupted(at prompt: String) throws {
      try Machine.use { machine in
        let user = try machine.addUser()
        let session = try TerminalSession(["/usr/bin/mfa-enroll"], as: user.identity)
        try session.expect("Password: ")
        if prompt != "Password: " {
          try session.send(user.password)
          try session.expect(prompt)
        }
        try session.sendKeys([3])
        #expect(try session.waitForExit() != .exited(0), "\(session.transcript)")
        let files = StoreFiles(of: user.name)
        #expect(machine.contents(of: files.record) == nil)
        // The helper ends with its client: a new helper gets the lock and starts afresh.
        _ = try machine.enroll(user)
      }
    }

    @Test("all hashes and numbers of digits work", arguments: Authenticator.Algorithm.allCases)
    func everyAlgorithm(algorithm: Authenticator.Algorithm) throws {
      try Machine.use { machine in
        let user = try machine.addUser()
        for digits in 6...8 {
          try machine.forget(user)
          let session = try TerminalSession(
            [
              "/usr/bin/mfa-enroll", "enroll", "--name", "phone", "--algorithm",
              algorithm.rawValue.lowercased(), "--digits", "\(digits)", "--period", "60",
            ], as: user.identity)
          try session.expect("Password: ")
          try session.send(user.password)
          let url = String(try session.expect(matching: /URL: (otpauth:[^\r]+)\r\n/).output.1)
          let phone = try Authenticator(url: url)
          #expect(phone.algorithm == algorithm && phone.digits == digits && phone.period == 60)
          try session.expect("Code from the app: ")
          try session.send(try phone.code(offset: -1))
          #expect(try session.waitForExit() == .exited(0), "\(session.transcript)")
          let test = try Command.run(
            ["/usr/bin/mfa-enroll", "test", "--stdin"],
            input: Array("\(try phone.code())\n".utf8), as: user.identity)
          #expect(test.status == .exited(0), "\(test.errorText)")
        }
      }
    }

    @Test("stored files belong to the store's owner and group, whichever program created them")
    func owner() throws {
      try Machine.use { machine in
        let (user, enrollment) = try machine.addEnrolledUser()
        let other = try machine.addUser()
        try machine.write(
          "\(enrollment.phone.key)\n\" TOTP_AUTH\n", to: other.home + "/.google_authenticator",
          owner: other.name, group: other.name, mode: "0600")
        try Command.succeed([
          "/usr/sbin/mfa-admin", "import", "--google-authenticator", "/home", "--user", other.name,
        ])
        for name in [user.name, other.name] {
          let files = StoreFiles(of: name)
          #expect(
            try Command.succeed(["/usr/bin/stat", "-c", "%U %G %a", files.record, files.attempts])
              == "mfa mfa 600\nmfa mfa 600\n")
        }
      }
    }

    @Test("both programs print the version of the change log", arguments: ["enroll", "admin"])
    func version(name: String) throws {
      let changes = String(
        decoding: FileManager.default.contents(
          atPath: Checkout.folder + "/packaging/CHANGELOG.md") ?? Data(), as: UTF8.self)
      let release = try #require(changes.firstMatch(of: /\n## (\d+\.\d+\.\d+)/)).output.1
      let program = name == "admin" ? "/usr/sbin/mfa-admin" : "/usr/bin/mfa-enroll"
      #expect(try Command.succeed([program, "--version"]) == "mfa-\(name) \(release)\n")
    }
  }
}
