import MFACPOSIX

/// A section of the program during which no other user can stop this process. It lasts as long as
/// the value. Without it, a process that is stopped while it holds a lock would block every process
/// that needs the lock.
///
/// Stop signals from the terminal are blocked. SIGKILL, SIGINT and SIGHUP still end the process, and a
/// process that has ended holds no lock.
///
/// MUST 1: a process that another user can stop cannot begin a section. `mfa-helper` is such a
/// process until it has given up its caller's identity. (`UninterruptedSectionTests.refused`)
/// MUST 2: the end of the section restores the signals. (`UninterruptedSectionTests.undone`)
///
/// Public, because Embedded Swift 6.3 does not see the `deinit` of a `package` type of another target.
public struct UninterruptedSection: ~Copyable {
  /// The signals to unblock at the end. Signal 1 is bit 0.
  private let blocked: UInt64

  /// The signals with which a terminal stops a process.
  private static var stopSignals: UInt64 {
    1 << UInt64(SIGTSTP - 1) | 1 << UInt64(SIGTTIN - 1) | 1 << UInt64(SIGTTOU - 1)
  }

  /// Begins the section. Throws EPERM if another user can stop the process: the one with its real user
  /// ID (kill(2)).
  @inline(never)
  package init() throws(SystemError) {
    guard getuid() == geteuid() else { throw SystemError(.lock, number: EPERM) }
    var before: UInt64 = 0
    // SAFETY: the call writes `before`, which outlives it. It fails only for invalid arguments.
    _ = unsafe cposix_mask_signals(SIG_BLOCK, Self.stopSignals, &before)
    blocked = Self.stopSignals & ~before
  }

  /// Undoes the changes. A stop signal that arrived in the meantime takes effect now.
  @inline(never)
  deinit {
    _ = cposix_mask_signals(SIG_UNBLOCK, blocked, nil)
  }
}
