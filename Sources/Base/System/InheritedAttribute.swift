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
public enum InheritedAttribute: UInt8, CaseIterable, Sendable {
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
  /// A process that cannot lower a niceness above 0 is refused for the same reason.
  case niceness
  case processors
  case ioPriority
  case timerSlack
  case executionDomain
  case parentDeathSignal
  case childSubreaper

  /// The attribute's name, as written in log lines.
  public var name: StaticString {
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
  func settle() throws(ProcessRefusal) {
    switch self {
    case .timers: try check(cposix_stop_timers(), .limit)
    case .signals: try check(cposix_settle_signals(), .environment)
    case .capabilities: try check(cposix_reduce_capabilities(), .identity)
    case .descriptors: try settleDescriptors()
    case .environment: try check(cposix_clear_environment(), .environment)
    case .workingDirectory:
      // SAFETY: a literal is NUL-terminated.
      try check(unsafe chdir("/"), .environment)
    case .fileModeMask: _ = umask(0o077)
    case .coreDumps: try check(cposix_not_dumpable(), .limit)
    case .schedulingPolicy:
      guard cposix_schedule_normally() == 1 || Self.isRootsOwn else { throw .attribute(self) }
    case .niceness:
      guard cposix_niceness() == 0 || cposix_set_niceness(0) == 0 || Self.isRootsOwn else {
        throw .attribute(self)
      }
    // A sandbox may refuse these calls. None of these attributes can end or delay the process.
    case .processors: _ = cposix_use_every_processor()
    case .ioPriority: _ = cposix_reset_io_priority()
    case .timerSlack: _ = cposix_reset_timer_slack()
    case .executionDomain: _ = cposix_reset_personality()
    case .parentDeathSignal: try check(cposix_no_parent_death_signal(), .environment)
    case .childSubreaper: try check(cposix_no_child_subreaper(), .environment)
    }
  }

  /// Whether root started the process. Root can slow down any process by other means too.
  private static var isRootsOwn: Bool { getuid() == 0 }

  private func check(_ result: Int32, _ call: SystemError.Call) throws(ProcessRefusal) {
    guard result == 0 else { throw .system(SystemError.last(call)) }
  }

  private func settleDescriptors() throws(ProcessRefusal) {
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
