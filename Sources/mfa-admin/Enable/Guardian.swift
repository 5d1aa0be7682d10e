import System

/// Who puts a change back when its time is over, whatever becomes of the terminal that it was made at.
///
/// Under systemd that is a service of systemd's own, for a process of a session may be ended with the
/// session; else a process without a terminal. It begins before the first file is written, and goes
/// on as soon as whoever writes them is done or dead: then it puts back at once what is half done.
enum Guardian {
  /// Where mfa-admin is installed.
  static let program = "/usr/sbin/mfa-admin"
  private static let starter = "/usr/bin/systemd-run"

  /// How long it waits after a failure, in seconds.
  private static let pause: Int64 = 10

  /// Starts one.
  static func start() throws(ChangeError) {
    guard Tool.isThere(program) else { throw .guardian("\(program) is not there") }
    let command = [program, "restore", "--guard"]
    let result: Tool.Result
    do throws(SystemError) {
      guard Tool.isUnderSystemd else { return try Tool.startDetached(command) }
      result = try Tool.run(
        [
          starter, "--quiet", "--collect", "--property=Restart=on-abnormal",
          "--property=RestartSec=\(pause)",
          "--description=Puts back changes to sign-ins that nobody confirms",
        ] + command)
    } catch {
      throw .guardian(error.text)
    }
    guard result.isSuccess else { throw .guardian("systemd-run: \(result.lastLine)") }
  }

  /// What it does: waits until the next deadline, as long as there is one.
  static func run() throws(AdminError) {
    Tool.detach()
    var lastFailure = ""
    while true {
      let outcome = round()
      let failure = outcome.errors.map(\.message).joined(separator: "; ")
      if failure != lastFailure, !failure.isEmpty { ServiceSwitch.log(failure: failure) }
      lastFailure = failure
      if let error = outcome.errors.first {
        // What a person has to do is not tried for ever.
        guard outcome.errors.contains(where: \.mayPass) || outcome.next != nil else {
          throw .change(error)
        }
      } else if outcome.next == nil {
        return
      }
      let later = now() + pause
      Tool.sleep(until: outcome.errors.isEmpty ? outcome.next ?? later : later)
    }
  }

  private static func round() -> ServiceSwitch.Outcome {
    do throws(ChangeError) {
      return try ChangeJournal.locking(seconds: 3600) { (journal) throws(ChangeError) in
        try ServiceSwitch(journal: journal, actor: Array("mfa-admin".utf8)).putBackWhatIsDue()
      }
    } catch {
      return ServiceSwitch.Outcome(errors: [error])
    }
  }

  private static func now() -> Int64 {
    do throws(SystemError) { return try Clock.sinceBoot() } catch { return 0 }
  }
}
