import MFAModel

/// The attempts of a user since a code was last accepted offline. An attempt is counted before its code is
/// compared.
package struct OfflineFailures: Equatable, Sendable {
  /// The number of attempts.
  package private(set) var count: UInt32
  /// The time of the last attempt, in seconds since the epoch.
  package private(set) var last: Int64

  /// Creates a value.
  package init(count: UInt32 = 0, last: Int64 = 0) {
    self.count = count
    self.last = last
  }

  /// Whether the user may try a code.
  enum Standing: Equatable {
    case open
    case throttled(seconds: Int64)
    case locked
  }

  /// Counts an attempt. A clock that went back does not shorten a wait.
  mutating func countAttempt(at time: Int64) {
    if count < .max { count &+= 1 }
    last = max(last, time)
  }

  func standing(at now: Int64) -> Standing {
    let policy = OfflineAccess.throttle
    guard count < policy.locksAfter else { return .locked }
    let wait = policy.wait(afterFailures: count)
    guard wait > 0 else { return .open }
    let (end, overflow) = last.addingReportingOverflow(wait)
    guard !overflow else { return .locked }
    return now >= end ? .open : .throttled(seconds: end &- max(now, last))
  }

  /// Returns the failures of a user in the records of a queue, in order.
  package static func counted(of user: [UInt8], in records: [OfflineRecord]) -> OfflineFailures {
    var failures = OfflineFailures()
    for record in records where record.user == user {
      switch record.kind {
      case .attempt: failures.countAttempt(at: record.time)
      case .code: failures = OfflineFailures()
      case .remembered, .breakGlass: continue
      }
    }
    return failures
  }
}
