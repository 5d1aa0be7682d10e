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
      /// Whether a picture is shown.
      let isDrawn: Bool
      var testDescription: String { "\(number): \(columns)×\(rows) \(environment)" }
    }

    static let rows = [
      Row(number: 1, rows: 60, columns: 120, isDrawn: true),
      Row(number: 2, rows: 24, columns: 80, isDrawn: true),
      Row(number: 3, rows: 48, columns: 80, isDrawn: true),
      Row(number: 4, rows: 60, columns: 120, environment: ["NO_COLOR": "1"], isDrawn: true),
      Row(
        number: 5, rows: 60, columns: 120,
        environment: ["NO_COLOR": "1", "COLORFGBG": "0;15"], isDrawn: true),
      Row(number: 6, rows: 24, columns: 30, isDrawn: false),
      Row(number: 7, rows: 10, columns: 120, isDrawn: false),
      Row(number: 8, rows: 60, columns: 120, environment: ["LANG": "C"], isDrawn: false),
      Row(number: 9, rows: 60, columns: 120, environment: ["TERM": "dumb"], isDrawn: false),
    ]

    // A scanner reads the pictures in the tests of screens.
    @Test("the key on the terminal signs in, with and without a picture", arguments: rows)
    func isShown(row: Row) throws {
      try Machine.use { machine in
        let user = try machine.addUser()
        let service = try machine.makeService(OneCode.stack)
        let session = try TerminalSession(
          ["/usr/bin/mfa-enroll", "--name", "phone"], as: user.identity,
          environment: row.environment, rows: row.rows, columns: row.columns)
        try session.expect("Password: ")
        try session.send(user.password)
        let drawn = try session.expect("Code from the app: ")
        let shown =
          row.environment["TERM"] == "dumb"
          ? try KeyOnScreen(text: drawn) : try session.keyOnScreen(isAsked: true)
        let phone = shown.phone
        #expect(shown.key.replacing(" ", with: "") == phone.key)
        #expect(shown.key.wholeMatch(of: /([A-Z2-7]{4} )*[A-Z2-7]{1,4}/) != nil)
        #expect(drawn.contains("\u{2580}") == row.isDrawn, "\(session.transcript)")
        if !row.isDrawn {
          let text = drawn.replacing("\r\n", with: " ")
          #expect(text.contains("QR code"), "\(session.transcript)")
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
        let session = try TerminalSession(
          ["/usr/bin/mfa-enroll", "--name", "phone"], as: user.identity)
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
          let phone = try session.keyOnScreen().phone
          #expect(phone.algorithm == algorithm && phone.digits == digits && phone.period == 60)
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
          "/usr/sbin/mfa-admin", "import", "--google-authenticator", "/home/", "--user", other.name,
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
