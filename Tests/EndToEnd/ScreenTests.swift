import MFAEnrollMessages
import MFAMessages
import MFATestSupport
import Synchronization
import Testing

extension EndToEnd {
  /// The screens of an enrolment in English and Japanese, in a terminal emulator. A scanner reads each QR code
  /// from a picture of the whole window. `WrappingTests.everyMessage` and `KeyScreenTests` check the other
  /// languages and sizes.
  @Suite(.serialized) struct Screens {
    struct Window: Sendable, CustomTestStringConvertible {
      var columns: Int32 = 80
      var rows: Int32 = 24
      var theme = TerminalScreen.Theme.dark
      var language = Language.english
      var isUTF8 = true

      var locale: String {
        guard isUTF8 else { return "C" }
        return language == .japanese ? "ja_JP.UTF-8" : "C.UTF-8"
      }
      /// The locale of an ssh client, which every machine has. The host chooses the language.
      var clientLocale: String { isUTF8 ? "C.UTF-8" : "C" }
      var environment: [String: String] {
        ["LC_ALL": locale, "LANG": locale, "LANGUAGE": ""]
      }
      /// Whether there are fixtures for this window. In the others, only the QR code is read.
      var isRecorded: Bool { columns == 80 && (rows == 24 || rows == 40) }
      /// The last part of the name of a fixture. The text is the same in dark and light windows.
      var name: String { "\(isUTF8 ? language.tag : "c")-\(columns)x\(rows)" }
      var testDescription: String { "\(name) \(theme)" }

      func text(_ message: EnrollMessage) -> String { message.text(in: language).string }
      func text(_ message: SignInEnrollmentMessage) -> String {
        message.text(in: language).string
      }
      var passwordQuestion: String { text(.passwordPrompt as EnrollMessage) }
      var question: String { text(.codePrompt as EnrollMessage) }
      /// The end of the question for a name.
      var nameQuestion: String { String(text(.namePrompt(proposed: "|")).split(separator: "|")[1]) }
      var done: String { String(text(.tryNow(command: "|")).split(separator: "|")[0]) }
      /// The end of the question below recovery codes, which a narrow window wraps.
      var keep: String {
        String(text(.keepRecoveryCodes(canPrint: false) as EnrollMessage).suffix(7))
      }
      var wrongCode: String { FailureMessage.wrongCode.text(in: language).description.string }
    }

    static let windows =
      TerminalScreen.Theme.allCases.flatMap {
        [Window(theme: $0), Window(rows: 23, theme: $0), Window(columns: 60, rows: 20, theme: $0)]
      } + [Window(language: .japanese)]

    private static let users = Mutex(100)
    private static let host = "host.example"

    /// Creates a user whose name is as long as `alice`, by which fixtures replace it. The store keeps
    /// what belonged to a removed user, so no name is used twice.
    private func user(_ machine: Machine) throws -> MachineUser {
      // The width of lines depends on the name of the host.
      let host = try Command.succeed(["/bin/hostname"]).split(separator: "\n")[0]
      try Command.succeed(["/bin/hostname", Self.host])
      machine.atTheEnd("restore the host's name") {
        try Command.succeed(["/bin/hostname", String(host)])
      }
      let number = Self.users.withLock { number in
        number += 1
        return number
      }
      return try machine.addUser(named: "al\(number)")
    }

    private func enroll(
      _ window: Window, on machine: Machine, command: [String]? = nil
    ) throws -> (play: Screenplay, user: MachineUser) {
      let user = try user(machine)
      let session = try TerminalSession(
        command ?? ["/usr/bin/mfa-enroll", "--issuer", "Example Company"], as: user.identity,
        environment: window.environment, rows: window.rows, columns: window.columns)
      return (Screenplay(session, in: window, on: machine), user)
    }

    @Test("instruction, QR code and question are on the screen together", arguments: windows)
    func enrollment(window: Window) throws {
      let (play, user) = try enroll(window, on: machine)
      let (name, question) = (window.name, window.question)
      try play.play([
        .wait(window.passwordQuestion), .send(user.password), .wait(window.nameQuestion),
        .screen("enroll-name-\(name)"), .send(""), .wait(question),
        .screen("enroll-key-\(name)"), .scan, .wrongCode, .wait(window.wrongCode),
        .wait(question), .screen("enroll-wrong-code-\(name)"), .scan, .keys("k"),
        .wait("otpauth:"), .wait(question), .screen("enroll-text-\(name)"), .keys("k"),
        .wait(question), .scan, .keys("\r"), .wait(question),
        .screen("enroll-wrong-code-\(name)"), .code, .wait(window.keep), .send(""),
        .wait(window.done), .end(.exited(0)),
        .screen("enroll-end-\(name)"),
      ])
    }

    @Test("the terminal shows afterwards what the user was told, without the key")
    func session() throws {
      let window = Window(rows: 40)
      let (play, user) = try enroll(
        window, on: machine, command: ["/bin/bash", "--norc", "--noprofile", "-i"])
      try machine.writeConfiguration("[project]\nissuer = Example Company\n")
      try play.play([
        .wait("bash-"), .send("PS1='$ '; clear"), .wait("$ "), .wait("$ "), .send("mfa-enroll"),
        .wait("Password: "), .send(user.password), .wait(window.nameQuestion), .send(""),
        .wait(window.question), .scan, .code, .wait(window.keep), .send(""), .wait(window.done),
        .wait("$ "), .screen("enroll-session-\(window.name)"), .keys("\u{4}"),
      ])
    }

    @Test("in the C locale the key is text where a QR code has no room")
    func plain() throws {
      let window = Window(isUTF8: false)
      let (play, user) = try enroll(window, on: machine)
      try play.play([
        .wait(window.passwordQuestion), .send(user.password), .wait(window.nameQuestion),
        .send(""),
        .wait(window.question), .screen("enroll-key-\(window.name)"), .keys("\u{3}"),
        .end(.killed(signal: 2)), .screen("enroll-interrupted-\(window.name)"),
      ])
      #expect(play.session.screen.allSatisfy { $0 < 0x80 })
    }

    @Test(
      "in the C locale a large window shows a QR code", arguments: TerminalScreen.Theme.allCases)
    func large(theme: TerminalScreen.Theme) throws {
      let window = Window(columns: 100, rows: 46, theme: theme, isUTF8: false)
      let (play, user) = try enroll(window, on: machine)
      try play.play([
        .wait(window.passwordQuestion), .send(user.password), .wait(window.nameQuestion),
        .send(""), .wait(window.question), .scan, .keys("\u{3}"), .end(.killed(signal: 2)),
      ])
      #expect(play.session.screen.allSatisfy { $0 < 0x80 })
    }

    @Test("a window that changes its size is drawn again", arguments: TerminalScreen.Theme.allCases)
    func resizing(theme: TerminalScreen.Theme) throws {
      let window = Window(theme: theme)
      let (play, user) = try enroll(window, on: machine)
      try play.play([
        .wait(window.passwordQuestion), .send(user.password), .wait(window.nameQuestion),
        .send(""),
        .wait(window.question), .scan, .resize(columns: 80, rows: 12),
        .wait("Window too small"), .wait(window.question), .screen("enroll-too-small"),
        .resize(columns: 100, rows: 30), .wait(window.question), .screen("enroll-enlarged"),
        .scan, .keys("\u{4}"), .end(.exited(1)), .screen("enroll-no-code"),
      ])
    }

    @Test("Ctrl-Z gives the terminal its own screen back, and the screen returns afterwards")
    func stopped() throws {
      let window = Window()
      let (play, user) = try enroll(
        window, on: machine, command: ["/bin/bash", "--norc", "--noprofile", "-i"])
      try play.play([
        .wait("$ "), .send("PS1='now: '; clear"), .wait("now: "), .wait("now: "),
        .send("mfa-enroll --name phone --issuer 'Example Company'"), .wait("Password: "),
        .send(user.password), .wait(window.question), .scan, .keys("12"), .wait("12"),
        .keys("\u{1A}"), .wait("Stopped"), .wait("now: "), .screen("enroll-stopped"),
        .send("fg"), .wait(window.question + "12"), .scan, .screen("enroll-continued"),
        .keys("\u{15}"), .code, .wait(window.keep), .send(""), .wait(window.done), .wait("now: "),
        .keys("\u{4}"),
      ])
    }

    // MARK: Sign-in

    @Test("a sign-in by ssh asks for the password and a code, and again after a wrong code")
    func signInWithCode() throws {
      let window = Window()
      let user = try user(machine)
      let enrollment = try machine.enroll(user)
      let blocks = try Guide.blocks(under: SignInEnrollment.usual)
      try machine.changeService("sshd", authentication: blocks[0])
      let server = try PrivateServer(on: machine, settings: blocks[1])
      let session = try server.signIn(
        user.name, command: "PS1='\\u@\\h:~\\$ ' exec bash --norc --noprofile -i",
        options: ["RequestTTY=force"],
        environment: ["LC_ALL": window.clientLocale], window: (window.columns, window.rows))
      let play = Screenplay(session, in: window, on: machine)
      try play.play([
        .wait("Password: "), .send(user.password), .wait("Verification code: "),
        .send(try enrollment.phone.wrongCode()), .wait("Verification code: "),
        .send(try enrollment.phone.code()), .wait("$ "), .screen("sign-in-code-\(window.name)"),
        .send("exit"), .end(.exited(0)),
      ])
    }

    // MARK: Enrolment during a sign-in

    static let signIns = [
      Window(), Window(rows: 23, theme: .light), Window(language: .japanese),
      Window(isUTF8: false),
    ]

    @Test("an enrolment by ssh shows one thing at a time", arguments: signIns)
    func signIn(window: Window) throws {
      let user = try user(machine)
      try machine.writeConfiguration(
        """
        [project]
        state = enabled
        enrollment = required
        issuer = Example Company
        language = \(window.language.tag)

        """)
      let blocks = try Guide.blocks(under: SignInEnrollment.usual)
      try machine.changeService("sshd", authentication: blocks[0])
      // The time that is left is told in whole minutes, ten at most.
      let limit = "LoginGraceTime 630"
      try machine.write(limit + "\n", to: "/etc/ssh/sshd_config")
      let server = try PrivateServer(on: machine, settings: blocks[1] + [limit])
      let session = try server.signIn(
        user.name, command: "echo uid=$(id -un)", environment: ["LC_ALL": window.clientLocale],
        window: (window.columns, window.rows))
      let play = Screenplay(session, in: window, on: machine)
      let name = window.name
      let usual = window.text(SignInEnrollmentMessage.namePrompt(usual: [0x7C]))
      try play.play([
        .wait("Password: "), .send(user.password),
        .wait(window.text(SignInEnrollmentMessage.formPrompt)), .screen("sign-in-start-\(name)"),
      ])
      let picture: [Screenplay.Step] = [
        .send(window.theme == .dark ? "1" : "2"),
        .wait(window.text(SignInEnrollmentMessage.codeOrFormPrompt)),
        .screen("sign-in-picture-\(name)"), .scan, .send("3"), .wait("otpauth:"),
        .wait(window.text(SignInEnrollmentMessage.codePrompt)),
      ]
      let text: [Screenplay.Step] = [
        .send("3"), .wait("otpauth:"), .wait(window.question), .readURL,
      ]
      try play.play(
        (window.isUTF8 ? picture : text) + [
          .screen("sign-in-text-\(name)"), .code, .wait(String(usual.split(separator: "|")[1])),
          .screen("sign-in-name-\(name)"), .send(""),
          .wait(window.text(SignInEnrollmentMessage.recoveryCodesPrompt)),
          .screen("sign-in-recovery-codes-\(name)"), .send(""), .wait("uid=\(user.name)"),
          .end(.exited(0)),
        ])
    }
  }
}
