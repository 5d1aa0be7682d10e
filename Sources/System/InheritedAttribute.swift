import CPOSIX

/// What a process inherits from its caller in addition to its resource limits (`ResourceLimit`). The
/// helper settles the cases in this order.
///
/// The kernel undoes the rest itself when it runs a setuid program: the execution domain's flags that
/// weaken it, the parent-death signal, timers of timer_create(2), caught signals, tracing. A process
/// that may get no other identity (no_new_privs, a seccomp filter set under it, a user namespace, a
/// `nosuid` mount) runs the helper as its caller, and `HelperProgram` refuses. What stays as it is,
/// because nothing here depends on it: the session keyring, the score of the OOM killer (systemd gives
/// sessions 100 and 200, which cannot be lowered; the killer ends the helper as SIGKILL does), and the
/// control group, whose freezer acts on every process in the group.
public enum InheritedAttribute: UInt8, CaseIterable, Sendable {
  /// ITIMER_REAL with alarm(2), ITIMER_VIRTUAL and ITIMER_PROF, whose signals end a process.
  case timers
  /// Ignored, blocked and pending signals. Those with which a terminal stops a process are ignored.
  case signals
  case capabilities
  /// Descriptors 0 to 2 are open, and no other.
  case descriptors
  case environment
  case workingDirectory
  case fileModeMask
  case coreDumps
  /// SCHED_IDLE and SCHED_BATCH, and the policies for real time. SCHED_IDLE cannot be left without a
  /// privilege and is refused: a process that never runs would hold the locks that it has.
  case schedulingPolicy
  /// Above 0 it cannot be lowered without a privilege, and is refused, for the same reason.
  case niceness
  case processors
  case ioPriority
  case timerSlack
  case executionDomain
  case parentDeathSignal
  case childSubreaper

  /// The attribute's name, as log lines have it.
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

  /// Puts the attribute of this process right.
  func settle() throws(UnsuitableProcess) {
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
    // A sandbox may refuse these calls; none of the attributes can end the process or hold it up.
    case .processors: _ = cposix_use_every_processor()
    case .ioPriority: _ = cposix_reset_io_priority()
    case .timerSlack: _ = cposix_reset_timer_slack()
    case .executionDomain: _ = cposix_reset_personality()
    case .parentDeathSignal: try check(cposix_no_parent_death_signal(), .environment)
    case .childSubreaper: try check(cposix_no_child_subreaper(), .environment)
    }
  }

  /// Root may slow any process down, by other means too.
  private static var isRootsOwn: Bool { getuid() == 0 }

  private func check(_ result: Int32, _ call: SystemError.Call) throws(UnsuitableProcess) {
    guard result == 0 else { throw .system(SystemError.last(call)) }
  }

  private func settleDescriptors() throws(UnsuitableProcess) {
    for descriptor in Int32(0)...2 where Self.isClosed(descriptor) {
      // The lowest free descriptor is opened on nothing.
      // SAFETY: a literal is NUL-terminated.
      let opened = unsafe cposix_openat(AT_FDCWD, "/dev/null", O_RDWR, 0)
      try check(opened < 0 ? -1 : 0, .open)
    }
    try check(cposix_close_from(3), .descriptors)
  }

  private static func isClosed(_ descriptor: Int32) -> Bool {
    var status = stat()
    // SAFETY: `status` is written by the call and outlives it.
    return unsafe fstat(descriptor, &status) != 0 && cposix_errno() == EBADF
  }
}
