import MFABase
import Foundation
import MFAWire
import Synchronization
import Testing

@testable import MultiFactor

@Suite struct MultiFactorTests {
  @Test("an enrolment, from the session to the list")
  func enrolment() async throws {
    let helper = ScriptedHelper(
      Samples.welcome + Samples.session + Samples.generation + [
        .expect("enroll 000000 my phone"),
        .send { .failed(.invalidVerificationCode) },
        .expect("enroll 287 082 my phone"),
        .send { .enrolled(try Samples.factor(9)) },
        .expect("list"),
        .send { .factors([try Samples.summary(9, "my phone")]) },
        .expect("bye"),
        .expectEnd,
      ])
    let multiFactor = MultiFactor(open: helper.open)
    let session = try await multiFactor.session(reauthenticate: Samples.password)
    #expect(session.duration == .seconds(600))

    let secret = try await TOTPMultiFactorGenerator.generateSecret(with: session)
    #expect(ScriptedHelper.string(secret.sharedSecretKey()) == "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ")
    #expect(secret.hashingAlgorithm == .sha1)
    #expect(secret.codeLength == 6)
    #expect(secret.codeIntervalSeconds == 30)
    let left = secret.enrollmentCompletionDeadline.timeIntervalSinceNow
    #expect(left > 0 && left <= 300)
    let url = secret.generateQRCodeURL(withAccountName: "alice@host", issuer: "Example Host")
    #expect(
      ScriptedHelper.string(url)
        == "otpauth://totp/Example%20Host:alice%40host?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
        + "&issuer=Example%20Host")

    await #expect(throws: MultiFactorError.invalidVerificationCode) {
      try await multiFactor.enroll(
        with: TOTPMultiFactorGenerator.assertionForEnrollment(
          with: secret, oneTimePassword: Samples.secret("000000")),
        displayName: "my phone")
    }
    let uid = try await multiFactor.enroll(
      with: TOTPMultiFactorGenerator.assertionForEnrollment(
        with: secret, oneTimePassword: Samples.secret("287 082")),
      displayName: " my phone ")
    #expect(uid == String(repeating: "09", count: 16))

    let factors = try await multiFactor.enrolledFactors
    #expect(factors.map(\.uid) == [uid])
    #expect(factors.map(\.displayName) == ["my phone"])
    #expect(factors.map(\.factorID) == [TOTPMultiFactorID])
    #expect(factors.compactMap { ($0 as? TOTPMultiFactorInfo)?.codeIntervalSeconds } == [30])
    #expect(factors.map(\.enrollmentDate) == [Date(timeIntervalSince1970: 1_760_000_000)])
    await multiFactor.close()
    #expect(await helper.finished() == [])
  }

  @Test("the user name and the other operations")
  func otherOperations() async throws {
    let helper = ScriptedHelper(
      Samples.welcome + Samples.session + [
        .expect("rename 1 old phone"), .send { .done },
        .expect("unenroll 1"), .send { .unenrolled(signedOut: false, endsSessions: false) },
        .expect("test 123456"), .send { .signedIn(.factor(try Samples.factor(1))) },
        .expect("test "), .send { .failed(.notACode) },
        .expect("bye"),
      ])
    let multiFactor = MultiFactor(open: helper.open)
    #expect(try await multiFactor.userName == "alice")
    #expect(try await multiFactor.issuer == "Example Host")
    _ = try await multiFactor.session(reauthenticate: Samples.password)
    try await multiFactor.rename(try Samples.info(1, "phone"), to: "old phone")
    #expect(
      try await multiFactor.unenroll(with: try Samples.info(1, "old phone"))
        == Unenrollment(signedOut: false, endsSessions: false))
    try await multiFactor.test(oneTimePassword: Samples.secret("123456"))
    await #expect(throws: MultiFactorError.notACode) {
      try await multiFactor.test(oneTimePassword: Samples.secret(""))
    }
    await multiFactor.close()
    #expect(await helper.finished() == [])
  }

  @Test("prompts are passed unchanged, after preceding notices")
  func prompts() async throws {
    let helper = ScriptedHelper(
      Samples.welcome + [
        .expect("session"),
        .send { .notice(text: Samples.text("your password expires\nsoon")) },
        .send { .prompt(text: Samples.text("Password: "), .hiddenAnswer) },
        .expect("answer "),
        .send { .prompt(text: Samples.text("Token: "), .visibleAnswer) },
        .expect("answer x"),
        .send { .notice(text: Samples.text("good")) },
        .send { .sessionStarted(secondsLeft: 1) },
      ])
    let seen = Mutex<[String]>([])
    let multiFactor = MultiFactor(
      tell: { text in seen.withLock { $0.append(text) } }, open: helper.open)
    _ = try await multiFactor.session { prompt in
      seen.withLock { $0.append("\(prompt.text)\(prompt.echo)") }
      return Samples.secret(prompt.echo ? "x" : "")
    }
    #expect(
      seen.withLock { $0 } == [
        "your password expires\nsoon", "Password: false", "Token: true", "good",
      ])
    #expect(await helper.finished() == [])
  }

  @Test("a declined or overlong answer ends the re-authentication", arguments: [true, false])
  func declined(byLength: Bool) async throws {
    let helper = ScriptedHelper(
      Samples.welcome + [
        .expect("session"),
        .send { .prompt(text: Samples.text("Password: "), .hiddenAnswer) },
        .expect("cancel"),
        .send { .failed(.reauthenticationFailed) },
        .expect("list"),
        .send { .factors([]) },
      ])
    let multiFactor = MultiFactor(open: helper.open)
    await #expect(throws: MultiFactorError.reauthenticationFailed) {
      try await multiFactor.session { _ in byLength ? SecretBytes(count: 513) : nil }
    }
    #expect(try await multiFactor.enrolledFactors == [])
    #expect(await helper.finished() == [])
  }

  @Test("no other operation is possible during re-authentication")
  func oneAtATime() async throws {
    let helper = ScriptedHelper(Samples.welcome + Samples.session)
    let multiFactor = MultiFactor(open: helper.open)
    _ = try await multiFactor.session { prompt in
      await #expect(throws: MultiFactorError.operationInProgress) {
        try await multiFactor.enrolledFactors
      }
      await #expect(throws: MultiFactorError.operationInProgress) {
        try await multiFactor.session(reauthenticate: Samples.password)
      }
      return Samples.secret("hunter2")
    }
    #expect(await helper.finished() == [])
  }

  // MARK: Interrupted conversations

  enum Operation: CaseIterable, Sendable {
    case list, rename, unenroll, test, session, ticketSession, status, signIn

    var request: String {
      switch self {
      case .list: "list"
      case .rename: "rename 1 new"
      case .unenroll: "unenroll 1"
      case .test: "test 1"
      case .session: "session"
      case .ticketSession: "ticketSession"
      case .status: "status"
      case .signIn: "signIn - 1"
      }
    }

    func run(_ multiFactor: MultiFactor) async throws {
      switch self {
      case .list: _ = try await multiFactor.enrolledFactors
      case .rename: try await multiFactor.rename(try Samples.info(1, "a"), to: "new")
      case .unenroll: _ = try await multiFactor.unenroll(with: try Samples.info(1, "a"))
      case .test: try await multiFactor.test(oneTimePassword: Samples.secret("1"))
      case .session: _ = try await multiFactor.session(reauthenticate: Samples.password)
      case .ticketSession:
        _ = try await multiFactor.ticketSession(reauthenticate: Samples.password)
      case .status: _ = try await multiFactor.status
      case .signIn:
        _ = try await multiFactor.signIn(
          factor: nil, oneTimePassword: Samples.secret("1"), hints: [])
      }
    }
  }

  @Test("an unexpected kind of response ends the conversation", arguments: Operation.allCases)
  func answersOutOfTurn(operation: Operation) async throws {
    let helper = ScriptedHelper(
      Samples.welcome + [
        .expect(operation.request), .send { .enrolled(try Samples.factor(1)) }, .expectEnd,
      ])
    let multiFactor = MultiFactor(open: helper.open)
    await #expect(throws: MultiFactorError.protocolError) { try await operation.run(multiFactor) }
    #expect(await helper.finished() == [])
  }

  @Test(
    "malformed messages end the conversation",
    arguments: [
      [0, 0, 0, 0], [0, 0, 0x10, 1], [0xFF, 0xFF, 0xFF, 0xFF, 0], [0, 0, 0, 1, 0x00],
      [0, 0, 0, 5, 0x82, 0, 1, 0x1B, 0],
    ] as [[UInt8]])
  func noMessage(bytes: [UInt8]) async throws {
    let helper = ScriptedHelper(
      Samples.welcome + [.expect("list"), .sendBytes(bytes), .expectEnd])
    let multiFactor = MultiFactor(open: helper.open)
    await #expect(throws: MultiFactorError.protocolError) { try await multiFactor.enrolledFactors }
    #expect(await helper.finished() == [])
  }

  @Test(
    "a helper that ends early is reported",
    arguments: [
      [.hangUp],
      [.expect("hello"), .hangUp],
      Samples.welcome + [.hangUp],
      Samples.welcome + [.expect("list"), .hangUp],
      Samples.welcome + [.expect("list"), .sendBytes([0, 0]), .hangUp],
      Samples.welcome + [.expect("list"), .sendBytes([0, 0, 0, 9, 0x87]), .hangUp],
    ] as [[ScriptedHelper.Line]])
  func helperEnds(script: [ScriptedHelper.Line]) async throws {
    let helper = ScriptedHelper(script)
    let multiFactor = MultiFactor(open: helper.open)
    await #expect(throws: MultiFactorError.helperEnded) { try await multiFactor.enrolledFactors }
    #expect(await helper.finished() == [])
  }

  @Test("sessions and secrets end with their conversation")
  func otherConversation() async throws {
    let helper = ScriptedHelper(
      Samples.welcome + Samples.session + Samples.generation + [.expect("bye"), .expectEnd])
    let multiFactor = MultiFactor(open: helper.open)
    let session = try await multiFactor.session(reauthenticate: Samples.password)
    let secret = try await TOTPMultiFactorGenerator.generateSecret(with: session)
    await multiFactor.close()
    await #expect(throws: MultiFactorError.sessionExpired) {
      try await TOTPMultiFactorGenerator.generateSecret(with: session)
    }
    await #expect(throws: MultiFactorError.sessionExpired) {
      try await multiFactor.enroll(
        with: TOTPMultiFactorGenerator.assertionForEnrollment(
          with: secret, oneTimePassword: Samples.secret("287082")),
        displayName: "phone")
    }
    #expect(await helper.finished() == [])
  }

  @Test("values out of range are refused before a request is sent")
  func refusedHere() async throws {
    let helper = ScriptedHelper(Samples.welcome + Samples.session)
    let multiFactor = MultiFactor(open: helper.open)
    let session = try await multiFactor.session(reauthenticate: Samples.password)
    for (length, period) in [(5, 30), (9, 30), (6, 14), (6, 121), (-1, 30), (6, 70_000)] {
      await #expect(throws: MultiFactorError.invalidArgument, "\(length), \(period)") {
        try await TOTPMultiFactorGenerator.generateSecret(
          with: session, codeLength: length, codeIntervalSeconds: period)
      }
    }
    for name in ["", "  ", "a\u{1B}[2Jb", "a\nb", String(repeating: "a", count: 65)] {
      await #expect(throws: MultiFactorError.unsupportedDisplayName) {
        try await multiFactor.rename(try Samples.info(1, "a"), to: name)
      }
    }
    #expect(await helper.finished() == [])
  }
}
