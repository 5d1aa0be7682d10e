import MFABase
import MFAModel
import MFAWire

/// What a relay decides while no verifier answers: a pure function of the permit that a verifier gave for the
/// user, of what the host has recorded since, and of the clock.
///
/// The host is its own judge here. An attacker who controls the relay or root decides offline sign-ins at
/// this host. The rules limit everyone else.
///
/// MUST 1: nothing is allowed while a verifier may answer, and nothing without a permit for this user and this
/// service that has not expired. (`OfflineAccessTests.table`, `.onlyWhileOffline`)
/// MUST 2: a clock that went back, a damaged queue and a full queue deny. (`OfflineAccessTests.table`)
/// MUST 3: no sequence of failed attempts gives more than `throttle.locksAfter` attempts, until a verifier
/// has the records. (`OfflineAccessTests.throttle`)
package enum OfflineAccess {
  /// A sign-in at this host.
  package struct Attempt: Sendable {
    /// The user, in the spelling of the host's name service.
    package var user: [UInt8]
    /// The PAM service.
    package var service: [UInt8]
    /// A digest of the numeric address and of the keys that were used, or nil if no address is known.
    package var origin: [UInt8]?
    /// The time in seconds since the epoch.
    package var now: Int64

    /// Creates a value.
    package init(user: [UInt8], service: [UInt8], origin: [UInt8]?, now: Int64) {
      self.user = user
      self.service = service
      self.origin = origin
      self.now = now
    }
  }

  /// The state of the host.
  package struct Circumstances: Sendable {
    /// Whether a verifier answers.
    package var phase: RelayState.Phase
    /// Whether the queue is as this relay wrote it.
    package var isQueueSound: Bool
    /// How many records the queue can still take.
    package var roomInQueue: Int
    /// The latest time that is known to be over, in seconds since the epoch.
    package var latestTime: Int64
    /// The failed attempts of the user.
    package var failures: OfflineFailures
  }

  /// Why a sign-in is denied.
  package enum Denial: Equatable, Sendable {
    /// A verifier answered a short time ago, and may answer again.
    case verifierMayAnswer
    /// The queue was changed or is incomplete.
    case queueDamaged
    /// The queue has no room for the records of this sign-in.
    case queueFull
    /// The clock is before a time that is known to be over.
    case clockWentBack
    /// The host has no permit for the user.
    case noPermit
    /// The time of the permit is over.
    case expired
    /// The permit names no method for this service.
    case notPermitted
    /// The user has no unused offline recovery code.
    case noCodes
    /// The user has to wait after failed attempts.
    case throttled(seconds: Int64)
    /// The user has failed too often.
    case locked
  }

  /// What the relay does with a sign-in.
  package enum Decision: Equatable, Sendable {
    case denied(Denial)
    /// The user signed in from the same place a short time ago, and is allowed.
    case remembered
    /// The user belongs to the break-glass group, and is allowed.
    case breakGlass
    /// The user is asked for an offline recovery code of this set.
    case code(OfflineCodeSet)
  }

  /// How far the clock may go back, in seconds: corrections of a clock that is right.
  package static var clockTolerance: Int64 { 60 }

  /// The waits and the limit for failed attempts.
  package static var throttle: ThrottlePolicy {
    ThrottlePolicy(waitsAfter: 3, firstWait: 30, longestWait: 900, locksAfter: 10)
  }

  /// The number of records that a sign-in with a code needs: the attempt, and what was accepted.
  package static var recordsOfCode: Int { 2 }

  /// Decides.
  package static func decide(
    _ attempt: Attempt, permit held: HeldPermit?, _ circumstances: Circumstances
  ) -> Decision {
    guard circumstances.phase == .offline else { return .denied(.verifierMayAnswer) }
    guard circumstances.isQueueSound else { return .denied(.queueDamaged) }
    guard let held, held.permit.user == attempt.user else { return .denied(.noPermit) }
    let permit = held.permit
    let (latest, overflow) = attempt.now.addingReportingOverflow(clockTolerance)
    guard !overflow, latest >= circumstances.latestTime, latest >= permit.issuedAt else {
      return .denied(.clockWentBack)
    }
    guard attempt.now < permit.expiresAt else { return .denied(.expired) }
    let rules = permit.rules.filter { $0.services?.contains(attempt.service) ?? true }
    guard rules.contains(where: { !$0.methods.isEmpty }) else { return .denied(.notPermitted) }
    guard circumstances.roomInQueue >= recordsOfCode else { return .denied(.queueFull) }
    if isRemembered(attempt, held, rules) { return .remembered }
    if rules.contains(where: { $0.methods.contains(.breakGlass) }) { return .breakGlass }
    guard rules.contains(where: { $0.methods.contains(.recovery) }) else {
      return .denied(.notPermitted)
    }
    guard let codes = permit.codes, !codes.codes.isEmpty else { return .denied(.noCodes) }
    switch circumstances.failures.standing(at: attempt.now) {
    case .open: return .code(codes)
    case .throttled(let seconds): return .denied(.throttled(seconds: seconds))
    case .locked: return .denied(.locked)
    }
  }

  private static func isRemembered(
    _ attempt: Attempt, _ held: HeldPermit, _ rules: [OfflineRule]
  ) -> Bool {
    guard let origin = attempt.origin, origin == held.origin else { return false }
    let longest = rules.map { $0.methods.contains(.remembered) ? $0.rememberedSeconds : 0 }.max()
    let (age, overflow) = attempt.now.subtractingReportingOverflow(held.permit.signedInAt)
    // A time in the future is not remembered: the clock went back.
    return !overflow && age >= 0 && age < longest ?? 0
  }
}

/// How a user may sign in while no verifier answers. Without a method, every sign-in is denied.
package struct OfflineMethods: OptionSet, Equatable, Sendable {
  /// The bits, as they are stored.
  package let rawValue: UInt8

  /// Creates a set.
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// With an offline recovery code.
  package static let recovery = OfflineMethods(rawValue: 1)
  /// Without a code, from the place of a recent sign-in.
  package static let remembered = OfflineMethods(rawValue: 2)
  /// Without a code, as a member of the break-glass group.
  package static let breakGlass = OfflineMethods(rawValue: 4)

  /// All methods.
  package static let all: OfflineMethods = [.recovery, .remembered, .breakGlass]
}

/// The methods that one group of hosts offers a user for some services.
package struct OfflineRule: Equatable, Sendable {
  /// The services; nil for all.
  package private(set) var services: [[UInt8]]?
  /// The methods.
  package private(set) var methods: OfflineMethods
  /// For how long a sign-in is remembered, in seconds.
  package private(set) var rememberedSeconds: Int64

  /// The largest number of services, each of at most 255 bytes.
  package static let mostServices = 64

  /// Creates a rule.
  package init(services: [[UInt8]]?, methods: OfflineMethods, rememberedSeconds: Int64) {
    self.services = services
    self.methods = methods
    self.rememberedSeconds = rememberedSeconds
  }

  mutating func fields(_ coder: inout Coder) throws(PacketError) {
    var bits = methods.rawValue
    try coder.number(&bits)
    methods = OfflineMethods(rawValue: bits)
    try coder.number(&rememberedSeconds)
    guard OfflineMethods.all.contains(methods), rememberedSeconds >= 0 else { throw .malformed }
    // The largest number means all services.
    var count = services.map { UInt8(clamping: $0.count) } ?? .max
    try coder.number(&count)
    guard count != .max else {
      services = nil
      return
    }
    guard Int(count) <= Self.mostServices else { throw .malformed }
    var names = services ?? Array(repeating: [], count: Int(count))
    for index in names.indices { try coder.short(&names[index]) }
    services = names
  }
}
