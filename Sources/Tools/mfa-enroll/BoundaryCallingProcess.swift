import Glibc
import MFABase
import MFAEnrollMessages
import MultiFactor

/// The user whose process this is.
enum CallingProcess {
  /// The user who started the command.
  static var caller: AccountSelection.Caller {
    AccountSelection.Caller(
      name: name(of: getuid()) ?? String(getuid()), isRoot: getuid() == 0,
      sudoUser: LocaleSettings.variable("SUDO_USER"))
  }

  /// The name of this host.
  static var hostName: String {
    do throws(SystemError) {
      return String(decoding: try HostName.current(), as: UTF8.self)
    } catch {
      return "localhost"
    }
  }

  private static func name(of uid: UInt32) -> String? {
    do throws(SystemError) {
      return try Account.with(uid: uid).map {
        String(decoding: $0.name, as: UTF8.self)
      }
    } catch {
      return nil
    }
  }

  /// Gives up root's identity for good: all user IDs, group IDs and groups become those of the
  /// account, and HOME names its home folder.
  ///
  /// - Throws: a failure if there is no such account, or if the system refuses.
  static func become(_ name: String) throws(Failure) {
    let account: Account?
    let group: UInt32?
    do throws(SystemError) {
      account = try Account.named(Array(name.utf8))
      group = try Account.primaryGroup(ofAccount: Array(name.utf8))
    } catch {
      throw Failure(.accountNotTaken(name: name))
    }
    guard let account, let group else { throw Failure(.unknownAccount(name: name)) }
    // setgid and setuid of a process of root change the real, effective and saved IDs.
    // SAFETY: the string is valid for the call.
    guard unsafe initgroups(name, group) == 0, setgid(group) == 0, setuid(account.uid) == 0
    else { throw Failure(.accountNotTaken(name: name)) }
    // SAFETY: no other thread uses the environment, because no command has begun.
    unsafe setenv("HOME", homeFolder(of: account.uid) ?? "/", 1)
    // SAFETY: as above.
    unsafe unsetenv("XDG_SESSION_ID")
  }

  private static func homeFolder(of uid: UInt32) -> String? {
    // SAFETY: no other thread uses the entry that the call returns.
    guard let entry = unsafe getpwuid(uid), let folder = unsafe entry.pointee.pw_dir else {
      return nil
    }
    // SAFETY: the string is NUL-terminated, and copied before the next call.
    return unsafe String(cString: folder)
  }
}

/// An executor that runs a command on a thread of its own.
final class CommandExecutor: TaskExecutor {
  private let thread = WorkerThread()

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    // SAFETY: the task keeps its executor alive.
    let executor = unsafe asUnownedTaskExecutor()
    // SAFETY: the job runs once, on the executor that it was given to.
    thread.add { unsafe job.runSynchronously(on: executor) }
  }
}
