import MFAModel
import MFAWire
import MFABase
import Synchronization
import Testing

@testable import MultiFactor

/// A sign-in to a program, and the forms that programs written for Identity Platform use.
@Suite struct SignInTests {
  private static func status(_ state: AccountStatus.State) -> HelperResponse {
    .status(
      AccountStatus(
        enrollment: .selfService, state: state, recoveryCodesLeft: 0, importedRecoveryCodesLeft: 0,
        recoveryCodeUnlocks: false, standing: .open))
  }

  private static let hints: [ScriptedHelper.Line] = [
    .expect("list"), .send { .factors([try Samples.summary(1, "phone")]) },
  ]

  @Test("a sign-in with an enrolled factor throws an error with a resolver")
  func secondFactorRequired() async throws {
    let helper = ScriptedHelper(
      Samples.welcome + [.expect("status"), .send { Self.status(.enabled) }] + Self.hints + [
        .expect("signIn 1 123456"), .send { .signedIn(.factor(try Samples.factor(1))) },
      ])
    let multiFactor = MultiFactor(open: helper.open)
    let error = await #expect(throws: MultiFactorError.self) { try await multiFactor.signIn() }
    #expect(error?.code == .secondFactorRequired)
    let resolver = try #require(
      error?.userInfo[AuthErrorUserInfoMultiFactorResolverKey] as? MultiFactorResolver)
    #expect(error == .secondFactorRequired(resolver))
    #expect(resolver.hints.map(\.displayName) == ["phone"])
    #expect(resolver.session.duration == nil)
    let result = try await resolver.resolveSignIn(
      with: TOTPMultiFactorGenerator.assertionForSignIn(
        withEnrollmentID: resolver.hints[0].uid, oneTimePassword: "123456"))
    #expect(result.factor == resolver.hints[0])
    #expect(await helper.finished() == [])
  }

  @Test("an accepted code signs in even if its factor is unknown")
  func unknownFactor() async throws {
    let helper = ScriptedHelper(
      Samples.welcome + Self.hints + [
        .expect("signIn - 123456"), .send { .signedIn(.factor(nil)) },
        .expect("signIn - 123456"), .send { .signedIn(.factor(try Samples.factor(7))) },
        .expect("list"), .send { .factors([]) },
        .expect("signIn - 123456"), .send { .signedIn(.factor(try Samples.factor(7))) },
        .expect("list"), .send { .failed(.storeUnavailable) },
      ])
    let multiFactor = MultiFactor(open: helper.open)
    let resolver = try await multiFactor.signInResolver()
    for _ in 0..<3 {
      let result = try await resolver.resolveSignIn(
        with: TOTPMultiFactorGenerator.assertionForSignIn(
          withEnrollmentID: nil, oneTimePassword: "123456"))
      #expect(result.factor == nil)
    }
    #expect(await helper.finished() == [])
  }

  @Test("equality of hints is symmetric")
  func equality() throws {
    let hint = MultiFactorInfo.make(try Samples.summary(1, "phone"))
    let base = MultiFactorInfo(
      uid: hint.uid, displayName: hint.displayName, factorID: hint.factorID,
      enrollmentDate: hint.enrollmentDate)
    #expect(base != hint && hint != base)
    #expect(hint == MultiFactorInfo.make(try Samples.summary(1, "phone")))
  }

  @Test("a sign-in that needs no code says why")
  func noSecondFactor() async throws {
    let helper = ScriptedHelper(
      Samples.welcome + [
        .expect("status"), .send { Self.status(.disabled) },
        .expect("status"), .send { Self.status(.observe) },
        .expect("list"), .send { .factors([]) },
      ])
    let multiFactor = MultiFactor(open: helper.open)
    #expect(try await multiFactor.signIn() == .switchedOff)
    #expect(try await multiFactor.signIn() == .notEnrolled)
    #expect(await helper.finished() == [])
  }

  @Test("the session of a resolver allows no changes, and assertions are for one purpose")
  func purposes() async throws {
    let helper = ScriptedHelper(
      Samples.welcome + Samples.session + Samples.generation + Self.hints)
    let multiFactor = MultiFactor(reauthenticate: Samples.password, open: helper.open)
    let secret = try await TOTPMultiFactorGenerator.generateSecret(
      with: try await multiFactor.session())
    let resolver = try await multiFactor.signInResolver()
    await #expect(throws: MultiFactorError.requiresRecentLogin) {
      try await TOTPMultiFactorGenerator.generateSecret(with: resolver.session)
    }
    await #expect(throws: MultiFactorError.requiresRecentLogin) {
      _ = try await multiFactor.generateRecoveryCodes(with: resolver.session)
    }
    await #expect(throws: MultiFactorError.invalidArgument) {
      try await resolver.resolveSignIn(
        with: TOTPMultiFactorGenerator.assertionForEnrollment(
          with: secret, oneTimePassword: "123456"))
    }
    await #expect(throws: MultiFactorError.invalidArgument) {
      try await multiFactor.enroll(
        with: TOTPMultiFactorGenerator.assertionForSignIn(
          withEnrollmentID: nil, oneTimePassword: "123456"), displayName: "phone")
    }
    #expect(await helper.finished() == [])
  }

  @Test("a session asks with the initialiser's closure, with a password or a ticket")
  func storedClosure() async throws {
    let helper = ScriptedHelper(
      Samples.welcome + Samples.session + [
        .expect("ticketSession"),
        .send { .prompt(text: Samples.text("Ticket: "), .visibleAnswer) },
        .expect("answer hunter2"), .send { .sessionStarted(secondsLeft: 600) },
      ])
    let multiFactor = MultiFactor(reauthenticate: Samples.password, open: helper.open)
    #expect(try await multiFactor.session().duration == .seconds(600))
    #expect(try await multiFactor.ticketSession().duration == .seconds(600))
    #expect(await helper.finished() == [])

    let silent = ScriptedHelper(
      Samples.welcome + [
        .expect("session"), .send { .prompt(text: Samples.text("Password: "), .hiddenAnswer) },
        .expect("cancel"), .send { .failed(.reauthenticationFailed) },
      ])
    let withoutClosure = MultiFactor(open: silent.open)
    await #expect(throws: MultiFactorError.reauthenticationFailed) {
      _ = try await withoutClosure.session()
    }
    #expect(await silent.finished() == [])
  }

  @Test("a factor without a name gets one that is not taken")
  func defaultName() async throws {
    let helper = ScriptedHelper(
      Samples.welcome + Samples.session + Samples.generation + [
        .expect("list"),
        .send {
          .factors([
            try Samples.summary(1, "Authenticator app"), try Samples.summary(2, "phone"),
          ])
        },
        .expect("enroll 287082 Authenticator app 2"), .send { .enrolled(try Samples.factor(9)) },
        .expect("unenroll 9"), .send { .unenrolled(signedOut: true, endsSessions: false) },
        .expect("bye"),
      ])
    let multiFactor = MultiFactor(reauthenticate: Samples.password, open: helper.open)
    let secret = try await TOTPMultiFactorGenerator.generateSecret(
      with: try await multiFactor.session())
    let uid = try await multiFactor.enroll(
      with: TOTPMultiFactorGenerator.assertionForEnrollment(
        with: secret, oneTimePassword: "287082"), displayName: nil)
    #expect(
      try await multiFactor.unenroll(withFactorUID: uid)
        == Unenrollment(signedOut: true, endsSessions: false))
    #expect(await helper.finished() == [])
  }

  @Test("codes in strings are sent as typed")
  func strings() async throws {
    let helper = ScriptedHelper(
      Samples.welcome + Samples.session + [
        .expect("test 123 456"), .send { .recognized(.recoveryCode) },
        .expect("resync 1 111111"), .send { .done },
        .expect("completeResync 222222"), .send { .done },
      ])
    let multiFactor = MultiFactor(reauthenticate: Samples.password, open: helper.open)
    let session = try await multiFactor.session()
    #expect(try await multiFactor.test(oneTimePassword: "123 456") == .recoveryCode)
    try await multiFactor.resync(try Samples.info(1, "phone"), code: "111111", with: session)
    try await multiFactor.completeResync(code: "222222", with: session)
    #expect(await helper.finished() == [])
  }

  @Test(
    "a text becomes bytes and back", arguments: ["", "123456", "電話", "otpauth://totp/a?secret=B"])
  func texts(text: String) {
    #expect(SecretBytes(text).string == text)
    #expect(ScriptedHelper.string(SecretBytes(text)) == text)
  }

  @Test("bytes that are not UTF-8 are no text")
  func notText() {
    let bytes: [UInt8] = [0x61, 0xFF]
    #expect(SecretBytes(copying: bytes.span).string.isEmpty)
  }

  @Test("factors of different kinds are told apart by their class")
  func kinds() throws {
    let app = try Samples.info(1, "phone")
    #expect(app is TOTPMultiFactorInfo)
    #expect(app == (try Samples.info(1, "phone")))
    #expect(app != (try Samples.info(1, "tablet")))
    #expect(app != (try Samples.info(2, "phone")))
    let unnamed = MultiFactorInfo(
      uid: app.uid, displayName: nil, factorID: PhoneMultiFactorID,
      enrollmentDate: app.enrollmentDate)
    #expect(unnamed != app && app != unnamed)
    #expect(unnamed.name == app.uid)
  }
}
