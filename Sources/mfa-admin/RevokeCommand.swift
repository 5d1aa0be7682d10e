import ArgumentParser
import Factors

/// `mfa-admin revoke`
struct RevokeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "revoke", abstract: "Take factors from a user.",
    discussion: """
      Without FACTOR and --all, the only factor that the user has is meant. --all removes also what \
      cannot be read, or belongs to an account that no longer exists.

      \(AdminStatus.explanation)
      """)

  @Flag(help: "Take all factors, and whatever else is stored for the user.")
  var all = false

  @Flag(name: [.short, .long], help: "Do not ask.")
  var yes = false

  @Flag(help: "Kill a process that holds a lock which this command needs for too long.")
  var endHolder = false

  @Flag(help: "Print JSON, for programs; times are UTC, as ISO 8601 writes them.")
  var json = false

  @Argument(help: "The user's name.")
  var user: String

  @Argument(help: "The factor: its id, the first digits of it (4 at least), or its name.")
  var factor: String?

  func validate() throws {
    guard !all || factor == nil else {
      throw ValidationError("FACTOR and --all exclude one another")
    }
  }

  func run() throws(AdminError) {
    let (administration, _) = try ThisHost.administration(needsConfiguration: false)
    let revocation = try administration.plan(all ? .everything : .factor(factor), of: user)
    if !yes {
      guard Console.canAsk else { throw .unconfirmed }
      guard Console.confirms(revocation.question) else { throw .declined }
    }
    let report = try LockedStore.run(ending: endHolder) { () throws(AdminError) in
      try administration.revoke(revocation)
    }
    Console.complain(report.entered)
    try Console.write((json ? report.json.text : report.sentence) + "\n")
  }
}

extension Administration.Revocation {
  /// What is asked before it is made.
  fileprivate var question: String {
    let name = VisibleText(subject.name)
    if let factor {
      return "revoke \(VisibleText(factor.displayName)) (\(VisibleText(factor.id))) of \(name)?"
    }
    switch finding {
    case .nothing: return "remove whatever is stored for \(name)?"
    case .unusable(let trouble):
      return "remove what is stored for \(name), which cannot be read: \(trouble.sentence)?"
    case .usable(let snapshot):
      let names = snapshot.record.factors.map { "\(VisibleText($0.displayName))" }
      return "revoke every factor of \(name): \(names.joined(separator: ", "))?"
    }
  }
}

extension Console {
  /// Warns when a change is not in the ledger.
  static func complain(_ entered: Administration.Entered) {
    guard let trouble = entered.trouble else { return }
    complain("WARNING: this change is not in the ledger: \(trouble.sentence)")
    complain("hint: \(trouble.hint(for: nil))")
  }
}
