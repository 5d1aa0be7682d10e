import MFAAdmin
import MFABase

/// A process that rolls back a change that is not confirmed in time, even after the terminal of
/// `mfa-admin enable` has closed.
///
/// Under systemd it is a transient service, because a process of a session can be ended with the
/// session. Otherwise it is a process without a terminal. It starts before the first file is
/// written, and continues when the writing process has finished or died. If that process died, it
/// rolls back the partial change immediately.
package enum RollbackWatcher {
  /// The path of the installed mfa-admin.
  static let program = "/usr/sbin/mfa-admin"
  private static let starter = "/usr/bin/systemd-run"

  /// The time limit for systemd-run, in seconds. It is longer than the time after which systemd
  /// gives up starting a service (90 s by default).
  private static let patience: Int64 = 120

  /// The time between attempts after a failure, in seconds.
  private static let pause: Int64 = 10

  /// Starts a rollback watcher.
  package static func start() throws(AdminError) {
    guard Tool.isThere(program) else { throw .rollbackWatcher("\(program) does not exist") }
    let command = [program, "restore", "--guard"]
    guard Tool.isUnderSystemd else {
      do throws(SystemError) {
        return try ChildProgram(arguments: command).startDetached()
      } catch {
        throw .rollbackWatcher(error.text)
      }
    }
    let arguments = [
      starter, "--quiet", "--collect", "--property=Restart=on-abnormal",
      "--property=RestartSec=\(pause)", "--description=Rolls back unconfirmed changes to sign-ins",
    ]
    let result: ProgramOutput
    do throws(AdminError) {
      result = try ChildProgram(arguments: arguments + command, seconds: patience).run()
    } catch {
      throw .rollbackWatcher("systemd-run: \(error.reason)")
    }
    guard result.isSuccess else { throw .rollbackWatcher("systemd-run: \(result.complaint)") }
  }

  /// Runs the rollback watcher: waits for each deadline until no change is pending.
  package static func run() throws(AdminError) {
    Tool.detach()
    var lastFailure = ""
    while true {
      let outcome = round()
      let failure = outcome.errors.map(\.message).joined(separator: "; ")
      if failure != lastFailure, !failure.isEmpty { ServiceSwitch.log(failure: failure) }
      lastFailure = failure
      if let error = outcome.errors.first {
        // Give up on errors that only an administrator can correct.
        guard outcome.errors.contains(where: \.isTemporary) || outcome.next != nil else {
          throw error
        }
      } else if outcome.next == nil {
        return
      }
      let later = now() + pause
      Tool.sleep(until: outcome.errors.isEmpty ? outcome.next ?? later : later)
    }
  }

  private static func round() -> ServiceSwitch.Outcome {
    do throws(AdminError) {
      return try ChangeJournal.locking(seconds: 3600) { (journal) throws(AdminError) in
        try ServiceSwitch(journal: journal, actor: Array("mfa-admin".utf8)).rollBackOverdueChanges()
      }
    } catch {
      return ServiceSwitch.Outcome(errors: [error])
    }
  }

  private static func now() -> Int64 {
    do throws(SystemError) { return try Clock.sinceBoot() } catch { return 0 }
  }
}
