/// The rules for the scheduling of a process that takes locks.
enum Scheduling {
  /// Returns whether a process with a scheduling policy (sched(7)) and a niceness gets its share of the
  /// processors. A negative policy is an error.
  static func isSound(policy: Int32, niceness: Int32) -> Bool {
    // SCHED_RESET_ON_FORK
    let resetOnFork: Int32 = 0x4000_0000
    // SCHED_OTHER is 0.
    return policy >= 0 && policy & ~resetOnFork == 0 && niceness <= 0
  }
}
