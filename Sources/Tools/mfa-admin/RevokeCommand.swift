import MFAFactors
import ArgumentParser

/// `mfa-admin revoke`
struct RevokeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "revoke", abstract: "Revoke a user's factors.",
    discussion: """
      Without FACTOR and --all, revokes the user's only factor. --all also removes records that \
      cannot be read, or that belong to an account that no longer exists.

      \(AdminStatus.explanation)
      """)

  @Flag(help: "Revoke all factors, and remove everything else that is stored for the user.")
  var all = false

  @Flag(name: [.short, .long], help: "Do not ask for confirmation.")
  var yes = false

  @Flag(help: "Kill any process that blocks this command by holding a lock for too long.")
  var endHolder = false

  @Flag(help: "Print JSON, for programs; times are in UTC, in ISO 8601 format.")
  var json = false

  @Argument(help: "The user's name.")
  var user: String

  @Argument(help: "The factor: its id, at least the first 4 digits of its id, or its name.")
  var factor: String?

  func validate() throws {
    guard !all || factor == nil else {
      throw ValidationError("FACTOR and --all cannot be combined")
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
  /// The question that asks for confirmation.
  fileprivate var question: String {
    let name = VisibleText(subject.name)
    if let factor {
      return "revoke \(VisibleText(factor.displayName)) (\(VisibleText(factor.id))) of \(name)?"
    }
    switch finding {
    case .nothing: return "remove everything that is stored for \(name)?"
    case .unusable(let trouble):
      return "remove what is stored for \(name), which cannot be read: \(trouble.sentence)?"
    case .usable(let snapshot):
      let names = snapshot.record.factors.map { "\(VisibleText($0.displayName))" }
      return "revoke every factor of \(name): \(names.joined(separator: ", "))?"
    }
  }
}

extension Console {
  /// Prints a warning if a change could not be entered in the audit log.
  static func complain(_ entered: Administration.Entered) {
    guard let trouble = entered.trouble else { return }
    complain("WARNING: this change is not in the audit log: \(trouble.sentence)")
    complain("hint: \(trouble.hint(for: nil))")
  }
}
