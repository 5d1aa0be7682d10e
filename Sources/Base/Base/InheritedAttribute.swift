import MFACPOSIX

/// An attribute that a process inherits from its caller, other than a resource limit (see
/// `ResourceLimit`). The helper settles the cases in this order.
///
/// The kernel itself resets some state when it runs a setuid program: the flags of the execution
/// domain that weaken the program, the parent-death signal, timers of timer_create(2), caught
/// signals and tracing. In a process that cannot gain another identity (no_new_privs, a seccomp
/// filter set under it, a user namespace, a `nosuid` mount), the helper runs as its caller, and
/// `HelperProgram` refuses to continue. Some attributes are left unchanged because nothing here
/// depends on them: the session keyring, the OOM killer's score (systemd gives sessions 100 and
/// 200, which cannot be lowered; the OOM killer ends the helper as SIGKILL does), and the control
/// group, whose freezer acts on every process in the group.
package enum InheritedAttribute: UInt8, CaseIterable, Sendable {
  /// ITIMER_REAL (alarm(2)), ITIMER_VIRTUAL and ITIMER_PROF, whose signals end a process.
  case timers
  /// Ignored, blocked and pending signals. Afterwards only the signals with which a terminal stops
  /// a process are ignored.
  case signals
  case capabilities
  /// Open descriptors. Afterwards only 0 to 2 are open.
  case descriptors
  case environment
  case workingDirectory
  case fileModeMask
  case coreDumps
  /// SCHED_IDLE, SCHED_BATCH and the real-time policies. A process that cannot leave SCHED_IDLE is
  /// refused: if it were never scheduled, it would keep its locks.
  case schedulingPolicy
  /// A process that cannot lower a niceness above 0 is refused, for the same reason as SCHED_IDLE.
  case niceness
  case processors
  case ioPriority
  case timerSlack
  case executionDomain
  case parentDeathSignal
  case childSubreaper

  /// The attribute's name, as written in log lines.
  package var name: StaticString {
    switch self {
    case .timers: "timers"
    case .signals: "signals"
    case .capabilities: "capabilities"
    case .descriptors: "descriptors"
    case .environment: "environment"
    case .workingDirectory: "working-directory"
    case .fileModeMask: "file-mode-mask"
    case .coreDumps: "core-dumps"
    case .schedulingPolicy: "scheduling-policy"
    case .niceness: "niceness"
    case .processors: "processors"
    case .ioPriority: "io-priority"
    case .timerSlack: "timer-slack"
    case .executionDomain: "execution-domain"
    case .parentDeathSignal: "parent-death-signal"
    case .childSubreaper: "child-subreaper"
    }
  }

  /// Sets this process's attribute to a known value, or throws.
  func settle() throws(SystemError) {
    switch self {
    case .timers: try stopTimers()
    case .signals: try settleSignals()
    case .capabilities: try check(Capabilities.reduce() ? 0 : -1, .identity)
    case .descriptors: try settleDescriptors()
    case .environment: try check(cposix_clear_environment(), .environment)
    case .workingDirectory:
      // SAFETY: a literal is NUL-terminated.
      try check(unsafe chdir("/"), .environment)
    case .fileModeMask: _ = umask(0o077)
    case .coreDumps: try check(cposix_control_process(PR_SET_DUMPABLE, 0), .limit)
    case .schedulingPolicy:
      guard Self.schedulesNormally() || Self.isRootsOwn else {
        throw SystemError(.environment, .attribute(self))
      }
    case .niceness:
      guard Self.ownNiceness == 0 || setpriority(Self.thisProcess, 0, 0) == 0 || Self.isRootsOwn
      else {
        throw SystemError(.environment, .attribute(self))
      }
    // A sandbox may refuse the next four calls. None of the four attributes can end the process.
    case .processors: Self.useEveryProcessor()
    case .ioPriority: _ = cposix_set_io_priority(0)
    case .timerSlack: _ = cposix_control_process(PR_SET_TIMERSLACK, 50_000)
    case .executionDomain: Self.resetExecutionDomain()
    case .parentDeathSignal: try check(cposix_control_process(PR_SET_PDEATHSIG, 0), .environment)
    case .childSubreaper: try check(cposix_control_process(PR_SET_CHILD_SUBREAPER, 0), .environment)
    }
  }

  /// Stops the three interval timers, the first of which alarm(2) also sets. Timers of
  /// timer_create(2) do not survive exec(2).
  private func stopTimers() throws(SystemError) {
    for timer in [ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF] {
      var none = itimerval()
      // SAFETY: the call reads `none`, which outlives it.
      try check(unsafe setitimer(Int32(timer.rawValue), &none, nil), .limit)
    }
  }

  /// Sets every signal to its default action, discards pending signals, and unblocks all signals.
  /// The signals with which a terminal stops its processes are ignored instead. Ignoring a signal
  /// discards it if it is pending (POSIX, sigaction).
  private func settleSignals() throws(SystemError) {
    for signal in Int32(1)...64 where signal != SIGKILL && signal != SIGSTOP {
      try check(cposix_set_signal(signal, 1), .environment)
      if [SIGTSTP, SIGTTIN, SIGTTOU].contains(signal) { continue }
      try check(cposix_set_signal(signal, 0), .environment)
    }
    try check(cposix_mask_signals(SIG_SETMASK, 0, nil), .environment)
  }

  private static var thisProcess: Int32 { Int32(PRIO_PROCESS.rawValue) }

  /// The niceness of the process, -20 to 19; also -1 if the niceness cannot be read.
  private static var ownNiceness: Int32 { getpriority(thisProcess, 0) }

  /// Sets the normal scheduling policy. Returns whether the process has it now.
  private static func schedulesNormally() -> Bool {
    // SCHED_RESET_ON_FORK. Clearing this flag requires a privilege, and keeping it does no harm.
    let resetOnFork: Int32 = 0x4000_0000
    let policy = sched_getscheduler(0)
    guard policy >= 0 else { return false }
    guard policy & ~resetOnFork != SCHED_OTHER else { return true }
    var none = sched_param()
    // SAFETY: the call reads `none`, which outlives it.
    return unsafe sched_setscheduler(0, SCHED_OTHER | (policy & resetOnFork), &none) == 0
  }

  /// Allows the process to run on every processor of its control group.
  private static func useEveryProcessor() {
    let every = [UInt8](repeating: 0xFF, count: 1024)
    // SAFETY: the call reads as many bytes as the array has.
    _ = unsafe cposix_set_processors(every, every.count)
  }

  /// Sets the execution domain of ordinary programs, without flags (personality(2)).
  private static func resetExecutionDomain() {
    if personality(0xFFFF_FFFF) != 0 { personality(0) }
  }

  /// Whether root started the process. Root can slow down any process by other means too.
  private static var isRootsOwn: Bool { getuid() == 0 }

  private func check(_ result: Int32, _ call: SystemError.Call) throws(SystemError) {
    guard result == 0 else { throw SystemError.last(call) }
  }

  private func settleDescriptors() throws(SystemError) {
    for descriptor in Int32(0)...2 where Self.isClosed(descriptor) {
      // Opening /dev/null returns the lowest free descriptor, which is this one.
      // SAFETY: a literal is NUL-terminated.
      let opened = unsafe cposix_openat(AT_FDCWD, "/dev/null", O_RDWR, 0)
      try check(opened < 0 ? -1 : 0, .open)
    }
    try check(cposix_close_from(3), .descriptors)
  }

  private static func isClosed(_ descriptor: Int32) -> Bool {
    var status = stat()
    // SAFETY: the call writes `status`, which outlives it.
    return unsafe fstat(descriptor, &status) != 0 && cposix_errno() == EBADF
  }
}
