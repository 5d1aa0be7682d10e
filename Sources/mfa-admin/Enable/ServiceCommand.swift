import System

/// What the commands that switch services have in common.
enum ServiceCommand {
  static func needRoot() throws(AdminError) {
    guard Console.isRoot else {
      throw .notRoot(arguments: Array(CommandLine.arguments.dropFirst()))
    }
  }

  static func translating<Result>(
    _ body: () throws(ChangeError) -> Result
  ) throws(AdminError) -> Result {
    do throws(ChangeError) { return try body() } catch { throw .change(error) }
  }

  /// A switch that tells the terminal what it does.
  static func switching(_ journal: ChangeJournal) -> ServiceSwitch {
    ServiceSwitch(journal: journal, actor: Console.actor, tell: { Console.complain($0) })
  }

  /// A line on standard output. That nobody can read it does not undo what was done.
  static func say(_ line: String) { show(line + "\n") }

  /// A text on standard output.
  static func show(_ text: String) {
    do throws(AdminError) { try Console.write(text) } catch { Console.report(error) }
  }

  /// Whose sign-ins by a service are looked at: those of who switches it on, and of root where root
  /// signs in by it.
  static func concerned(by service: [UInt8]) -> [[UInt8]] {
    let root = Array("root".utf8)
    let name = String(decoding: service, as: UTF8.self)
    if ["su", "su-l"].contains(name) { return [root] }
    let actor = Console.actor
    return name == "login" && actor != root ? [actor, root] : [actor]
  }

  /// Puts back what is overdue, before any command of root's: where systemd does not run, the machine
  /// may have been started anew in between.
  static func putBackWhatIsDue() {
    guard Console.isRoot, !ChangeJournal.isEmpty else { return }
    do throws(ChangeError) {
      try ChangeJournal.locking(seconds: 0) { (journal) throws(ChangeError) in
        for error in try switching(journal).putBackWhatIsDue().errors {
          Console.complain("warning: \(error.message)")
          Console.complain("hint: \(error.hint)")
        }
      }
    } catch {
      // Somebody is at it, or there is nothing that could be looked at; this command is another.
    }
  }
}
