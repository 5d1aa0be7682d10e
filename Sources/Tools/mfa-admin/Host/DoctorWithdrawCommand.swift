import ArgumentParser
import MFAAdmin
import MFADoctor
import MFAServices

/// `mfa-admin doctor withdraw`
struct DoctorWithdrawCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "withdraw", abstract: "Report an accepted finding again.",
    discussion: AdminStatus.explanation)

  @Argument(help: "The code of the finding, as 'mfa-admin doctor accepted' prints it.")
  var finding: String

  @Argument(help: "The file, with or without a line number.")
  var place: String

  func run() throws {
    try ThisHost.requireRoot()
    var count = 0
    try AcceptanceFile.change(.findingWithdrawn) { list in
      let removed = list.remove(code: finding, path: Acceptance.Subject.split(place).path)
      count = removed.count
      return removed
    }
    guard count > 0 else { throw AdminError.noSuchAcceptance(finding, place: place) }
    try Console.write("\(finding) at \(place): no longer accepted\n")
  }
}
