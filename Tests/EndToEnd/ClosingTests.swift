import Foundation
import MFABase
import MFAMessages
import MFATestSupport
import MFAWire
import Testing

extension EndToEnd {
  /// The texts with which a sign-in by ssh ends, as clients show them.
  @Suite struct Closing {
    private static let heading = "ssh: the password, then a code"
    private static let locale = ["LC_ALL": "C.UTF-8"]
    /// A second factor that the service must not be able to ask for ends the test.
    private static let command = "echo uid=$(id -un)"

    /// Every message with which a sign-in can end.
    static let messages: [SignInMessage] = [
      .wrongCode, .usedCode, .codeNotYetAccepted(seconds: 90),
      .codeOfAnotherTime(isAhead: false, seconds: 240),
      .codeOfAnotherTime(isAhead: true, seconds: 240),
      .typeNotAllowed(isPhone: true),
      .typeNotAllowed(isPhone: false), .throttled(seconds: 1800), .locked, .lockedUntilRecoveryCode,
      .connectionIsOver, .notACode, .noSuchDevice, .unavailable,
      .enrollmentNotPossible(command: Array("mfa-enroll".utf8)),
      .enrollmentNeedsQuestions(command: Array("mfa-enroll".utf8)), .enrollmentNeedsGateway,
      .enrollmentAbandoned, .enrollmentWrongCodes, .enrollmentWrongSentCodes, .enrollmentTooLate,
      .enrollmentTooLittleTime(seconds: 20), .enrolledMeanwhile,
    ]

    /// Every message of a realm without a verifier.
    static let offline: [OfflineMessage] = [
      .notACode, .wrongCode, .tryAgain, .undecidable, .notPermitted, .tooLongAgo, .noCodes,
      .throttled(seconds: 30), .locked,
    ]

    private static func texts(_ language: Language) -> [MessageText] {
      (messages.map { $0.text(in: language) } + offline.map { $0.text(in: language) })
        .map { $0.wrapped(to: MessageText.moduleColumns) }
    }

    private static func prompt(_ language: Language) -> String {
      SignInMessage.closingPrompt.text(in: language).string
    }

    /// Returns the text as a terminal shows it, with the closing prompt below it.
    private static func shown(_ text: MessageText, _ language: Language) -> String {
      (text.string + "\n" + prompt(language)).replacing("\n", with: "\r\n")
    }

    /// A decider that denies every sign-in, each of a user with the next text in the user's language.
    private final class DenyingService: @unchecked Sendable {
      private let lock = NSLock()
      private var texts: [[UInt8]: (Language, [MessageText])]

      init(_ texts: [[UInt8]: (Language, [MessageText])]) throws {
        self.texts = texts
        let listener = try PacketListener(
          creating: Array((ResidentService.folder + "/root").utf8), permissions: 0o600)
        Thread.detachNewThread { [self] in
          while true {
            do { try serve(try listener.accept()) } catch { return }
          }
        }
      }

      private func serve(_ connection: PacketConnection) throws {
        guard case .packet(let packet) = try connection.receive(seconds: 10) else { return }
        let reply = reply(to: try SignInCall(packet: packet).request.user)
        if let packet = reply.packet() { try connection.send(packet.span) }
      }

      private func reply(to user: [UInt8]) -> SignInReply {
        lock.withLock {
          guard let (language, all) = texts[user], !all.isEmpty else {
            return SignInReply([], .verdict(0))
          }
          let text = all[0]
          texts[user] = (language, Array(all.dropFirst()))
          let prompt = SignInMessage.closingPrompt.text(in: language)
          return SignInReply(
            [
              .closingPrompt(prompt.utf8.span), .tell(text.utf8.span, as: .ending, essential: true),
            ],
            .verdict(0))
        }
      }
    }

    @Test(
      "ssh shows every text with which a sign-in ends as it is, in every language, also with -q",
      .withoutResidentService)
    func everyText() throws {
      let count = Self.texts(.english).count
      let users = try Language.allCases.map { ($0, try machine.addUser()) }
      try machine.changeService("sshd", authentication: try Guide.blocks(under: Self.heading)[0])
      let server = try PrivateServer(
        on: machine,
        settings: [
          "AuthenticationMethods keyboard-interactive", "MaxAuthTries \(count + 1)",
          "LoginGraceTime 0",
        ])
      try Command.succeed(["/bin/mkdir", "-p", "-m", "0755", ResidentService.folder])
      machine.atTheEnd("remove the socket") { try ResidentService.removeSockets() }
      let service = try DenyingService(
        Dictionary(
          uniqueKeysWithValues: users.map {
            (Array($1.name.utf8), ($0, Self.texts($0)))
          }))
      let sessions = try users.map { language, user in
        try server.signIn(
          user.name, command: Self.command,
          options: ["NumberOfPasswordPrompts=\(count)"]
            + (language == .english ? [] : ["LogLevel=QUIET"]),
          environment: Self.locale)
      }
      for number in 0..<count {
        for (session, user) in zip(sessions, users) {
          try session.answer("Password: ", with: user.1.password)
        }
        for (session, (language, _)) in zip(sessions, users) {
          try session.answer(
            ") \r\n" + Self.shown(Self.texts(language)[number], language), with: "")
        }
      }
      for session in sessions {
        #expect(try session.waitForExit() == .exited(255), "\(session.transcript)")
        #expect(!session.text.contains("uid="), "\(session.transcript)")
        #expect(!session.text.contains(/\\[0-7]{3}/), "\(session.transcript)")
      }
      _ = service
    }

    @Test("after a wrong code the reason is read, and ssh begins anew")
    func wrongCode() throws {
      let (user, enrollment) = try machine.addEnrolledUser()
      let server = try SecureShell().server(machine, heading: Self.heading)
      let session = try server.signIn(
        user.name, command: Self.command, options: ["LogLevel=QUIET"], environment: Self.locale)
      try session.answer("Password: ", with: user.password)
      try session.answer("Verification code: ", with: try enrollment.phone.wrongCode())
      try session.answer("\r\nWrong code.\r\nPress Enter: ", with: "")
      try session.answer("Password: ", with: user.password)
      try session.answer("Verification code: ", with: try enrollment.phone.code())
      try SecureShell().expectEnd(.signedIn, session, user.name)
    }

    @Test("a user who gives an enrolment up reads what to do next", arguments: Language.allCases)
    func givenUp(language: Language) throws {
      try machine.writeConfiguration(
        "[project]\nenrollment = required\nlanguage = \(language.tag)\n")
      let user = try machine.addUser()
      let server = try SecureShell().server(machine, heading: Self.heading)
      let session = try server.signIn(
        user.name, command: Self.command, options: SecureShell.once, environment: Self.locale)
      try session.answer("Password: ", with: user.password)
      try session.answer(
        SignInEnrollmentMessage.formPrompt.text(in: language).string, with: "3")
      try session.answer(
        SignInEnrollmentMessage.codePrompt.text(in: language).string, with: "")
      let text = SignInMessage.enrollmentAbandoned.text(in: language)
      try session.answer(
        Self.shown(
          text.wrapped(to: MessageText.windowColumns, indentation: MessageText.prefixColumns),
          language), with: "")
      try SecureShell().expectEnd(.refused, session, user.name)
    }

    /// Settings of sshd, and how ssh ends after too many wrong codes.
    struct Row: Sendable {
      let settings: [String]
      let end: String
    }

    static let rows = [
      Row(settings: ["AuthenticationMethods keyboard-interactive"], end: "Connection closed by"),
      Row(settings: ["PasswordAuthentication no"], end: "Permission denied (publickey)."),
      Row(
        settings: ["PasswordAuthentication yes", "PubkeyAuthentication no"],
        end: "Connection closed by"),
    ]

    @Test("after too many wrong codes, ssh says that the connection is over", arguments: rows)
    func tooManyWrongCodes(row: Row) throws {
      let (user, enrollment) = try machine.addEnrolledUser()
      try machine.changeService("sshd", authentication: try Guide.blocks(under: Self.heading)[0])
      let service = try machine.makeService(OneCode.stack)
      for code in try enrollment.phone.wrongCodes(count: 5) {
        _ = try user.signIn(to: service, typing: code)
      }
      // The module reads the settings of this file.
      let text = row.settings.joined(separator: "\n") + "\n"
      try machine.write(text, to: "/etc/ssh/sshd_config")
      let server = try PrivateServer(on: machine, settings: row.settings)
      let session = try server.signIn(
        user.name, command: Self.command, environment: Self.locale)
      try session.answer("Password: ", with: user.password)
      _ = try session.expect(
        matching:
          #/Too many wrong codes. Try again in \d+ seconds?.\r\nThis connection accepts no more passwords or codes.\r\nPress Enter: /#
      )
      try session.send("")
      try session.expect(row.end)
      try SecureShell().expectEnd(.refused, session, user.name)
      #expect(!session.unseenText.contains("assword"), "\(session.transcript)")
    }
  }
}
