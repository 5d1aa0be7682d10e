import MFABase
import MFAModel
import MFAStore

/// The request that a value of `SharedFactorStore` serves.
package struct SharedRequest: Sendable {
  /// The host that asks; nil for an administrator's own request.
  package let host: [UInt8]?
  /// The number of failed attempts that the host may cause in an hour.
  package let hostLimit: UInt32
  /// The random number of the request, 16 bytes; nil if its result need not be returned again.
  package let nonce: [UInt8]?
  /// The epoch in which the host was looked up; nil if the request depends on no earlier load.
  ///
  /// The host may have been looked up on a primary that was replaced, before its revocation. Such a request
  /// is refused in the epoch that begins with the replacement.
  package let epoch: UInt64?

  /// A user who has another name than in the realm; nil for none. What the realm has under the earlier name is
  /// read and changed in the place of what it has under the present one.
  package var renamed: RenamedUser?

  /// Creates a request.
  package init(host: [UInt8]?, hostLimit: UInt32, nonce: [UInt8]?, epoch: UInt64? = nil) {
    self.host = host
    self.hostLimit = hostLimit
    self.nonce = nonce
    self.epoch = epoch
  }

  /// Returns the name under which the realm has what it knows about a user.
  func realmName(of user: [UInt8]) -> [UInt8] {
    guard let renamed, renamed.name == user else { return user }
    return renamed.earlier
  }

  /// Returns the name by which the host asks for a user.
  func hostName(of realmName: [UInt8]) -> [UInt8] {
    guard let renamed, renamed.earlier == realmName else { return realmName }
    return renamed.name
  }

  /// The length of the period in which a host's failures are counted, in seconds.
  package static let periodLength: Int64 = 3600

  /// How long a committed result is kept for a repeated request, in seconds. This is longer than a
  /// module waits for a message. (`DecisionTests.answersOutliveTheModule`)
  package static let answerLifetime: Int64 = 120

  /// Returns where a code was given, bound to the host: a host must not be able to name an address or a
  /// session for which another host then asks no code.
  /// A network is the same for each host, because it only makes attempts wait.
  func bound(_ place: SignInOrigin) -> SignInOrigin {
    guard place.kind != .network else { return place }
    var writer = ByteWriter()
    writer.writeShort(host ?? [])
    writer.write(place.identity)
    return SignInOrigin(place.kind, writer.bytes)
  }

  /// Returns the context of a load at `now`, in seconds since the epoch.
  func context(at now: Int64, withAnswer: Bool) -> EngineContext {
    EngineContext(
      host: host, period: now / Self.periodLength, nonce: withAnswer ? nonce : nil)
  }

  /// Returns the budget for a commit at `now`; nil if no host asks.
  func budget(at now: Int64, isFailure: Bool) -> HostBudget? {
    guard let host else { return nil }
    return HostBudget(
      host: host, period: now / Self.periodLength, limit: hostLimit, isFailure: isFailure)
  }
}

/// The state of a realm and the time of its database as they were loaded last, which the stores of one request
/// share.
package final class LoadedRealm {
  var state: RealmState?
  private var clock: DatabaseClock?
  private let sinceBoot: () throws(SystemError) -> Int64

  /// The epoch of the realm as it was loaded last; nil before anything was loaded.
  package var epoch: UInt64? { state?.epoch }

  /// Creates a value before anything was loaded. `sinceBoot` returns the seconds since this machine was started.
  package init(
    sinceBoot: @escaping () throws(SystemError) -> Int64 = Clock.sinceBoot
  ) {
    self.sinceBoot = sinceBoot
  }

  /// Keeps the time of the database, if its engine has a clock.
  ///
  /// - Throws: `.engine(.clock)` if `now`, the time by this machine's clock, is too far ahead of it.
  func compare(_ now: Int64, with time: Int64) throws(FactorStoreError) {
    let sinceBoot: Int64
    do throws(SystemError) { sinceBoot = try self.sinceBoot() } catch {
      throw .system(.clock, error)
    }
    guard let clock = DatabaseClock(time, at: sinceBoot) else { return }
    self.clock = clock
    guard DatabaseClock.Difference(of: now, from: time)?.effect != .denies else {
      throw .engine(.clock)
    }
  }

  /// Returns the time for a decision: `now`, the time by this machine's clock, or if that is too far ahead of the
  /// database's, the latest time that may be used.
  package func limited(_ now: Int64) throws(SystemError) -> Int64 {
    guard let clock else { return now }
    return clock.limited(now, at: try sinceBoot())
  }
}

/// A user whose entry in the directory service the realm knows under an earlier name.
package struct RenamedUser: Equatable, Sendable {
  /// The name under which the realm has the user's factors.
  package let earlier: [UInt8]
  /// The present name.
  package let name: [UInt8]

  /// Creates a value.
  package init(from earlier: [UInt8], to name: [UInt8]) {
    self.earlier = earlier
    self.name = name
  }
}
