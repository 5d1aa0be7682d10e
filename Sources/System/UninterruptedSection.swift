import CPOSIX

/// A part of the program during which no other user can stop this process, as long as the value lives:
/// a process that is stopped with a lock in hand keeps everyone waiting who needs the lock.
///
/// In an application that a user started and that acts as root, such as `su`, the real identity of the
/// thread is root's meanwhile, so that the user may not signal it. Signals from the terminal to stop are
/// held back. SIGKILL, SIGINT and a hang-up still end the process, and an ended process holds no lock.
///
/// MUST 1: a process that another user can stop does not get into one: `mfa-helper`, before it has given
/// up its caller's identity. (`UninterruptedSectionTests.refused`)
/// MUST 2: the end restores signals and identity; if the identity cannot be restored, the sign-in is
/// denied. (`UninterruptedSectionTests.undone`; `consult` in pam/pam_mfa.c)
public struct UninterruptedSection: ~Copyable {
  /// What undoes it (`cposix_begin_uninterrupted`).
  private let begun: UInt64

  /// Begins the part. Fails where another user could stop the process all the same.
  @inline(never)
  public init() throws(SystemError) {
    begun = cposix_begin_uninterrupted()
    guard begun != 0 else { throw SystemError.last(.lock) }
  }

  @inline(never)
  deinit { cposix_end_uninterrupted(begun) }
}
