import MFAAdmin
import MFABase

// What the predicted sign-ins of one user mean together.

/// A sign-in of a user at a service, which may have no name if only policy counts.
struct ReadinessPlace: Hashable {
  let service: [UInt8]
  /// The remote address, or nil for a local sign-in.
  let address: [UInt8]?
}

/// What a predicted sign-in means for the user.
enum ReadinessVerdict: Equatable {
  /// The service never asks the user.
  case notConcerned
  /// The user is let in, if everything that is typed is right.
  case ready
  /// The user has to enrol, and is then let in.
  case enrolls
  /// The user cannot use the service, whatever policy says.
  case excluded(String)
  /// The sign-in is denied: by policy, or for another reason in words.
  case lockedOut(Readiness.Obstacle?, String)
}

/// The verdicts about one user.
struct ReadinessSummary {
  let account: Account
  private let verdicts: [ReadinessPlace: ReadinessVerdict]
  /// Whether the user can enrol at one of the places.
  private let canEnroll: Bool

  init(_ account: Account, _ verdicts: [ReadinessPlace: ReadinessVerdict]) {
    self.account = account
    self.verdicts = verdicts
    canEnroll = verdicts.values.contains(.enrolls)
  }

  /// Returns the verdict about a place. Where only a factor is missing, it counts that the user can enrol
  /// elsewhere.
  func verdict(_ place: ReadinessPlace) -> ReadinessVerdict {
    let verdict = verdicts[place] ?? .notConcerned
    guard canEnroll, case .lockedOut(let obstacle?, _) = verdict, obstacle.endsByEnrolling else {
      return verdict
    }
    return .enrolls
  }

  /// Returns the sign-ins that would be denied, one for each service.
  func denied(_ places: [[ReadinessPlace]]) -> [Readiness.LockedOut] {
    var services: Set<[UInt8]> = []
    var denied: [Readiness.LockedOut] = []
    for place in places.joined() where !place.service.isEmpty {
      guard case .lockedOut(_, let reason) = verdict(place),
        services.insert(place.service).inserted
      else { continue }
      denied.append(
        Readiness.LockedOut(
          account: account,
          obstacle: .denied(at: [VisibleText.escaping(place.service)], reason)))
    }
    return denied
  }

  /// Returns why the user cannot use any service, whatever policy says, or nil.
  func exclusion(_ places: [[ReadinessPlace]]) -> String? {
    var reason: String?
    for place in places.joined() {
      switch verdict(place) {
      case .notConcerned: continue
      case .excluded(let text): reason = reason ?? text
      case .ready, .enrolls, .lockedOut: return nil
      }
    }
    return reason
  }
}

extension Readiness.Scope {
  /// Counts a user whose sign-ins at these places belong to the scope.
  mutating func add(_ summary: ReadinessSummary, _ places: [ReadinessPlace]) {
    accounts.append(summary.account)
    let verdicts = places.map { summary.verdict($0) }
    let obstacles = verdicts.compactMap { verdict -> Readiness.Obstacle? in
      guard case .lockedOut(let obstacle, _) = verdict else { return nil }
      return obstacle
    }
    if let obstacle = obstacles.first {
      lockedOut.append(Readiness.LockedOut(account: summary.account, obstacle: obstacle))
    } else if verdicts.contains(.enrolls) {
      hasToEnroll.append(summary.account)
    }
  }
}

extension Readiness.Obstacle {
  /// Whether the obstacle ends when the user enrols.
  fileprivate var endsByEnrolling: Bool {
    switch self {
    case .notEnrolled, .offerOver: true
    case .throttled, .locked, .unusable, .denied: false
    }
  }
}
