import ArgumentParser
import MFAAdmin
import MFADoctor
import MFAServices

/// `mfa-admin doctor accepted`
struct DoctorAcceptedCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "accepted", abstract: "List the accepted findings.",
    discussion: AdminStatus.explanation)

  @Flag(help: "Print JSON, for programs; times are in seconds since the epoch.")
  var json = false

  func run() throws {
    try ThisHost.requireRoot()
    let list: AcceptedFindings
    switch AcceptanceFile.read() {
    case .success(let read): list = read
    case .failure(let failure): throw ChangeError.acceptances(failure)
    }
    guard !json else {
      return try Console.write(
        JSON.object([("accepted", .array(list.all.map(\.json)))]).text + "\n")
    }
    let now = try ThisHost.now()
    for acceptance in list.all { try Console.write(acceptance.text(at: now)) }
  }
}
