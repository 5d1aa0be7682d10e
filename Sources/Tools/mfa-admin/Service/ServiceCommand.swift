import MFAAdmin
import MFAServices
import MFABase

/// Functions shared by the commands that change services.
enum ServiceCommand {
  /// Returns a `ServiceSwitch` that reports to the terminal.
  static func switching(_ journal: ChangeJournal) -> ServiceSwitch {
    ServiceSwitch(journal: journal, actor: Console.actor, report: { Console.printError($0) })
  }

  /// Writes a line to standard output. A write error does not undo the change.
  static func say(_ line: String) { show(line + "\n") }

  /// Writes a text to standard output.
  static func show(_ text: String) {
    do throws(AdminError) { try Console.write(text) } catch { Console.report(error) }
  }

  /// Returns the users whose sign-ins are checked after a service is enabled: root for su, the
  /// administrator and root for login, and the administrator for any other service.
  static func concerned(by service: [UInt8]) -> [[UInt8]] {
    let root = Array("root".utf8)
    let name = String(decoding: service, as: UTF8.self)
    if ["su", "su-l"].contains(name) { return [root] }
    let actor = Console.actor
    return name == "login" && actor != root ? [actor, root] : [actor]
  }

  /// Rolls back overdue changes before any command that root runs. Without systemd, no unit rolls
  /// them back when the machine starts.
  static func rollBackOverdueChanges() {
    guard Console.isRoot, !ChangeJournal.isEmpty else { return }
    do throws(ChangeError) {
      try ChangeJournal.locking(seconds: 0) { (journal) throws(ChangeError) in
        for error in try switching(journal).rollBackOverdueChanges().errors {
          Console.printError("warning: \(error.message)")
          Console.printError("hint: \(error.hint)")
        }
      }
    } catch {
      // Another process holds the lock, or the records cannot be read. Neither concerns this
      // command.
    }
  }
}
