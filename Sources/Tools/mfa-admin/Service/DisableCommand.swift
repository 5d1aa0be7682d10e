import MFAAdmin
import MFAServices
import MFAModel
import ArgumentParser
import MFABase

/// `mfa-admin disable`
struct DisableCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "disable", abstract: "Undo the changes that 'enable' made for services.",
    discussion: """
      A file that was not edited since is restored byte for byte. In a file that was edited, the \
      edits stay and only the lines that 'enable' wrote are removed; if those were edited, a copy of \
      the file is kept beside it. A service that cannot be disabled does not keep the others from \
      it. Before 'mfa-admin confirm', the \
      file from before 'enable' is restored in any case, and what was edited is kept beside it.

      \(AdminStatus.explanation)
      """)

  @Flag(help: "Print what would change, and change nothing.")
  var dryRun = false

  @Flag(help: "Undo every change that 'enable' made and that is not undone yet.")
  var all = false

  @Argument(help: ArgumentHelp("The services.", valueName: "service"))
  var services: [String] = []

  func validate() throws {
    guard all == services.isEmpty else {
      throw ValidationError("Name the services, or give --all.")
    }
  }

  func run() throws {
    try ThisHost.requireRoot()
    guard !dryRun else { return try run(ServiceCommand.switching(.unlocked)) }
    try ChangeJournal.locking(seconds: 10) { (journal) throws(ChangeError) in
      var switching = ServiceCommand.switching(journal)
      switching.report = { line in
        if line.hasPrefix("warning: ") {
          Console.printError(line)
        } else {
          ServiceCommand.say(line)
        }
      }
      try run(switching)
    }
  }

  /// Disables the services. One that cannot be disabled does not keep the others from it.
  private func run(_ switching: ServiceSwitch) throws(ChangeError) {
    var failures: [ChangeError] = []
    func attempt(_ body: () throws(ChangeError) -> Void) {
      do throws(ChangeError) { try body() } catch { failures.append(error) }
    }
    if all {
      let changed = try switching.journal.changedServices()
      if changed.isEmpty { ServiceCommand.say("no change of mfa-admin enable is in force") }
      for service in changed {
        attempt { () throws(ChangeError) in
          // Without the record, the marks in the files tell what to remove.
          if try switching.change(of: service) == nil {
            try switching.journal.checkRecords(of: service)
          }
          try run(service, switching)
        }
      }
    } else {
      for text in services {
        attempt { () throws(ChangeError) in
          try run(try ServicePlan.service(text), switching)
        }
      }
    }
    guard let last = failures.popLast() else { return }
    for failure in failures { Console.report(failure) }
    throw last
  }

  private func run(_ service: [UInt8], _ switching: ServiceSwitch) throws(ChangeError) {
    guard let change = try switching.change(of: service) else {
      switch ServiceState(service, journal: switching.journal) {
      case .byHand(let place):
        throw .enabledByHand(service: VisibleText.escaping(service), place: place)
      case .on(_, let other?), .pending(_, let other?, _):
        throw .enabledWith(service: VisibleText.escaping(service), other: other)
      case .on, .pending, .lost, .off, .unknown:
        try ServicePlan.requireFile(of: service)
        return ServiceCommand.say("\(VisibleText.escaping(service)): does not ask for a code")
      }
    }
    guard dryRun else { return try switching.disable(change) }
    for (file, present, remedy) in try switching.remedies(change) {
      let new: [UInt8]?
      switch remedy {
      case .none, .gone: continue
      case .remove: new = nil
      case .putBack: new = file.old
      case .write(let text, _), .writeKeeping(let text, _): new = text
      }
      ServiceCommand.show(UnifiedDiff(path: file.path, old: present.contents, new: new).text)
    }
  }
}
