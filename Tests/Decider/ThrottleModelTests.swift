import MFAWire
import MFAStore
import MFAModel
import MFABase
import MFASignIn
import MFADecider
import MFASignInTestSupport
import MFATestSupport
import Testing

/// Random requests of every kind that an attacker with the password can make, without a code.
///
/// For any mixture of requests, from any mixture of addresses, with new and repeated answers, and with the
/// continuations of any earlier requests, the number of compared attempts before an accepted code is at most what the throttle allows in the elapsed time,
/// and each was counted first.
@Suite("The throttle under random requests")
struct ThrottleModelTests {
  typealias Line = (ScriptedClient) throws -> HelperRequestBox?

  private static let ticket = Array("0123456789".utf8)
  private static let writtenTicket = "gayt-emzu-gu3d-oobz"
  private static let recovery = Array("abcdefghij".utf8)
  private static let writtenRecovery = "mfrg-gzdf-mztw-q2lk"
  private static let bypass = Array("ABCDEFGHIJ".utf8)
  private static let writtenBypass = "ifbe-grcf-izdu-qskk"

  /// Returns how many attempts one counter allows within `seconds`, from a fresh start.
  private static func allowed(in seconds: Int64, _ policy: ThrottlePolicy) -> Int {
    var count = 0
    var time: Int64 = 0
    while count < Int(policy.locksAfter) {
      time += policy.wait(afterFailures: UInt32(count))
      guard time <= seconds else { break }
      count += 1
    }
    return count
  }

  private func line(_ request: @escaping () throws -> HelperRequestBox) -> Line {
    { _ in try request() }
  }

  private func answer(_ text: String) -> Line {
    line { try HelperRequestBox(.answer(SecretBytes(copying: Array(text.utf8).span))) }
  }

  /// Returns a wrong answer: as often a new one as one that may have been typed before.
  private func guess(_ generator: inout SeededGenerator) -> String {
    let known = ["000000", "111111", "222222", "aaaa-aaaa-aaaa-aaaa", "12345678"]
    guard Bool.random(using: &generator), let guess = known.randomElement(using: &generator) else {
      return String(Int.random(in: 300_000..<1_000_000, using: &generator))
    }
    return guess
  }

  private func secret(_ text: String) -> SecretBytes { SecretBytes(copying: Array(text.utf8).span) }

  /// Returns random requests of one helper conversation. It may end anywhere, as if the process was
  /// killed.
  private func script(_ factor: FactorID, _ generator: inout SeededGenerator) -> [Line] {
    let wrong = guess(&generator)
    let kinds = 0..<8
    var lines: [Line] = [line { try HelperRequestBox(.hello(.english)) }]
    for _ in 0..<Int.random(in: 1...6, using: &generator) {
      switch Int.random(in: kinds, using: &generator) {
      case 0:
        lines += [line { try HelperRequestBox(.session) }, answer("right"), answer(wrong)]
        // After a wrong code, the helper asks for the code alone.
        if Bool.random(using: &generator) {
          lines += [line { try HelperRequestBox(.session) }, answer(wrong)]
        }
      case 1:
        lines += [line { try HelperRequestBox(.session) }, answer("right"), answer("")]
      case 2:
        lines += [
          line { try HelperRequestBox(.ticketSession) }, answer(Self.writtenTicket), answer(wrong),
        ]
      case 3:
        lines += [
          line { try HelperRequestBox(.ticketSession) }, answer(Self.writtenTicket), answer(""),
        ]
      case 4: lines.append(line { try HelperRequestBox(.test(secret(wrong))) })
      case 5:
        lines.append(
          line { try HelperRequestBox(.signIn(CodeRequest(factor: nil, code: secret(wrong)))) })
      case 6:
        let code = [Self.writtenRecovery, Self.writtenBypass].randomElement(using: &generator)
        lines.append(line { try HelperRequestBox(.test(secret(code ?? ""))) })
      case _:
        lines += [
          line {
            try HelperRequestBox(
              .rename(factor: factor, displayName: try #require(DisplayName(Array("n".utf8)))))
          },
          line { try HelperRequestBox(.status) }, line { try HelperRequestBox(.list) },
        ]
      }
    }
    return Array(lines.prefix(Int.random(in: 1...lines.count, using: &generator)))
  }

  /// What an attacker has kept: packets of the helper, and continuations of sign-ins.
  private final class Kept {
    var packets: [[UInt8]] = []
    var continuations: [[UInt8]] = [[]]
    var generator: SeededGenerator

    init(_ generator: SeededGenerator) { self.generator = generator }

    /// Keeps a packet. Returns one that is sent again, or nil.
    func replaying(_ packet: [UInt8]) -> [UInt8]? {
      packets.append(packet)
      return Int.random(in: 0..<3, using: &generator) > 0
        ? nil : packets.randomElement(using: &generator)
    }
  }

  private func converse(_ script: [Line], _ host: ScriptedHost, _ kept: Kept) throws {
    try host.converse(with: ScriptedClient(script), replaying: kept.replaying)
  }

  /// Sends one request of a sign-in with a guess and any continuation that was kept.
  private func answer(_ host: ScriptedHost, _ text: String, from address: String?, _ kept: Kept) {
    var call = SignInCall()
    call.request = SignInRequest(remoteHost: address)
    call.facts = host.facts
    call.continuation = kept.continuations.randomElement(using: &kept.generator) ?? []
    call.answer = .text(secret(text))
    let root = ProcessIdentity(user: 0, actsAsRoot: true, isConfined: false)
    let step = SignIn(call, host: host, identity: root).step()
    guard case .question(_, _, let continuation) = step.reply.end else { return }
    kept.continuations.append(continuation)
  }

  private func signIn(_ host: ScriptedHost, _ text: String, from address: String? = nil) {
    let application = ScriptedApplication([.text(text)])
    let request = SignInRequest(remoteHost: address)
    _ = SignInRun(request, host: host, application: application).authenticate()
  }

  private func prepare(_ host: ScriptedHost) throws -> FactorID {
    let account = try #require(host.account)
    let factor = try host.memory.enroll("Old", secret: KnownFactor.secret, for: account)
    _ = try host.memory.grant(
      .ticket, Self.ticket, to: account, madeAt: host.time, seconds: 1 << 40)
    _ = try host.memory.grant(
      .bypass, Self.bypass, to: account, madeAt: host.time, seconds: 1 << 40, uses: 255)
    try host.memory.keep(recoveryCodes: [(Self.recovery, .generated)])
    return factor.id
  }

  /// Returns how often codes were compared while the user's lock was held.
  private func comparisons(_ steps: [MemoryStore.Step]) -> Int {
    steps.split(separator: .lock).count { $0.contains(.secret) }
  }

  /// Returns how often a code was compared before anything was written.
  private func uncounted(_ steps: [MemoryStore.Step]) -> Int {
    steps.split(separator: .lock).count { steps in
      guard let compared = steps.firstIndex(of: .secret) else { return false }
      return !steps[..<compared].contains { if case .write = $0 { true } else { false } }
    }
  }

  /// Makes 150 random requests. Returns what contradicts the rules.
  private func play(seed: UInt64, on host: ScriptedHost) throws -> [String] {
    var generator = SeededGenerator(seed: seed)
    let factor = try prepare(host)
    let start = host.time
    let policy = ThrottlePolicy()
    let isFast = seed % 3 == 0
    var faults: [String] = []
    let kept = Kept(SeededGenerator(seed: seed))
    for number in 0..<150 {
      let count = comparisons(host.memory.steps)
      let addresses = [nil, "192.0.2.7", "198.51.100.7", "2001:db8::1", "2001:db8::2"]
      let address = addresses.randomElement(using: &generator) ?? nil
      switch Int.random(in: 0..<5, using: &generator) {
      case 0: signIn(host, guess(&generator), from: address)
      case 1:
        // The process is killed after the attempt was counted, or the disk fails.
        let step = [MemoryStore.Step.sync, .secret, .digest].randomElement(using: &generator)
        host.memory.failure = step.map { ($0, .system(.attempts, SystemError(.sync, number: 5))) }
        signIn(host, guess(&generator), from: address)
        host.memory.failure = nil
      case 2: answer(host, guess(&generator), from: address, kept)
      case _: try converse(script(factor, &generator), host, kept)
      }
      if !isFast { host.time += Int64.random(in: 0...90, using: &generator) }
      let elapsed = host.time - start
      let own = Int(AttemptState.maximumUnprivilegedFailures(policy))
      let allowed = Self.allowed(in: elapsed, policy) + min(Self.allowed(in: elapsed, policy), own)
      let compared = comparisons(host.memory.steps)
      if compared > min(allowed, Int(policy.locksAfter)) {
        faults.append(
          "request \(number), after \(elapsed) s: \(compared), \(compared - count) at once")
      }
      if uncounted(host.memory.steps) > 0 { faults.append("request \(number): not counted first") }
    }
    return faults
  }

  @Test("no mixture of requests gains an additional attempt", arguments: 1...30)
  func bounded(seed: UInt64) throws {
    let host = ScriptedHost()
    let faults = try play(seed: seed, on: host)
    #expect(faults.isEmpty, "seed \(seed): \(faults.first ?? "")")
    #expect(comparisons(host.memory.steps) > 3, "the throttle was never tried")
  }

  @Test("the test finds it if a repeated answer is compared without being counted")
  func plantedError() throws {
    let host = ScriptedHost()
    host.memory.comparesRepeatedAnswers = true
    #expect(try !play(seed: 1, on: host).isEmpty)
  }
}
