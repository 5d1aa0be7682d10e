import Synchronization

/// The requests of a relay, by the users whose processes began them.
///
/// MUST 1: no user other than root has more than `mostPerUser` requests, and all together have no more
/// than `most`. (`RelayShareTests`)
/// MUST 2: the helpers of one user do not keep those of other users from working. (`RelayShareTests.helpers`)
package final class RelayShare: Sendable {
  private let requests = Mutex<[UInt32: Int]>([:])
  private let ownUser: UInt32

  /// The largest number of requests.
  package static let most = 4096
  /// The largest number of requests of a user other than root.
  package static let mostPerUser = 16
  /// The largest number of requests of helpers whose users are not known yet.
  package static let mostHelpers = 64

  /// Creates a share. `ownUser` is the user of the relay and of the helpers.
  package init(ownUser: UInt32) { self.ownUser = ownUser }

  /// The number of requests.
  package var count: Int { requests.withLock { $0.values.reduce(0, +) } }

  /// Counts a request for a user. Returns false, and does not count it, if there are too many.
  package func begin(for user: UInt32) -> Bool {
    requests.withLock { requests in
      let own = requests[user] ?? 0
      guard requests.values.reduce(0, +) < Self.most else { return false }
      guard user == 0 || own < (user == ownUser ? Self.mostHelpers : Self.mostPerUser) else {
        return false
      }
      requests[user] = own + 1
      return true
    }
  }

  /// Ends a request that was counted for a user.
  package func end(for user: UInt32) {
    requests.withLock { requests in
      let left = (requests[user] ?? 1) - 1
      requests[user] = left > 0 ? left : nil
    }
  }
}
