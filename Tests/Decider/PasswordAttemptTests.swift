import MFABase
import MFADecider
import MFAModel
import MFASignInTestSupport
import MFAWire
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

@Suite("What pam_faillock has recorded")
struct FaillockTallyTests {
  private static let now: Int64 = 1_795_000_000

  /// Returns a record of a failure some seconds ago.
  private static func record(_ age: Int64, isValid: Bool = true) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 64)
    bytes[54] = isValid ? 1 : 2
    for index in 0..<8 { bytes[56 + index] = UInt8(truncatingIfNeeded: (now - age) >> (8 * index)) }
    return bytes
  }

  struct Row: Sendable {
    var arguments = "deny=3"
    var configuration = ""
    let ages: [Int64]
    var isValid = true
    let isLocked: Bool
  }

  @Test(
    "an account is locked as pam_faillock locks it",
    arguments: [
      Row(ages: [], isLocked: false),
      Row(ages: [30, 20], isLocked: false),
      Row(ages: [30, 20, 10], isLocked: true),
      Row(ages: [30, 20, 10], isValid: false, isLocked: false),
      // The failures must be in one interval, which ends with the last one.
      Row(ages: [1000, 20, 10], isLocked: false),
      Row(ages: [620, 610, 601], isLocked: false),
      Row(ages: [620, 610, 600], isLocked: true),
      Row(arguments: "deny=3 unlock_time=never", ages: [90_020, 90_010, 90_000], isLocked: true),
      Row(arguments: "deny=3 unlock_time=60", ages: [81, 71, 61], isLocked: false),
      Row(arguments: "deny=2 fail_interval=15", ages: [30, 10], isLocked: false),
      Row(arguments: "deny=0", ages: [3, 2, 1], isLocked: false),
      // The file has settings for lines without arguments, and arguments have precedence.
      Row(
        arguments: "", configuration: "# deny = 9\n deny = 2 \nsilent\n", ages: [2, 1],
        isLocked: true),
      Row(arguments: "deny=4", configuration: "deny=2\n", ages: [3, 2, 1], isLocked: false),
      Row(arguments: "deny=many", ages: [3, 2, 1], isLocked: true),
      // A clock that was set back does not unlock.
      Row(ages: [-500, -510, -520], isLocked: true),
    ])
  func locked(row: Row) {
    var policy = FaillockTally.Policy()
    policy.apply(configuration: Array(row.configuration.utf8))
    policy.apply(
      serviceFile: Array(
        """
        # auth required pam_faillock.so deny=1
        auth\trequired pam_unix.so deny=1
        auth required /lib/security/pam_faillock.so preauth \(row.arguments) # x

        """.utf8))
    let tally = FaillockTally(row.ages.flatMap { Self.record($0, isValid: row.isValid) } + [1])
    #expect(tally.isLocked(policy, at: Self.now) == row.isLocked)
  }

  @Test("without a line of the module nothing is locked")
  func unused() {
    var policy = FaillockTally.Policy()
    policy.apply(serviceFile: Array("auth required pam_unix.so\n#pam_faillock.so\n".utf8))
    let tally = FaillockTally([3, 2, 1].flatMap { Self.record($0) })
    #expect(!tally.isLocked(policy, at: Self.now))
  }
}
