import MFAAttempt
import MFAModel
import MFAStore
import MFASignInTestSupport
import MFABase
import Testing

@Suite("Attempts")
struct AttemptTests {
  let store = MemoryStore()
  let account = Account(name: Array("alice".utf8), uid: 1000)
  let now: Int64 = 1_700_000_000

  private func attempt(_ code: String) throws -> Attempt.Result {
    try Attempt.make(
      TypedCodes(whole: Array(code.utf8).span), by: account, in: store,
      Attempt.Context(settings: .defaults, clock: { now })
    ).result
  }

  @Test("the attempt is written before anything is compared")
  func writtenFirst() throws {
    _ = try store.enroll("Phone", secret: KnownFactor.secret, for: account)
    _ = try attempt(try KnownFactor.wrongCode(at: now))
    #expect(
      store.steps == [
        .lock, .write(failures: 1), .secret, .write(failures: 1), .sync, .unlock,
      ])
    store.failure = (.secret, .cryptography)
    #expect(throws: FactorStoreError.cryptography) { _ = try attempt("123456") }
    #expect(store.attempts.failures == 2)
  }

  @Test("an accepted code is written and synced before the result is returned")
  func accepted() throws {
    _ = try store.enroll("Phone", secret: KnownFactor.secret, for: account)
    guard case .accepted = try attempt(try KnownFactor.code(at: now)) else {
      Issue.record("the correct code was not accepted")
      return
    }
    #expect(
      store.steps == [.lock, .write(failures: 1), .secret, .write(failures: 0), .sync, .unlock])
  }

  @Test("the same answer again is neither compared nor counted")
  func sameAnswer() throws {
    _ = try store.enroll("Phone", secret: KnownFactor.secret, for: account)
    let (wrong, right) = (try KnownFactor.wrongCode(at: now), try KnownFactor.code(at: now))
    for code in [wrong, right] {
      _ = try attempt(code)
      for _ in 0..<20 {
        store.steps = []
        guard case .rejected(.repeated) = try attempt(code) else {
          Issue.record("a repeated answer was counted")
          return
        }
        // The work of a comparison is done, but not with a secret of the user.
        #expect(store.steps == [.lock, .decoy, .unlock])
        #expect(store.onDecoys == [.secret])
        store.onDecoys = []
      }
    }
    #expect(store.attempts.failures == 0)
  }

  @Test("a right code before the factor's first acceptable time step is not counted")
  func notYet() throws {
    let factor = try store.enroll("Phone", secret: KnownFactor.secret, for: account)
    let step = try #require(factor.parameters).step(at: now)
    let used = AttemptState.Match(factor: factor.id, step: step + 5)
    store.attempts = try #require(store.attempts.accepting([used])).state
    for offset in [-5, 0, 4] as [Int64] {
      guard
        case .rejected(.notYet(factor.id, let seconds)) = try attempt(
          try KnownFactor.code(at: now + offset * 30))
      else {
        Issue.record("the code of step \(offset) was not refused as too early")
        continue
      }
      #expect(seconds == (step + 6) * 30 - now)
      #expect(store.attempts.failures == 0)
    }
    // This one may have been used, and a wrong one is one.
    guard case .rejected(.replayed) = try attempt(try KnownFactor.code(at: now + 150)),
      case .rejected(.wrong) = try attempt(try KnownFactor.wrongCode(at: now))
    else {
      Issue.record("a used or wrong code was not counted")
      return
    }
    #expect(store.attempts.failures == 2)
  }

  @Test("a right code of a type that policy does not allow is not counted, and used up")
  func typeNotAllowed() throws {
    let factor = try store.enroll("Phone", secret: KnownFactor.secret, for: account)
    var draft = ConfigurationDraft()
    try draft.add(Array("[project]\nfactors = phone\n".utf8).span, from: [])
    let settings = try draft.finish().project
    func attempt(_ code: String, _ settings: Settings) throws -> Attempt.Result {
      try Attempt.make(
        TypedCodes(whole: Array(code.utf8).span), by: account, in: store,
        Attempt.Context(settings: settings, clock: { now })
      ).result
    }
    guard case .rejected(.wrong) = try attempt(try KnownFactor.wrongCode(at: now), settings) else {
      Issue.record("a wrong code was not counted")
      return
    }
    #expect(store.attempts.failures == 1)
    let right = try KnownFactor.code(at: now)
    guard case .rejected(.typeNotAllowed(factor.id, .totp)) = try attempt(right, settings),
      case .rejected(.repeated(.used)) = try attempt(right, settings)
    else {
      Issue.record("the right code was not refused, or not used up")
      return
    }
    // Failures are neither added nor cleared, and no other policy accepts the code.
    #expect(store.attempts.failures == 1)
    store.attempts = store.attempts.forgettingAnswers()
    guard case .rejected(.replayed) = try attempt(right, .defaults) else {
      Issue.record("the code was accepted later")
      return
    }
    store.attempts = store.attempts.forgettingAnswers()
    guard case .rejected(.wrong) = try attempt(right, settings) else {
      Issue.record("the used code was not counted")
      return
    }
    #expect(store.attempts.failures == 3)
  }

  @Test("a code that was wrong under other settings, or for another factor, is compared")
  func otherScope() throws {
    let first = try store.enroll("Phone", secret: KnownFactor.secret, for: account)
    let second = try store.enroll("Tablet", secret: Array("another secret.....".utf8), for: account)
    let code = try KnownFactor.code(at: now)
    func attempt(_ named: FactorID?) throws -> Attempt.Result {
      try Attempt.make(
        TypedCodes(whole: Array(code.utf8).span), by: account, in: store,
        Attempt.Context(settings: .defaults, clock: { now }, factor: named)
      ).result
    }
    guard case .rejected(.wrong) = try attempt(second.id),
      case .rejected(.repeated(.rejected)) = try attempt(second.id),
      case .accepted = try attempt(first.id)
    else {
      Issue.record("the code of the first factor was not accepted")
      return
    }
  }

  @Test("without the sync there is no result")
  func failedSync() throws {
    _ = try store.enroll("Phone", secret: KnownFactor.secret, for: account)
    store.failure = (.sync, .busy)
    #expect(throws: FactorStoreError.busy) { _ = try attempt(try KnownFactor.code(at: now)) }
  }

  @Test("a new clock offset is committed at once with the two codes as used")
  func resynchronized() throws {
    let factor = try store.enroll("Phone", secret: KnownFactor.secret, for: account)
    func resynchronize() throws -> Attempt.ResynchronizationResult {
      let first = TypedCodes(whole: Array(try KnownFactor.code(at: now, steps: 6).utf8).span)
      let second = TypedCodes(whole: Array(try KnownFactor.code(at: now, steps: 7).utf8).span)
      let context = Attempt.Context(settings: .defaults, clock: { now })
      guard
        case .counted(let unreported) = try Attempt.beginResynchronizing(
          factor.id, first: first, by: account, in: store, context)
      else { throw FactorStoreError.busy }
      store.steps = []
      let pair = Attempt.CodePair(first: first, second: second, elapsed: 30, unreported: unreported)
      return try Attempt.resynchronize(factor.id, with: pair, by: account, in: store, context)
    }
    store.failure = (.replace, .busy)
    #expect(throws: FactorStoreError.busy) { _ = try resynchronize() }
    #expect(store.record?.factors.first?.timeOffset == 0)
    #expect(store.attempts.watermark(of: factor.id) == -1)
    store.failure = nil
    guard case .done = try resynchronize() else {
      Issue.record("two correct codes were not accepted")
      return
    }
    #expect(store.steps == [.lock, .secret, .replace, .unlock])
    #expect(store.attempts.watermark(of: factor.id) == now / 30 + 7)
  }

  @Test("every factor is compared, whichever matches and however long its codes are")
  func everyFactorIsCompared() throws {
    let eight = try #require(TOTPParameters(algorithm: .sha512, codeLength: .eight, period: 60))
    _ = try store.enroll("Phone", secret: KnownFactor.secret, for: account)
    let second = try store.enroll("Tablet", secret: Array("another secret.....".utf8), for: account)
    let third = try store.enroll(
      "Card", secret: KnownFactor.secret, for: account, parameters: eight)
    for (name, code, expected) in [
      ("first", try KnownFactor.code(at: now), nil),
      ("second", try KnownFactor.code(at: now, secret: Array("another secret.....".utf8)), second),
      ("third", try KnownFactor.code(at: now, parameters: eight), third),
      ("none", "00000001", nil),
    ] as [(String, String, Factor?)] {
      store.steps = []
      let result = try attempt(code)
      #expect(store.steps.filter { $0 == .secret }.count == 3, "\(name)")
      if let expected {
        guard case .accepted(.factor(let id)) = result else {
          Issue.record("\(name) was not accepted")
          continue
        }
        #expect(id == expected.id)
      }
    }
  }

  @Test("a code of two factors with the same secret is accepted once")
  func sharedSecret() throws {
    _ = try store.enroll("Phone", secret: KnownFactor.secret, for: account)
    _ = try store.enroll("Tablet", secret: KnownFactor.secret, for: account)
    let code = try KnownFactor.code(at: now)
    guard case .accepted = try attempt(code) else {
      Issue.record("the correct code was not accepted")
      return
    }
    guard case .rejected(.repeated(.used)) = try attempt(code) else {
      Issue.record("the code was accepted twice")
      return
    }
  }

  @Test("a code with a length that no factor has is not counted")
  func otherLength() throws {
    _ = try store.enroll("Phone", secret: KnownFactor.secret, for: account)
    guard case .rejected(.notACode) = try attempt("12345678") else {
      Issue.record("eight digits were counted as a code")
      return
    }
    #expect(store.attempts.failures == 0)
  }

  // MARK: Recovery codes

  static let recoveryCode = Array("0123456789".utf8)
  static let written = "gayt-emzu-gu3d-oobz"

  private func enrollWithRecoveryCodes() throws {
    _ = try store.enroll("Phone", secret: KnownFactor.secret, for: account)
    try store.keep(
      recoveryCodes: [
        (Self.recoveryCode, .generated), (Array("abcdefghij".utf8), .generated),
        (Array("87654321".utf8), .imported),
      ])
  }

  @Test("a recovery code is accepted once, and the remaining ones are counted")
  func recoveryCodeIsGoodOnce() throws {
    try enrollWithRecoveryCodes()
    guard case .accepted(.recoveryCode(let left, _)) = try attempt(Self.written) else {
      Issue.record("the recovery code was not accepted")
      return
    }
    #expect(left == 2)
    #expect(store.attempts.failures == 0)
    #expect(
      store.steps == [
        .lock, .digest, .write(failures: 1), .digest, .digest, .replace, .unlock,
      ])
    guard case .rejected(.repeated(.used)) = try attempt(Self.written) else {
      Issue.record("the recovery code was accepted twice")
      return
    }
    #expect(store.attempts.failures == 0)
  }

  @Test("an imported recovery code has eight digits, and is not confused with a generated one")
  func importedCode() throws {
    try enrollWithRecoveryCodes()
    guard case .accepted(.recoveryCode(let left, _)) = try attempt("8765 4321") else {
      Issue.record("the imported code was not accepted")
      return
    }
    #expect(left == 2)
    guard case .rejected(.notACode) = try attempt("87654321") else {
      Issue.record("eight digits were counted although no such code is left")
      return
    }
  }

  @Test("a used recovery code is not replaced, also if the user could be shown a new one")
  func noReplacement() throws {
    try enrollWithRecoveryCodes()
    let before = try #require(store.record?.recoveryCodes)
    let report = try Attempt.make(
      TypedCodes(whole: Array(Self.written.utf8).span), by: account, in: store,
      Attempt.Context(settings: .defaults, clock: { now }, showsMessages: true))
    guard case .accepted(.recoveryCode(let left, _)) = report.result else {
      Issue.record("the code was not accepted")
      return
    }
    let after = try #require(store.record?.recoveryCodes)
    #expect(left == 2 && after.count == 2)
    #expect(after.allSatisfy { before.contains($0) })
  }

  @Test("every recovery code is compared, whichever matches")
  func everyRecoveryCodeIsCompared() throws {
    try enrollWithRecoveryCodes()
    guard case .rejected(.wrong) = try attempt("aaaa-aaaa-aaaa-aaaa") else {
      Issue.record("a wrong recovery code was not refused")
      return
    }
    #expect(
      store.steps == [
        .lock, .digest, .write(failures: 1), .digest, .write(failures: 1), .sync, .unlock,
      ])
  }

  @Test("a recovery code is accepted only if the record can be written")
  func failedReplacement() throws {
    try enrollWithRecoveryCodes()
    store.failure = (.replace, .busy)
    #expect(throws: FactorStoreError.busy) { _ = try attempt(Self.written) }
  }

  @Test("while the user is throttled, no recovery code is compared")
  func recoveryCodeWaits() throws {
    try enrollWithRecoveryCodes()
    for _ in 0..<5 { _ = try attempt(try KnownFactor.wrongCode(at: now)) }
    guard case .rejected(.throttled) = try attempt(Self.written) else {
      Issue.record("a recovery code was compared during a wait")
      return
    }
    #expect(store.record?.recoveryCodes.count == 3)
  }

  @Test("without recovery codes, sixteen letters are not counted")
  func noRecoveryCodes() throws {
    _ = try store.enroll("Phone", secret: KnownFactor.secret, for: account)
    guard case .rejected(.notACode) = try attempt(Self.written) else {
      Issue.record("a recovery code was counted although none exists")
      return
    }
    #expect(store.attempts.failures == 0)
  }

  @Test("a factor's clock offset determines its correct codes")
  func timeOffset() throws {
    let factor = try store.enroll("Phone", secret: KnownFactor.secret, for: account)
    var record = try #require(store.record)
    try record.setTimeOffset(of: factor.id, to: 40)
    store.record = record
    guard case .rejected(.wrong) = try attempt(try KnownFactor.code(at: now)) else {
      Issue.record("the code of this machine's clock was accepted")
      return
    }
    guard case .accepted = try attempt(try KnownFactor.code(at: now + 40 * 30)) else {
      Issue.record("the code of the authenticator's clock was refused")
      return
    }
  }
}
