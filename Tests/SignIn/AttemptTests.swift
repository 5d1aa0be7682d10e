import FactorStore
import Factors
import OneTimePassword
import Policy
import SignIn
import SignInTestSupport
import System
import Testing

@Suite("An attempt")
struct AttemptTests {
  let store = MemoryStore()
  let account = Account(name: Array("alice".utf8), uid: 1000)
  let now: Int64 = 1_700_000_000

  private func attempt(_ code: String) throws -> Attempt.Result {
    try Attempt.make(
      TypedCodes(whole: Array(code.utf8).span), by: account, in: store,
      project: Configuration.defaults.project, now: now)
  }

  @Test("the guess is written down before anything is compared")
  func writtenFirst() throws {
    _ = try store.enroll("Phone", secret: KnownFactor.secret, for: account)
    _ = try attempt(try KnownFactor.wrongCode(at: now))
    #expect(store.steps == [.lock, .write(failures: 1), .secret, .sync, .unlock])
    store.failure = (.secret, .cryptography)
    #expect(throws: FactorStoreError.cryptography) { _ = try attempt("123456") }
    #expect(store.attempts.failures == 2)
  }

  @Test("an accepted code is written and synced before it is told")
  func accepted() throws {
    _ = try store.enroll("Phone", secret: KnownFactor.secret, for: account)
    guard case .accepted = try attempt(try KnownFactor.code(at: now)) else {
      Issue.record("the right code was not accepted")
      return
    }
    #expect(
      store.steps == [.lock, .write(failures: 1), .secret, .write(failures: 0), .sync, .unlock])
  }

  @Test("without the sync there is no verdict")
  func failedSync() throws {
    _ = try store.enroll("Phone", secret: KnownFactor.secret, for: account)
    store.failure = (.sync, .busy)
    #expect(throws: FactorStoreError.busy) { _ = try attempt(try KnownFactor.code(at: now)) }
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
        guard case .accepted(let factor) = result else {
          Issue.record("\(name) was not accepted")
          continue
        }
        #expect(factor == expected)
      }
    }
  }

  @Test("one code of two factors with one secret is good once")
  func sharedSecret() throws {
    _ = try store.enroll("Phone", secret: KnownFactor.secret, for: account)
    _ = try store.enroll("Tablet", secret: KnownFactor.secret, for: account)
    let code = try KnownFactor.code(at: now)
    guard case .accepted = try attempt(code) else {
      Issue.record("the right code was not accepted")
      return
    }
    guard case .replayed = try attempt(code) else {
      Issue.record("the code was good twice")
      return
    }
  }

  @Test("a code of a length that no factor has is not counted")
  func otherLength() throws {
    _ = try store.enroll("Phone", secret: KnownFactor.secret, for: account)
    guard case .notACode = try attempt("12345678") else {
      Issue.record("eight digits were taken for a code")
      return
    }
    #expect(store.attempts.failures == 0)
  }
}
