import MFACPOSIX

/// A resource limit of a process (getrlimit(2)), and what the helper does with an inherited value.
///
/// A limit that is too low does not make a call fail cleanly: it kills the process, or makes an
/// allocation fail in the middle of a change. So each limit is raised, or the process is refused,
/// before any work begins.
package enum ResourceLimit: Int32, CaseIterable, Sendable {
  case cpuTime = 0
  case fileSize = 1
  case data = 2
  case stack = 3
  case coreFile = 4
  case residentSet = 5
  case processes = 6
  case openFiles = 7
  case lockedMemory = 8
  case addressSpace = 9
  case fileLocks = 10
  case pendingSignals = 11
  case messageQueues = 12
  case niceness = 13
  case realTimePriority = 14
  case realTimeCPU = 15

  /// What the helper does with a limit.
  package enum Rule: Equatable, Sendable {
    /// Set the limit to zero, permanently.
    case zero
    /// Raise a soft limit below this number to the hard limit. Refuse a hard limit below this
    /// number.
    case atLeast(UInt64)
    /// Raise the soft limit to the hard limit. Refuse a hard limit that leaves less than this
    /// number beyond what is already used.
    case leaves(UInt64)
    /// Raise the soft limit to the hard limit. Refuse a hard limit that is not infinite.
    case unlimited
    /// Leave the limit unchanged: it can neither end the helper nor make one of its calls fail.
    case unchanged
  }

  /// The rule for this limit. Numbers are in the unit of the limit: seconds, bytes, processes or
  /// files.
  package var rule: Rule {
    switch self {
    // SIGXCPU, then SIGKILL. A conversation takes less than a second. `unix_chkpwd`, which hashes a
    // password under the same limit, takes a few seconds at the most expensive settings.
    case .cpuTime: .leaves(60)
    // SIGXFSZ, or a write that is cut short. The audit log only grows, so no finite limit is
    // enough.
    case .fileSize: .unlimited
    // An enrolment with pam_unix uses less than 1 MiB of data, 0.3 MiB of stack and 10 MiB of
    // address space (measured). The rest is for other PAM modules and name services.
    case .data: .atLeast(64 << 20)
    case .stack: .atLeast(1 << 20)
    case .coreFile: .zero
    // `unix_chkpwd` runs as the caller, and the mailer as `mfa`. limits.conf(5) suggests 20 for
    // students, so the helper cannot require more.
    case .processes: .atLeast(16)
    // The helper has at most 8 open; PAM modules and name services need more.
    case .openFiles: .atLeast(64)
    case .addressSpace: .atLeast(256 << 20)
    // No effect since Linux 2.4.30 (RLIMIT_RSS) and 2.4.25 (RLIMIT_LOCKS).
    case .residentSet, .fileLocks: .unchanged
    // The helper locks no memory, queues no signals and has no message queue.
    case .lockedMemory, .pendingSignals, .messageQueues: .unchanged
    // Upper bounds for what the process may request, and a limit for real-time processes, which the
    // helper is not.
    case .niceness, .realTimePriority, .realTimeCPU: .unchanged
    }
  }

  /// The limit's name, as written in log lines.
  package var name: StaticString {
    switch self {
    case .cpuTime: "RLIMIT_CPU"
    case .fileSize: "RLIMIT_FSIZE"
    case .data: "RLIMIT_DATA"
    case .stack: "RLIMIT_STACK"
    case .coreFile: "RLIMIT_CORE"
    case .residentSet: "RLIMIT_RSS"
    case .processes: "RLIMIT_NPROC"
    case .openFiles: "RLIMIT_NOFILE"
    case .lockedMemory: "RLIMIT_MEMLOCK"
    case .addressSpace: "RLIMIT_AS"
    case .fileLocks: "RLIMIT_LOCKS"
    case .pendingSignals: "RLIMIT_SIGPENDING"
    case .messageQueues: "RLIMIT_MSGQUEUE"
    case .niceness: "RLIMIT_NICE"
    case .realTimePriority: "RLIMIT_RTPRIO"
    case .realTimeCPU: "RLIMIT_RTTIME"
    }
  }

  /// The value of an unlimited resource (RLIM_INFINITY).
  static var infinity: UInt64 { .max }

  /// Raises the soft limit to the hard limit, for a program that needs more than the rule grants.
  package func raise() throws(SystemError) {
    let (soft, hard) = try current()
    if soft < hard { try set(hard, hard) }
  }

  private func current() throws(SystemError) -> (soft: UInt64, hard: UInt64) {
    var limit = rlimit()
    // SAFETY: the call writes `limit`, which outlives it.
    guard unsafe getrlimit(rawValue, &limit) == 0 else { throw SystemError.last(.limit) }
    return (UInt64(limit.rlim_cur), UInt64(limit.rlim_max))
  }

  /// Applies the rule to this process.
  func settle() throws(SystemError) {
    let (soft, hard) = try current()
    switch rule {
    case .unchanged: return
    case .zero: try set(0, 0)
    case .atLeast(let least):
      guard soft < least else { return }
      guard hard >= least else { throw SystemError(.limit, .limit(self)) }
      try set(hard, hard)
    case .leaves(let least):
      let (needed, overflow) = Self.usedCPUSeconds().addingReportingOverflow(least)
      guard !overflow, hard >= needed else { throw SystemError(.limit, .limit(self)) }
      if soft < hard { try set(hard, hard) }
    case .unlimited:
      guard hard == Self.infinity else { throw SystemError(.limit, .limit(self)) }
      if soft < hard { try set(hard, hard) }
    }
  }

  private func set(_ soft: UInt64, _ hard: UInt64) throws(SystemError) {
    var limit = rlimit(rlim_cur: rlim_t(soft), rlim_max: rlim_t(hard))
    // SAFETY: the call reads `limit`, which outlives it.
    guard unsafe setrlimit(rawValue, &limit) == 0 else { throw SystemError.last(.limit) }
  }

  /// Returns the CPU time that this process has used, in whole seconds, rounded up.
  private static func usedCPUSeconds() -> UInt64 {
    var used = timespec()
    // SAFETY: the call writes `used`, which outlives it.
    guard unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used) == 0 else { return 0 }
    return UInt64(used.tv_sec) + 1
  }
}
