#if Fleet
import Foundation
import MFARealmTransport
import MFAModel
import MFARelay
import MFASignInTestSupport
import MFABase
import MFAWire
import Synchronization

/// The relays of simulated hosts.
///
/// A line of the standard input is a command, and is answered by one line of JSON:
///
///     connect SECONDS                      starts all relays, each at a random time within SECONDS
///     settle WORKING SECONDS               waits until each relay has reached WORKING verifiers
///     sign-in COUNT PARALLEL FIRST USERS CODE
///                                          COUNT sign-ins of USERS users from the number FIRST on, PARALLEL at the
///                                          same time; CODE is right or wrong
final class LoadFleet: Sendable {
  private let pools: [VerifierPool]
  /// The next time step of each user.
  private let steps = Mutex<[Int: Int64]>([:])
  /// The users who are signing in. No user signs in twice at the same time: the later code could be accepted first.
  private let busy = Mutex<Set<Int>>([])

  init(_ command: HostsCommand) throws {
    pools = try (command.from..<command.to).map { number in
      let text = """
        [relay]
        verifiers = \(command.verifiers)
        credentials = \(command.folder)/\(LoadRealm.host(number)).pem
        authority = \(command.authority)
        """
      return try VerifierPool(
        RelayConfiguration(
          RealmConfiguration(
            text, path: "relay", section: RelayConfiguration.section, others: [])))
    }
  }

  func run() async throws {
    try await withThrowingDiscardingTaskGroup { group in
      while let line = readLine() {
        let words = line.split(separator: " ").map(String.init)
        switch words.first {
        case "connect":
          let seconds = Double(words[1]) ?? 0
          for pool in pools {
            group.addTask {
              try await Task.sleep(for: .seconds(Double.random(in: 0...max(seconds, 0.001))))
              await pool.connect()
            }
          }
          Self.reply("{}")
        case "settle": await settle(Int(words[1]) ?? 0, seconds: Double(words[2]) ?? 0)
        case "sign-in":
          await signIn(
            count: Int(words[1]) ?? 0, parallel: Int(words[2]) ?? 1,
            users: (first: Int(words[3]) ?? 0, count: Int(words[4]) ?? 1),
            isRight: words[5] == "right")
        default: Self.reply("{\"error\": \"unknown command\"}")
        }
      }
      group.cancelAll()
    }
  }

  private static func reply(_ text: String) {
    print(text)
    fflush(nil)
  }

  private func settle(_ working: Int, seconds: Double) async {
    let begin = ContinuousClock.now
    var count = 0
    repeat {
      count = pools.count { $0.working == working }
      if count == pools.count { break }
      do { try await Task.sleep(for: .milliseconds(500)) } catch { return }
    } while ContinuousClock.now - begin < .seconds(seconds)
    let time = Self.seconds(ContinuousClock.now - begin)
    Self.reply("{\"settled\": \(count), \"hosts\": \(pools.count), \"seconds\": \(time)}")
  }

  private static func seconds(_ duration: Duration) -> Double {
    let (seconds, attoseconds) = duration.components
    return Double(seconds) + Double(attoseconds) / 1e18
  }

  // MARK: Sign-ins

  /// Returns a code of a user that was not used yet. Each user has 21 codes that policy accepts now.
  private func code(of user: Int) throws -> String {
    let now = try Clock.now()
    let present = now / 30
    let step = steps.withLock { steps -> Int64 in
      let next = max((steps[user] ?? 0) + 1, present - 9)
      steps[user] = next
      return next
    }
    return try KnownFactor.code(at: step * 30)
  }

  private func signIn(
    count: Int, parallel: Int, users: (first: Int, count: Int), isRight: Bool
  ) async {
    let tally = LoadTally(count)
    let begin = ContinuousClock.now
    await withDiscardingTaskGroup { group in
      for _ in 0..<parallel {
        group.addTask {
          while let number = tally.next() {
            let time = ContinuousClock.now
            let verdict = await self.one(number, users, isRight: isRight)
            tally.add(verdict, seconds: Self.seconds(ContinuousClock.now - time))
          }
        }
      }
    }
    let time = Self.seconds(ContinuousClock.now - begin)
    let (times, verdicts) = tally.results
    func percentile(_ part: Double) -> Double {
      times.isEmpty ? 0 : times[min(Int(Double(times.count) * part), times.count - 1)] * 1000
    }
    let text = verdicts.sorted { $0.key < $1.key }.map { "\"\($0.key)\": \($0.value)" }
    Self.reply(
      """
      {"seconds": \(time), "p50_ms": \(percentile(0.5)), "p99_ms": \(percentile(0.99)), \
      "max_ms": \(percentile(1)), "verdicts": {\(text.joined(separator: ", "))}}
      """)
  }

  /// Returns a user who is not signing in. There are more users than sign-ins at the same time.
  private func take(from number: Int, _ users: (first: Int, count: Int)) -> Int {
    busy.withLock { busy in
      let candidates = (0..<users.count).lazy.map { users.first + (number + $0) % users.count }
      let user = candidates.first { !busy.contains($0) } ?? users.first
      busy.insert(user)
      return user
    }
  }

  /// The largest number of requests of a sign-in.
  private static var mostRequests: Int { 5 }

  /// Runs one sign-in at a host. Returns the number of the verdict, or -1 if there was none.
  private func one(
    _ number: Int, _ users: (first: Int, count: Int), isRight: Bool
  ) async -> Int {
    do {
      let user = take(from: number, users)
      defer { busy.withLock { _ = $0.remove(user) } }
      // The same wrong code again would not be counted.
      let code =
        isRight
        ? try code(of: user) : String(String(1_000_000 + number % 1_000_000).dropFirst())
      let signIn = LoadSignIn(user: LoadRealm.user(user), code: code)
      var call = signIn.call()
      for _ in 0..<Self.mostRequests {
        let sent = signIn.sent(&call)
        guard let sent, let reply = try await reply(to: sent, from: pools[number % pools.count])
        else {
          return -1
        }
        if let verdict = signIn.carryOut(reply, after: &call) { return verdict }
      }
      return -1
    } catch {
      return -1
    }
  }

  /// Returns the reply to a request, or nil if no verifier answered.
  private func reply(to call: RealmCall, from pool: VerifierPool) async throws -> SignInReply? {
    guard case .answered(let packet) = await pool.decide(call) else { return nil }
    return try SignInReply(packet: SecretBytes(copying: packet.span))
  }
}
#endif
