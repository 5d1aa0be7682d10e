import MFABase
import MFAModel
import MFATestSupport
import MFAWire
import Testing

@testable import MultiFactor

@Suite struct CompletionHandlerTests {
  /// Waits for a handler to be called.
  private func result<Value: Sendable>(
    of call: (@escaping @Sendable (Value?, MultiFactorError?) -> Void) -> Void
  ) async -> (value: Value?, error: MultiFactorError?) {
    await withCheckedContinuation { end in
      call { value, error in end.resume(returning: (value, error)) }
    }
  }

  /// Waits for a handler that gets an error only.
  private func error(
    of call: (@escaping @Sendable (MultiFactorError?) -> Void) -> Void
  ) async -> MultiFactorError? {
    await withCheckedContinuation { end in call { end.resume(returning: $0) } }
  }

  @Test("an app is enrolled and removed, and the handler learns of the sign-out")
  func app() async throws {
    let helper = ScriptedHelper(
      Samples.welcome + Samples.session + Samples.generation + [
        .expect("enroll 123456 phone"), .send { .failed(.invalidVerificationCode) },
        .expect("enroll 654321 phone"), .send { .enrolled(try Samples.factor(7)) },
        .expect("unenroll 8"), .send { .unenrolled(signedOut: false, endsSessions: false) },
        .expect("unenroll 7"), .send { .unenrolled(signedOut: true, endsSessions: false) },
        .expect("bye"),
      ])
    let multiFactor = MultiFactor(reauthenticate: Samples.password, open: helper.open)
    let session = await result { multiFactor.getSessionWithCompletion($0) }
    let begun = try #require(session.value)
    let made = await result { TOTPMultiFactorGenerator.generateSecret(with: begun, completion: $0) }
    let secret = try #require(made.value)
    let wrong = await error {
      multiFactor.enroll(
        with: TOTPMultiFactorGenerator.assertionForEnrollment(
          with: secret, oneTimePassword: "123456"), displayName: "phone", completion: $0)
    }
    #expect(wrong == .invalidVerificationCode)
    let right = await error {
      multiFactor.enroll(
        with: TOTPMultiFactorGenerator.assertionForEnrollment(
          with: secret, oneTimePassword: "654321"), displayName: "phone", completion: $0)
    }
    #expect(right == nil)
    let older = try Samples.info(8, "older")
    #expect(await error { multiFactor.unenroll(with: older, completion: $0) } == nil)
    let newest = try Samples.info(7, "phone")
    let signedOut = await error { multiFactor.unenroll(with: newest, completion: $0) }
    #expect(signedOut == .userTokenExpired && signedOut?.code == .invalidUserToken)
    #expect(await helper.finished() == [])
  }

  @Test("without a session, no code is sent")
  func withoutSession() async {
    let sent: (value: String?, error: MultiFactorError?) = await result {
      PhoneAuthProvider.provider().verifyPhoneNumber(
        "+15105551234", multiFactorSession: nil, completion: $0)
    }
    #expect(sent.value == nil && sent.error == .sessionExpired)
  }

  @Test("a failure reaches the handler")
  func failure() async {
    let helper = ScriptedHelper(
      Samples.welcome + [.expect("session"), .send { .failed(.reauthenticationFailed) }])
    let multiFactor = MultiFactor(open: helper.open)
    let session: (value: MultiFactorSession?, error: MultiFactorError?) = await result {
      multiFactor.getSessionWithCompletion($0)
    }
    #expect(session.value == nil && session.error == .reauthenticationFailed)
    #expect(await helper.finished() == [])
  }
}

@Suite struct ExpiryTests {
  @Test(
    "a code after the deadline, or after the helper has ended, reports that the session expired")
  func expired() async throws {
    let helper = ScriptedHelper(
      Samples.welcome + Samples.session + [
        .expect("generateSecret sha1 six 30"),
        .send {
          .secret(
            GeneratedSecret(
              key: Samples.secret("12345678901234567890"), parameters: .standard, secondsLeft: 0))
        },
      ] + Samples.generation + [.hangUp])
    let multiFactor = MultiFactor(reauthenticate: Samples.password, open: helper.open)
    let session = try await multiFactor.session()
    let late = try await TOTPMultiFactorGenerator.generateSecret(with: session)
    await #expect(throws: MultiFactorError.sessionExpired) {
      try await multiFactor.enroll(
        with: TOTPMultiFactorGenerator.assertionForEnrollment(
          with: late, oneTimePassword: "123456"), displayName: "phone")
    }
    let second = try await TOTPMultiFactorGenerator.generateSecret(with: session)
    #expect(await helper.finished() == [])
    #expect(Deadline.usual.waits { helper.isSeenToHaveEnded })
    await #expect(throws: MultiFactorError.sessionExpired) {
      try await multiFactor.enroll(
        with: TOTPMultiFactorGenerator.assertionForEnrollment(
          with: second, oneTimePassword: "123456"), displayName: "phone")
    }
  }
}
