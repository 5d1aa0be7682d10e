import MFAModel
import MFADecider
import MFAWire
import MFABase
import MFASignInTestSupport
import Testing

@Suite("Proofs of the password")
struct PasswordAttemptTests {
  let host = ScriptedHost()

  /// A proof with a given result, which notes the failures that were counted when it began.
  private final class GivenProof: AccountProof {
    var result: ProofResult
    var counted: [UInt32] = []
    private let host: ScriptedHost

    init(_ result: ProofResult, _ host: ScriptedHost) {
      self.result = result
      self.host = host
    }

    func prove(_ account: Account, by prompter: some Prompter) -> ProofResult {
      counted.append(host.memory.attempts.passwordFailures.failures)
      return result
    }
  }

  /// Asks a new process for a session, and returns its answer.
  private func begin(_ proof: GivenProof) throws -> ScriptedClient.Heard? {
    let client = ScriptedClient([
      { _ in try HelperRequestBox(.hello(.english)) }, { _ in try HelperRequestBox(.session) },
    ])
    try host.converse(with: client, proof: proof)
    return client.heard.last
  }

  private var failures: UInt32 { host.memory.attempts.passwordFailures.failures }

  struct Row: Sendable {
    let result: ProofResult
    let answer: ScriptedClient.Heard
    /// The failures that stay counted.
    let failures: UInt32
  }

  @Test(
    "a proof is counted before the password is tried, also for a user without a record",
    arguments: [
      Row(result: .wrong, answer: .failed(.reauthenticationFailed), failures: 1),
      Row(result: .noAnswer, answer: .failed(.reauthenticationFailed), failures: 0),
      Row(result: .refused(.locked), answer: .failed(.accountRefused(.locked)), failures: 0),
      Row(result: .proven, answer: .sessionStarted(600), failures: 0),
    ])
  func countedFirst(row: Row) throws {
    let proof = GivenProof(row.result, host)
    #expect(try begin(proof) == row.answer)
    #expect(proof.counted == [1])
    #expect(failures == row.failures)
    #expect(host.memory.attempts.failures == 0)
  }

  @Test("after five wrong passwords none is tried for a time that grows, and codes are not delayed")
  func waits() throws {
    let proof = GivenProof(.wrong, host)
    for _ in 0..<5 {
      #expect(try begin(proof) == ScriptedClient.Heard.failed(.reauthenticationFailed))
    }
    proof.result = .proven
    for (later, wait) in [(0, 30), (29, 1)] as [(Int64, UInt32)] {
      host.time += later
      #expect(try begin(proof) == ScriptedClient.Heard.failed(.tooManyPasswords(seconds: wait)))
    }
    #expect(proof.counted == [1, 2, 3, 4, 5])
    host.time += 1
    proof.result = .wrong
    #expect(try begin(proof) == ScriptedClient.Heard.failed(.reauthenticationFailed))
    #expect(try begin(proof) == ScriptedClient.Heard.failed(.tooManyPasswords(seconds: 60)))
    #expect(host.memory.attempts.failures == 0)
    host.time += 60
    proof.result = .proven
    #expect(try begin(proof) == ScriptedClient.Heard.sessionStarted(600))
    #expect(failures == 0)
  }
}
