#if Fleet
import GRPCCore
import MFARealm
import MFARealmTransport
import MFABase
import NIOPosix
import Synchronization

/// Keeps the permits of this host present while verifiers answer, and reports to them what was decided while none
/// did.
///
/// MUST 1: records are removed only after a verifier has said that the realm has them. (Tests/Fleet: `offline with codes`)
/// MUST 2: a report that the verifiers put off or refuse stays in the queue, and permits are renewed meanwhile.
/// (Tests/Fleet: `report put off`)
struct OfflineUpkeep: Sendable {
  let store: OfflineStore
  let verifiers: VerifierPool
  let threads: NIOThreadPool

  /// How often the relay looks whether there is something to do.
  private static var interval: Duration { .seconds(1) }
  /// When permits are renewed next, in intervals: within an hour. Hosts that lost the same verifier do not all renew
  /// theirs at the same moment.
  private static var renewal: Int { Int.random(in: 2400...3600) }
  /// How often the present time is noted, in intervals.
  private static var noting: Int { 60 }

  /// Works until the task is cancelled.
  func run() async {
    var untilRenewal = 0
    var untilNoting = 0
    var untilReport = 0
    while !Task.isCancelled {
      if verifiers.health.phase == .online {
        do {
          var hasReported = false
          if untilReport <= 0 { untilReport = try await report(&hasReported) }
          if hasReported || untilRenewal <= 0 {
            try await renew()
            untilRenewal = Self.renewal
          }
          if untilNoting <= 0 {
            let now = try Clock.now()
            try await work { try $0.note(now) }
            untilNoting = Self.noting
          }
        } catch {
          Log.writeError(in: "relay", reason: "offline-upkeep")
          untilRenewal = max(untilRenewal, Self.noting)
          guard await Self.sleep(.seconds(10)) else { return }
        }
      } else {
        // When a verifier answers again, permits may have changed.
        untilRenewal = 0
      }
      untilRenewal -= 1
      untilNoting -= 1
      untilReport -= 1
      guard await Self.sleep(Self.interval) else { return }
    }
  }

  private static func sleep(_ duration: Duration) async -> Bool {
    do {
      try await Task.sleep(for: duration)
      return true
    } catch {
      return false
    }
  }

  private func work<Result: Sendable>(
    _ body: @escaping @Sendable (OfflineStore) throws -> Result
  ) async throws -> Result {
    try await threads.runIfActive { [store] in try body(store) }
  }

  /// How long the relay waits after verifiers have refused a report, in intervals. An administrator may permit it later.
  private static var afterRefusal: Int { 3600 }

  /// Returns for how many intervals no report is sent after this answer; nil if it is a failure of another kind. Hosts
  /// that were put off at the same moment do not all report again at the same moment.
  private static func pause(after error: RPCError) -> Int? {
    var line = LogLine()
    line.add("part", "relay")
    let pause: Int
    switch error.code {
    case .resourceExhausted:
      let seconds = error.metadata[stringValues: HostMetadata.retryAfter].first { _ in true }
      pause = min(max(seconds.flatMap { Int($0) } ?? 60, 1), afterRefusal)
      line.add("offline", "report-put-off")
    case .permissionDenied:
      pause = afterRefusal
      line.add("offline", "report-refused")
    case _: return nil
    }
    line.add("seconds", Int64(pause))
    Log.write(.information, line)
    return pause + Int.random(in: 0...(pause / 4 + 1))
  }

  /// Reports the queue, and sets whether the verifiers took a part of it. Returns for how many intervals no report is
  /// sent then.
  private func report(_ hasReported: inout Bool) async throws -> Int {
    while let report = store.report {
      let reply: [[UInt8]]
      do {
        reply = try await verifiers.call(.report, [report.encoded()])
      } catch let error as RPCError {
        guard let pause = Self.pause(after: error) else { throw error }
        return pause
      }
      guard reply.count == 2, let number = Self.number(reply[0]),
        reply[1].count == OfflineReport.chainLength
      else { throw RealmError.damaged }
      let chain = reply[1]
      let now = try Clock.now()
      try await work { try $0.acknowledge(number, chain: chain, at: now) }
      hasReported = true
      var line = LogLine()
      line.add("part", "relay")
      line.add("offline", report.isDamaged ? "damage-reported" : "reported")
      line.add("records", Int64(report.records.count))
      Log.write(.information, line)
    }
    return 0
  }

  private static func number(_ bytes: [UInt8]) -> UInt64? {
    var reader = ByteReader(bytes.span)
    let number = reader.read(UInt64.self)
    return reader.isAtEnd ? number : nil
  }

  private func renew() async throws {
    let now = try Clock.now()
    try await work { try $0.removeExpired(at: now) }
    var rest = store.tokens[...]
    while !rest.isEmpty {
      let batch = Array(rest.prefix(OfflineRequest.mostTokens))
      let permits = try await verifiers.call(.renewPermits, batch.map(\.token))
      guard !permits.isEmpty, permits.count <= batch.count else { throw RealmError.damaged }
      let users = batch.map(\.user)
      try await work { store in
        for (user, encoded) in zip(users, permits) {
          guard let permit = OfflinePermit(encoded.span), permit.user == user else {
            try store.withdraw(user)
            continue
          }
          try store.keep(permit, origin: nil, isSignIn: false)
        }
      }
      rest = rest.dropFirst(permits.count)
    }
  }

  /// Asks for a permit after a sign-in with a code.
  func signedIn(_ call: RealmCall, user: [UInt8], origin: [UInt8]?) async {
    do {
      let reply = try await verifiers.call(.permit, [call.nonce, call.facts])
      let encoded = reply.first ?? []
      guard let permit = OfflinePermit(encoded.span), permit.user == user else { return }
      try await work { try $0.keep(permit, origin: origin, isSignIn: true) }
    } catch {
      Log.writeError(in: "relay", reason: "no-permit")
    }
  }
}
#endif
