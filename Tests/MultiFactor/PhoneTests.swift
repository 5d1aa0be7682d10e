import MFAModel
import MFAWire
import MFABase
import Testing

@testable import MultiFactor

/// Phones through the library, in the forms that programs written for Identity Platform use.
@Suite struct PhoneTests {
  private static func sent() throws -> HelperResponse {
    .codeSent(
      number: try PhoneNumber(typed: Array("+15105551234".utf8).span).masked, secondsLeft: 600)
  }

  private static func phone(_ byte: UInt8) throws -> FactorSummary {
    FactorSummary(
      id: try Samples.factor(byte), displayName: try #require(DisplayName(Array("phone".utf8))),
      enrolledAt: 1_760_000_000,
      kind: .phone(
        try PhoneNumber(typed: Array("+15105551234".utf8).span).masked, usableFrom: 1_760_086_400))
  }

  @Test("a phone is enrolled with a code that was sent to it")
  func enrollment() async throws {
    let helper = ScriptedHelper(
      Samples.welcome + Samples.session + [
        .expect("beginPhone +15105551234"), .send { try Self.sent() },
        .expect("confirmPhone 000000 work"), .send { .failed(.invalidVerificationCode) },
        .expect("confirmPhone 123456 work"), .send { .enrolled(try Samples.factor(9)) },
      ])
    let multiFactor = MultiFactor(reauthenticate: Samples.password, open: helper.open)
    let session = try await multiFactor.session()
    let verificationID = try await PhoneAuthProvider.provider().verifyPhoneNumber(
      "+15105551234", uiDelegate: nil, multiFactorSession: session)
    for code in ["000000", "123456"] {
      let credential = PhoneAuthProvider.provider().credential(
        withVerificationID: verificationID, verificationCode: code)
      let assertion = PhoneMultiFactorGenerator.assertion(with: credential)
      do {
        let uid = try await multiFactor.enroll(with: assertion, displayName: "work")
        #expect(code == "123456" && uid.hasPrefix("0909"))
      } catch {
        #expect(code == "000000" && error == .invalidVerificationCode)
      }
    }
    // The ID was used.
    await #expect(throws: MultiFactorError.invalidVerificationID) {
      try await multiFactor.enroll(
        with: Self.assertion(verificationID), displayName: "work")
    }
    #expect(await helper.finished() == [])
  }

  private static func assertion(_ id: String) -> MultiFactorAssertion {
    PhoneMultiFactorGenerator.assertion(
      with: PhoneAuthProvider.provider().credential(
        withVerificationID: id, verificationCode: "123456"))
  }

  @Test("a phone without a name is called Phone")
  func defaultName() async throws {
    let helper = ScriptedHelper(
      Samples.welcome + Samples.session + [
        .expect("beginPhone +15105551234"), .send { try Self.sent() },
        .expect("list"), .send { .factors([]) },
        .expect("confirmPhone 123456 Phone"), .send { .enrolled(try Samples.factor(9)) },
      ])
    let multiFactor = MultiFactor(reauthenticate: Samples.password, open: helper.open)
    let id = try await PhoneAuthProvider.provider().verifyPhoneNumber(
      "+15105551234", multiFactorSession: try await multiFactor.session())
    try await multiFactor.enroll(with: Self.assertion(id), displayName: nil)
    #expect(await helper.finished() == [])
  }

  @Test("a sign-in with a code that was sent to a phone")
  func signIn() async throws {
    let helper = ScriptedHelper(
      Samples.welcome + [
        .expect("list"), .send { .factors([try Self.phone(1), try Self.phone(2)]) },
        .expect("sendCode 2"), .send { try Self.sent() },
        .expect("signIn 2 123456"), .send { .signedIn(.factor(try Samples.factor(2))) },
        .expect("sendCode 1"), .send { try Self.sent() },
      ])
    let multiFactor = MultiFactor(open: helper.open)
    let resolver = try await multiFactor.signInResolver()
    let hint = try #require(resolver.hints[1] as? PhoneMultiFactorInfo)
    #expect(hint.phoneNumber == "+1 *** *** **34" && hint.factorID == PhoneMultiFactorID)
    #expect(hint.usableFrom == hint.enrollmentDate.addingTimeInterval(86_400))
    let id = try await PhoneAuthProvider.provider().verifyPhoneNumber(
      with: hint, uiDelegate: nil, multiFactorSession: resolver.session)
    #expect(try await resolver.resolveSignIn(with: Self.assertion(id)).factor == hint)
    // The ID was used.
    await #expect(throws: MultiFactorError.invalidVerificationID) {
      try await resolver.resolveSignIn(with: Self.assertion(id))
    }
    // Another request makes the ID void.
    let first = try #require(resolver.hints[0] as? PhoneMultiFactorInfo)
    _ = try await PhoneAuthProvider.provider().verifyPhoneNumber(
      with: first, multiFactorSession: resolver.session)
    await #expect(throws: MultiFactorError.invalidVerificationID) {
      try await resolver.resolveSignIn(with: Self.assertion(id))
    }
    #expect(await helper.finished() == [])
  }

  @Test("a code for one purpose is not used for another one, and not in another conversation")
  func purposes() async throws {
    let helper = ScriptedHelper(
      Samples.welcome + Samples.session + [
        .expect("list"), .send { .factors([try Self.phone(1)]) },
        .expect("beginPhone +15105551234"), .send { try Self.sent() },
        .expect("sendCode 1"), .send { try Self.sent() },
        .expect("bye"),
      ])
    let multiFactor = MultiFactor(reauthenticate: Samples.password, open: helper.open)
    let session = try await multiFactor.session()
    let resolver = try await multiFactor.signInResolver()
    let hint = try #require(resolver.hints[0] as? PhoneMultiFactorInfo)
    let provider = PhoneAuthProvider.provider()
    let number = try await provider.verifyPhoneNumber(
      "+15105551234", multiFactorSession: session)
    await #expect(throws: MultiFactorError.invalidVerificationID) {
      try await resolver.resolveSignIn(with: Self.assertion(number))
    }
    await #expect(throws: MultiFactorError.requiresRecentLogin) {
      _ = try await provider.verifyPhoneNumber("+1", multiFactorSession: resolver.session)
    }
    await #expect(throws: MultiFactorError.invalidArgument) {
      _ = try await provider.verifyPhoneNumber(with: hint, multiFactorSession: session)
    }
    let code = try await provider.verifyPhoneNumber(
      with: hint, multiFactorSession: resolver.session)
    await #expect(throws: MultiFactorError.invalidVerificationID) {
      try await multiFactor.enroll(with: Self.assertion(code), displayName: "work")
    }
    await multiFactor.close()
    await #expect(throws: MultiFactorError.sessionExpired) {
      try await resolver.resolveSignIn(with: Self.assertion(code))
    }
    #expect(await helper.finished() == [])
  }

  @Test("failures of the helper have errors of their own")
  func failures() async throws {
    for (failure, error) in [
      (.invalidPhoneNumber(.noPlus), .invalidPhoneNumber(.noPlus)),
      (.tooManyMessages(seconds: 30), .quotaExceeded(seconds: 30)),
      (.phonesNotSupported, .phonesNotSupported),
    ] as [(HelperFailure, MultiFactorError)] {
      let helper = ScriptedHelper(
        Samples.welcome + Samples.session + [
          .expect("beginPhone 5105551234"), .send { .failed(failure) },
        ])
      let multiFactor = MultiFactor(reauthenticate: Samples.password, open: helper.open)
      let session = try await multiFactor.session()
      await #expect(throws: error) {
        _ = try await PhoneAuthProvider.provider().verifyPhoneNumber(
          "5105551234", multiFactorSession: session)
      }
      #expect(await helper.finished() == [])
    }
  }
}
