import MFABase

/// What the processes of one listener know of each other, in memory that they share.
///
/// MUST 1: no user other than root occupies more processes than `processesPerUser`.
/// (`WorkerShareTests.perUser`)
/// MUST 2: the helpers of one user do not keep those of other users from working.
/// (`WorkerTests.unknownHelpers`)
/// MUST 3: a process that ends at any point leaves the numbers right. (`WorkerShareTests.ended`)
package final class WorkerShare {
  /// An entry for each process, in the order of their slots; whether the service is stopping; and for
  /// each process what it works for.
  private let numbers: SharedNumbers
  /// The descriptor that wakes the supervisor when another process is needed.
  package let need: WakeUp
  /// The user of the service, who also runs the helpers of all users.
  package let ownUser: UInt32
  /// The largest number of processes of this pool.
  let most: Int
  /// The largest number of processes that wait for a connection.
  let mostIdle: Int
  /// The index of this process's entry.
  package var slot = 0

  /// The largest number of processes of one listener.
  package static let maximumProcesses = 256
  /// The number of processes that wait for a connection when nothing happens.
  static let spareProcesses = 2
  /// The largest number of processes that wait for a connection, unless the service sets another.
  package static let usualIdle = 8
  /// The largest number of processes that one user other than root occupies.
  static let processesPerUser = 16
  /// The largest number of processes that serve helpers whose users are not known yet.
  static let processesForHelpers = 64
  /// The number of connections that a process serves before it is replaced.
  static let connectionsPerProcess = 1000

  /// The values of an entry. The last two users that a process can have share an entry, and thus a
  /// limit.
  private enum Entry {
    static let none: UInt32 = 0
    static let idle: UInt32 = 1

    /// The entry of a process that serves a user.
    static func serving(_ user: UInt32) -> UInt32 { min(user, .max &- 2) &+ 2 }
  }

  /// The index of what the first process works for.
  private static let claimants = maximumProcesses &+ 1
  /// Creates the memory for a pool whose service runs as `ownUser`. Returns nil if there is no memory. No
  /// more than `most` processes serve connections, 256 at most. A process that has served a connection
  /// ends if more than `mostIdle` wait already.
  package init?(ownUser: UInt32, most: Int = maximumProcesses, mostIdle: Int = usualIdle) {
    guard let need = WakeUp(),
      let numbers = SharedNumbers(count: Self.claimants &+ Self.maximumProcesses)
    else { return nil }
    self.numbers = numbers
    self.need = need
    self.ownUser = ownUser
    self.most = min(max(most, 1), Self.maximumProcesses)
    self.mostIdle = mostIdle
  }

  /// The number of processes that wait for a connection.
  var idleProcesses: Int { count(Entry.idle) }

  /// Whether the service is being stopped.
  var isStopping: Bool {
    get { numbers[Self.maximumProcesses] != 0 }
    set { numbers[Self.maximumProcesses] = newValue ? 1 : 0 }
  }

  /// True if the process in `slot` serves no connection, so that it can be ended at once.
  func isDispensable(_ slot: Int) -> Bool { numbers[slot] == Entry.idle }

  /// Whether every process serves a connection.
  private var isFull: Bool {
    for slot in 0..<most where numbers[slot] <= Entry.idle { return false }
    return true
  }

  private func count(_ value: UInt32) -> Int {
    var found = 0
    for slot in 0..<Self.maximumProcesses where numbers[slot] == value { found &+= 1 }
    return found
  }

  // MARK: In the process of a slot

  /// Begins to serve a connection. Returns false if its user occupies too many processes already, or
  /// if this is the last process, which only turns connections away.
  package func begin(for user: UInt32) -> Bool {
    let mayServe = take(for: user)
    if idleProcesses == 0 { need.raise() }
    return mayServe && !isFull
  }

  /// Records which user's connection this process serves. Returns false if the user occupies too many
  /// processes already.
  package func take(for user: UInt32) -> Bool {
    let entry = Entry.serving(user)
    numbers[slot] = entry
    guard user != 0 else { return true }
    return count(entry) <= (user == ownUser ? Self.processesForHelpers : Self.processesPerUser)
  }

  /// Records for what this process works, such as entering reports. Returns false if more than `most`
  /// processes do so now.
  package func serve(_ claimant: UInt32, most: Int) -> Bool {
    numbers[Self.claimants &+ slot] = claimant
    var found = 0
    for slot in 0..<Self.maximumProcesses where numbers[Self.claimants &+ slot] == claimant {
      found &+= 1
    }
    return found <= most
  }

  private func clear(_ slot: Int) { numbers[Self.claimants &+ slot] = 0 }

  /// Waits for the next connection. Returns false if this process should end instead: enough
  /// processes wait already, or the service is being stopped.
  package func end() -> Bool {
    clear(slot)
    numbers[slot] = Entry.idle
    return idleProcesses <= mostIdle && !isStopping
  }

  // MARK: In the supervisor

  /// Records that a process is being started in `slot`.
  func started(in slot: Int) { numbers[slot] = Entry.idle }

  /// Records that the process in `slot` has ended.
  func ended(in slot: Int) {
    numbers[slot] = Entry.none
    clear(slot)
  }
}
