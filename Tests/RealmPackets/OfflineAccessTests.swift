import MFABase
import Testing

@testable import MFARealm

@Suite("Sign-ins while no verifier answers")
struct OfflineAccessTests {
  static let now: Int64 = 1_800_000_000
  static let user = Array("alice".utf8)
  static let sshd = Array("sshd".utf8)
  static let place = [UInt8](repeating: 5, count: HeldPermit.originLength)

  /// One sign-in that the defaults allow to ask for a code, with one thing changed in each row.
  struct Case {
    var user = OfflineAccessTests.user
    var service = OfflineAccessTests.sshd
    var origin: [UInt8]? = OfflineAccessTests.place
    var permitOrigin: [UInt8]? = OfflineAccessTests.place
    var now = OfflineAccessTests.now
    var phase = RelayState.Phase.offline
    var isSound = true
    var room = 100
    var latest = OfflineAccessTests.now
    var failures = OfflineFailures()
    var hasPermit = true
    var expires = OfflineAccessTests.now + 100
    var signedIn = OfflineAccessTests.now - 100
    var methods: OfflineMethods = [.recovery]
    var services: [[UInt8]]?
    var codes = 1

    var set: OfflineCodeSet {
      OfflineCodeSet(
        id: [UInt8](repeating: 1, count: 8), salt: [UInt8](repeating: 2, count: 16), costLog2: 15,
        codes: (0..<codes).map {
          OfflineCodeSet.Code(number: UInt8($0), hash: [UInt8](repeating: 3, count: 32))
        })
    }

    var decision: OfflineAccess.Decision {
      let permit = OfflinePermit(
        user: OfflineAccessTests.user, issuedAt: OfflineAccessTests.now - 50, signedInAt: signedIn,
        expiresAt: expires,
        rules: [OfflineRule(services: services, methods: methods, rememberedSeconds: 3600)],
        codes: set, token: [])
      return OfflineAccess.decide(
        OfflineAccess.Attempt(user: user, service: service, origin: origin, now: now),
        permit: hasPermit ? HeldPermit(permit: permit, origin: permitOrigin) : nil,
        OfflineAccess.Circumstances(
          phase: phase, isQueueSound: isSound, roomInQueue: room, latestTime: latest,
          failures: failures))
    }
  }

  private func decision(_ change: (inout Case) -> Void) -> OfflineAccess.Decision {
    var row = Case()
    change(&row)
    return row.decision
  }

  @Test("each condition decides")
  func table() {
    #expect(decision { _ in } == .code(Case().set))
    #expect(decision { $0.isSound = false } == .denied(.queueDamaged))
    #expect(decision { $0.room = 1 } == .denied(.queueFull))
    #expect(decision { $0.hasPermit = false } == .denied(.noPermit))
    #expect(decision { $0.user = Array("bob".utf8) } == .denied(.noPermit))
    #expect(decision { $0.expires = Self.now } == .denied(.expired))
    #expect(decision { $0.methods = [] } == .denied(.notPermitted))
    #expect(decision { $0.services = [Array("sudo".utf8)] } == .denied(.notPermitted))
    #expect(decision { $0.services = [Self.sshd] } == .code(Case().set))
    #expect(decision { $0.codes = 0 } == .denied(.noCodes))
    #expect(decision { $0.latest = Self.now + 61 } == .denied(.clockWentBack))
    #expect(decision { $0.latest = Self.now + 60 } == .code(Case().set))
    #expect(decision { $0.latest = .max } == .denied(.clockWentBack))
    #expect(decision { $0.now = Self.now - 200 } == .denied(.clockWentBack))
    #expect(decision { $0.now = .max } == .denied(.clockWentBack))
    #expect(decision { $0.methods = [.breakGlass] } == .breakGlass)
    #expect(decision { $0.methods = [.breakGlass, .recovery] } == .breakGlass)
    #expect(decision { $0.methods = [.remembered] } == .remembered)
    #expect(
      decision {
        $0.methods = [.remembered]; $0.origin = nil
      } == .denied(.notPermitted))
    #expect(
      decision {
        $0.methods = [.remembered]; $0.origin = nil; $0.permitOrigin = nil
      }
        == .denied(.notPermitted))
    #expect(
      decision {
        $0.methods = [.remembered]; $0.origin?[0] = 1
      } == .denied(.notPermitted))
    #expect(
      decision {
        $0.methods = [.remembered]; $0.signedIn = Self.now - 3600
      }
        == .denied(.notPermitted))
    #expect(
      decision {
        $0.methods = [.remembered]; $0.signedIn = Self.now + 1
      } == .denied(.notPermitted))
    #expect(
      decision {
        $0.methods = [.remembered, .recovery]; $0.origin = nil
      } == .code(Case().set))
  }

  @Test(
    "nothing is allowed unless the relay is offline",
    arguments: [
      RelayState.Phase.online, .uncertain,
    ])
  func onlyWhileOffline(_ phase: RelayState.Phase) {
    for methods: OfflineMethods in [.recovery, .remembered, .breakGlass] {
      #expect(
        decision {
          $0.phase = phase; $0.methods = methods
        } == .denied(.verifierMayAnswer))
    }
  }

  @Test("random circumstances never allow what a condition forbids")
  func random() {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<20_000 {
      var row = Case()
      row.methods = OfflineMethods(rawValue: UInt8.random(in: 0...7, using: &random))
      row.now = Self.now + Int64.random(in: -200...200, using: &random)
      row.latest = Self.now + Int64.random(in: -200...200, using: &random)
      row.signedIn = Self.now + Int64.random(in: -4000...100, using: &random)
      row.expires = Self.now + Int64.random(in: -100...200, using: &random)
      row.isSound = Bool.random(using: &random)
      row.room = Int.random(in: 0...3, using: &random)
      row.phase = Bool.random(using: &random) ? .offline : .uncertain
      row.hasPermit = Bool.random(using: &random)
      row.codes = Int.random(in: 0...2, using: &random)
      if Bool.random(using: &random) { row.origin = nil }
      let mayAllow =
        row.phase == .offline && row.isSound && row.hasPermit && row.room >= 2
        && row.now < row.expires && row.now + 60 >= row.latest
      switch row.decision {
      case .denied: break
      case .remembered: #expect(mayAllow && row.methods.contains(.remembered) && row.origin != nil)
      case .breakGlass: #expect(mayAllow && row.methods.contains(.breakGlass))
      case .code: #expect(mayAllow && row.methods.contains(.recovery) && row.codes > 0)
      }
    }
  }

  private func records(_ kinds: [OfflineRecord.Kind]) -> [OfflineRecord] {
    kinds.enumerated().map { index, kind in
      OfflineRecord(
        number: UInt64(index + 1), time: Self.now, kind: kind, user: Self.user, service: Self.sshd,
        source: [], code: kind == .code ? OfflineCodeID(set: [], number: 0) : nil)
    }
  }

  @Test("attempts are followed by waits, and then by a lock that time does not end")
  func throttle() {
    func after(_ count: Int, seconds: Int64) -> OfflineAccess.Decision {
      let failures = OfflineFailures.counted(
        of: Self.user, in: records([OfflineRecord.Kind](repeating: .attempt, count: count)))
      return decision {
        $0.failures = failures
        $0.now += seconds
        $0.expires += 1_000_000
      }
    }
    #expect(after(2, seconds: 0) == .code(Case().set))
    #expect(after(3, seconds: 0) == .denied(.throttled(seconds: 30)))
    #expect(after(3, seconds: -50) == .denied(.throttled(seconds: 30)))
    #expect(after(3, seconds: 30) == .code(Case().set))
    #expect(after(9, seconds: 0) == .denied(.throttled(seconds: 900)))
    #expect(after(10, seconds: 500_000) == .denied(.locked))
    let others = OfflineFailures.counted(
      of: Array("bob".utf8), in: records([OfflineRecord.Kind](repeating: .attempt, count: 10)))
    #expect(others == OfflineFailures())
    let accepted = OfflineFailures.counted(of: Self.user, in: records([.attempt, .attempt, .code]))
    #expect(accepted == OfflineFailures())
  }
}
