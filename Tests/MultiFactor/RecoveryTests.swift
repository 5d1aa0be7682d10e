import FoundationEssentials
import MFABase
import MFAModel
import MFAWire
import Testing

@testable import MultiFactor

@Suite struct RecoveryTests {
  static func status(_ standing: AccountStatus.Standing) -> AccountStatus {
    AccountStatus(
      enrollment: .required, state: .observe, recoveryCodesLeft: 3, importedRecoveryCodesLeft: 1,
      standing: standing,
      activity: AccountStatus.Activity(
        standing: standing, failedAttempts: 7, rememberedSignIns: 2, pendingNotices: 4))
  }

  @Test(
    "the status of the account",
    arguments: [
      (.open, .open), (.throttled(seconds: 28), .throttled(seconds: 28)), (.locked, .locked),
    ] as [(AccountStatus.Standing, MultiFactorStatus.Standing)])
  func status(sent: AccountStatus.Standing, told: MultiFactorStatus.Standing) async throws {
    let helper = ScriptedHelper(
      Samples.welcome + [
        .expect("status"), .send { .status(Self.status(sent)) },
        .expect("status"), .send { .status(Self.status(sent)) },
      ])
    let multiFactor = MultiFactor(open: helper.open)
    let status = try await multiFactor.status
    #expect(status.enrollment == .required)
    #expect(status.state == .observe)
    #expect(status.recoveryCodesLeft == 3)
    #expect(status.importedRecoveryCodesLeft == 1)
    #expect(status.standing == told && status.signInStanding == told)
    #expect(status.failedAttempts == 7 && status.rememberedSignIns == 2)
    #expect(status.pendingNotices == 4)
    #expect(try await multiFactor.recoveryCodesLeft == 3)
    #expect(await helper.finished() == [])
  }

  @Test("remembered codes are cleared without a session")
  func forgetting() async throws {
    let helper = ScriptedHelper(
      Samples.welcome + [
        .expect("forget"), .send { .forgotten(places: 3) }, .expect("forget"), .send { .done },
        .expectEnd,
      ])
    let multiFactor = MultiFactor(open: helper.open)
    #expect(try await multiFactor.clearRememberedSignIns() == 3)
    await #expect(throws: MultiFactorError.protocolError) {
      try await multiFactor.clearRememberedSignIns()
    }
    #expect(await helper.finished() == [])
  }

  @Test("new recovery codes are passed one at a time")
  func recoveryCodes() async throws {
    let helper = ScriptedHelper(
      Samples.welcome + Samples.session + [
        .expect("generateRecoveryCodes"),
        .send {
          .recoveryCodes(
            RecoveryCodeList(text: Samples.secret("AAAA-BBBB-CCCC-DDDD2222-3333-4444-5555")))
        },
        .expect("generateRecoveryCodes"), .send { .done }, .expectEnd,
      ])
    let multiFactor = MultiFactor(open: helper.open)
    let session = try await multiFactor.session(reauthenticate: Samples.password)
    let codes = try await multiFactor.generateRecoveryCodes(with: session)
    #expect(codes.count == 2)
    var lent: [String] = []
    codes.forEach { lent.append(ScriptedHelper.string($0)) }
    #expect(lent == ["AAAA-BBBB-CCCC-DDDD", "2222-3333-4444-5555"])
    await #expect(throws: MultiFactorError.protocolError) {
      _ = try await multiFactor.generateRecoveryCodes(with: session)
    }
    #expect(await helper.finished() == [])
  }

  private static func programPassword() throws -> ProgramPasswordSummary {
    let id = try #require(GrantID(bytes: [9, 0, 0, 0]))
    let grant = Grant(
      kind: .programPassword, id: id, madeAt: 1_760_000_000, expiresAt: 1_760_086_400, usesLeft: 1,
      reason: Grant.Reason(Array("Mail".utf8)),
      scope: ProgramScope(services: Array("dovecot smtp".utf8), networks: Array("::1/128".utf8)),
      digest: [UInt8](repeating: 0, count: RecoveryCodeDigest.length))
    return try #require(grant.flatMap { ProgramPasswordSummary($0) })
  }

  @Test("a password for a program is made, listed and removed")
  func programPasswords() async throws {
    let helper = ScriptedHelper(
      Samples.welcome + Samples.session + [
        .expect("makeProgramPassword|Mail|dovecot smtp|192.0.2.0/24 ::1/128|86400"),
        .send {
          .programPassword(
            NewProgramPassword(
              try Self.programPassword(), text: Samples.secret("mfa-abcde-fghij-klmno-pqrst")))
        },
        .expect("listProgramPasswords"),
        .send { .programPasswords([try Self.programPassword()]) },
        .expect("removeProgramPassword 9"), .send { .done },
        .expect("removeProgramPassword 9"),
        .send { .failed(.programPasswordRefused(.notFound)) },
        .expect("listProgramPasswords"), .send { .done }, .expectEnd,
      ])
    let multiFactor = MultiFactor(open: helper.open)
    _ = try await multiFactor.session(reauthenticate: Samples.password)
    let new = try await multiFactor.makeProgramPassword(
      named: "Mail", services: ["dovecot", "smtp"], networks: ["192.0.2.7/24", "::1"],
      validForSeconds: 86_400)
    var shown = ""
    new.withText { shown = ScriptedHelper.string($0) }
    #expect(shown == "mfa-abcde-fghij-klmno-pqrst")
    let listed = try #require(try await multiFactor.programPasswords.first)
    #expect(listed == new.info)
    #expect(listed.displayName == "Mail" && listed.uid == "09000000")
    #expect(listed.services == ["dovecot", "smtp"] && listed.networks == ["::1/128"])
    #expect(listed.expirationDate.timeIntervalSince(listed.creationDate) == 86_400)
    await #expect(throws: MultiFactorError.invalidArgument) {
      _ = try await multiFactor.makeProgramPassword(
        named: "Mail", networks: ["example.org"], validForSeconds: 86_400)
    }
    try await multiFactor.remove(listed)
    await #expect(throws: MultiFactorError.programPasswordRefused(.notFound)) {
      try await multiFactor.remove(listed)
    }
    await #expect(throws: MultiFactorError.protocolError) {
      _ = try await multiFactor.programPasswords
    }
    #expect(await helper.finished() == [])
  }

  @Test("a ticket starts a session like a password")
  func ticket() async throws {
    let helper = ScriptedHelper(
      Samples.welcome + [
        .expect("ticketSession"),
        .send { .prompt(text: Samples.text("Ticket: "), .visibleAnswer) },
        .expect("answer wrong"), .send { .failed(.ticketInvalid) },
        .expect("ticketSession"),
        .send { .prompt(text: Samples.text("Ticket: "), .visibleAnswer) },
        .expect("answer right"), .send { .sessionStarted(secondsLeft: 600) },
      ] + Samples.generation)
    let multiFactor = MultiFactor(open: helper.open)
    await #expect(throws: MultiFactorError.ticketInvalid) {
      _ = try await multiFactor.ticketSession { _ in Samples.secret("wrong") }
    }
    let session = try await multiFactor.ticketSession { _ in Samples.secret("right") }
    _ = try await TOTPMultiFactorGenerator.generateSecret(with: session)
    #expect(await helper.finished() == [])
  }

  @Test("two codes are sent as typed, and the helper's result is returned")
  func resync() async throws {
    let helper = ScriptedHelper(
      Samples.welcome + Samples.session + [
        .expect("resync 1 111111"), .send { .done },
        .expect("completeResync 222222"), .send { .failed(.codesNotConsecutive) },
        .expect("resync 1 11 11 11"), .send { .done },
        .expect("completeResync 33 33 33"), .send { .done }, .expect("bye"), .expectEnd,
      ])
    let multiFactor = MultiFactor(open: helper.open)
    let session = try await multiFactor.session(reauthenticate: Samples.password)
    let factor = try Samples.info(1, "phone")
    try await multiFactor.resync(factor, code: Samples.secret("111111"), with: session)
    await #expect(throws: MultiFactorError.codesNotConsecutive) {
      try await multiFactor.completeResync(code: Samples.secret("222222"), with: session)
    }
    try await multiFactor.resync(factor, code: Samples.secret("11 11 11"), with: session)
    try await multiFactor.completeResync(code: Samples.secret("33 33 33"), with: session)
    await #expect(throws: MultiFactorError.notACode) {
      try await multiFactor.resync(factor, code: SecretBytes(count: 513), with: session)
    }
    await #expect(throws: MultiFactorError.notACode) {
      try await multiFactor.completeResync(code: SecretBytes(count: 513), with: session)
    }
    await multiFactor.close()
    #expect(await helper.finished() == [])
  }

  @Test("all values of a factor from another program are sent to the helper")
  func importing() async throws {
    let helper = ScriptedHelper(
      Samples.welcome + Samples.session + [
        .expect("import old phone sha1 1234567890 -2 59 1111111122222222"),
        .send { .enrolled(try Samples.factor(9)) },
        .expect("import other sha256 12345678901234567890 0 -9223372036854775808 "),
        .send { .failed(.alreadyImported) },
      ])
    let multiFactor = MultiFactor(open: helper.open)
    let session = try await multiFactor.session(reauthenticate: Samples.password)
    let uid = try await multiFactor.importFactor(
      ImportedFactor(
        key: Samples.secret("1234567890"), timeOffset: -2, latestTimeStep: 59,
        recoveryCodes: Samples.secret("1111111122222222")),
      displayName: "old phone", with: session)
    #expect(uid == String(repeating: "09", count: 16))
    await #expect(throws: MultiFactorError.alreadyImported) {
      try await multiFactor.importFactor(
        ImportedFactor(key: Samples.secret("12345678901234567890"), hashingAlgorithm: .sha256),
        displayName: "other", with: session)
    }
    #expect(await helper.finished() == [])
  }

  struct Import: Sendable {
    var key = 20
    var digits = 6
    var period = 30
    var offset = 0
    var codes = ""
    var name = "a"
    let error: MultiFactorError
  }

  static let imports: [Import] = [
    Import(key: 9, error: .secretTooShort),
    Import(key: 65, error: .invalidArgument),
    Import(digits: 5, error: .invalidArgument),
    Import(period: 14, error: .invalidArgument),
    Import(period: -1, error: .invalidArgument),
    Import(offset: .max, error: .invalidArgument),
    Import(codes: "1234567", error: .invalidArgument),
    Import(codes: "1234567x", error: .invalidArgument),
    Import(codes: String(repeating: "12345678", count: 11), error: .invalidArgument),
    Import(name: "\u{1B}", error: .unsupportedDisplayName),
  ]

  @Test("an import with a value out of range is refused before it is sent", arguments: imports)
  func importRefused(row: Import) async throws {
    let helper = ScriptedHelper(
      Samples.welcome + Samples.session + [.expect("bye"), .expectEnd])
    let multiFactor = MultiFactor(open: helper.open)
    let session = try await multiFactor.session(reauthenticate: Samples.password)
    await #expect(throws: row.error, "\(row)") {
      try await multiFactor.importFactor(
        ImportedFactor(
          key: SecretBytes(count: row.key), codeLength: row.digits,
          codeIntervalSeconds: row.period, timeOffset: row.offset,
          recoveryCodes: Samples.secret(row.codes)),
        displayName: row.name, with: session)
    }
    await multiFactor.close()
    #expect(await helper.finished() == [])
  }

  @Test("a sign-in is resolved with a code for one of the hints")
  func resolving() async throws {
    let helper = ScriptedHelper(
      Samples.welcome + [
        .expect("list"),
        .send { .factors([try Samples.summary(1, "phone"), try Samples.summary(2, "tablet")]) },
        .expect("signIn 2 000000"), .send { .failed(.invalidVerificationCode) },
        .expect("signIn 2 123456"), .send { .signedIn(.factor(try Samples.factor(2))) },
        .expect("signIn - AAAA-BBBB-CCCC-DDDD"), .send { .signedIn(.recoveryCode(left: 9)) },
        .expect("signIn - 1234-5678"), .send { .signedIn(.bypassCode(usesLeft: 0)) },
        .expect("signIn - 654321"), .send { .signedIn(.factor(try Samples.factor(1))) },
      ])
    let multiFactor = MultiFactor(open: helper.open)
    let resolver = try await multiFactor.signInResolver()
    #expect(resolver.hints.map(\.displayName) == ["phone", "tablet"])
    #expect(resolver.hints.map(\.factorID) == [.totp, .totp])
    let tablet = resolver.hints[1].uid
    await #expect(throws: MultiFactorError.invalidVerificationCode) {
      try await resolver.resolveSignIn(
        with: TOTPMultiFactorGenerator.assertionForSignIn(
          withEnrollmentID: tablet, oneTimePassword: Samples.secret("000000")))
    }
    var used: [MultiFactorSignInResult] = []
    for (factor, code) in [
      (tablet, "123456"), (nil, "AAAA-BBBB-CCCC-DDDD"), (nil, "1234-5678"), (nil, "654321"),
    ] {
      used.append(
        try await resolver.resolveSignIn(
          with: TOTPMultiFactorGenerator.assertionForSignIn(
            withEnrollmentID: factor, oneTimePassword: code)))
    }
    #expect(
      used == [
        .factor(resolver.hints[1]), .recoveryCode, .bypassCode, .factor(resolver.hints[0]),
      ])
    await #expect(throws: MultiFactorError.factorNotFound) {
      try await resolver.resolveSignIn(
        with: TOTPMultiFactorGenerator.assertionForSignIn(
          withEnrollmentID: String(repeating: "03", count: 16),
          oneTimePassword: Samples.secret("123456")))
    }
    #expect(await helper.finished() == [])
  }

  @Test("without an enrolled factor there is nothing to resolve")
  func nothingToResolve() async throws {
    let helper = ScriptedHelper(Samples.welcome + [.expect("list"), .send { .factors([]) }])
    let multiFactor = MultiFactor(open: helper.open)
    await #expect(throws: MultiFactorError.factorNotFound) {
      _ = try await multiFactor.signInResolver()
    }
    #expect(await helper.finished() == [])
  }

  @Test("removing the newest factor ends the session")
  func signedOut() async throws {
    let helper = ScriptedHelper(
      Samples.welcome + Samples.session + [
        .expect("unenroll 1"), .send { .unenrolled(signedOut: true, endsSessions: true) },
        .expect("bye"), .expectEnd,
      ])
    let multiFactor = MultiFactor(open: helper.open)
    let session = try await multiFactor.session(reauthenticate: Samples.password)
    let factor = try Samples.info(1, "phone")
    #expect(
      try await multiFactor.unenroll(with: factor)
        == Unenrollment(signedOut: true, endsSessions: true))
    await #expect(throws: MultiFactorError.userTokenExpired) {
      _ = try await TOTPMultiFactorGenerator.generateSecret(with: session)
    }
    await #expect(throws: MultiFactorError.userTokenExpired) {
      _ = try await multiFactor.generateRecoveryCodes(with: session)
    }
    await #expect(throws: MultiFactorError.userTokenExpired) {
      try await multiFactor.resync(factor, code: Samples.secret("1"), with: session)
    }
    await #expect(throws: MultiFactorError.userTokenExpired) {
      try await multiFactor.completeResync(code: Samples.secret("2"), with: session)
    }
    await #expect(throws: MultiFactorError.userTokenExpired) {
      try await multiFactor.importFactor(
        ImportedFactor(key: SecretBytes(count: 20)), displayName: "a", with: session)
    }
    await #expect(throws: MultiFactorError.userTokenExpired) {
      try await multiFactor.rename(factor, to: "a")
    }
    await #expect(throws: MultiFactorError.userTokenExpired) {
      try await multiFactor.unenroll(with: factor)
    }
    #expect(await helper.finished() == [])
  }
}
