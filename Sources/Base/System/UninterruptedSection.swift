import MFACPOSIX

/// A section of the program during which no other user can stop this process. It lasts as long as
/// the value. Without it, a process that is stopped while it holds a lock would block every process
/// that needs the lock.
///
/// If a user starts an application that acts as root, such as `su`, the section changes the
/// thread's real user ID to root, so that the user cannot signal the thread. Stop signals from the
/// terminal are blocked. SIGKILL, SIGINT and SIGHUP still end the process, and a process that has
/// ended holds no lock.
///
/// MUST 1: a process that another user can stop cannot begin a section. `mfa-helper` is such a
/// process until it has given up its caller's identity. (`UninterruptedSectionTests.refused`)
/// MUST 2: the end of the section restores signals and identity. If the identity cannot be
/// restored, the sign-in is denied. (`UninterruptedSectionTests.undone`; `consult` in
/// pam/pam_mfa.c)
public struct UninterruptedSection: ~Copyable {
  /// The state to restore at the end (see `cposix_begin_uninterrupted`).
  private let begun: UInt64

  /// Begins the section. Throws if another user could still stop the process.
  @inline(never)
  public init() throws(SystemError) {
    begun = cposix_begin_uninterrupted()
    guard begun != 0 else { throw SystemError.last(.lock) }
  }

  @inline(never)
  deinit { cposix_end_uninterrupted(begun) }
}
