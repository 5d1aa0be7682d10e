import MFAAdmin
import MFADoctor
import MFAServices
import MFAModel
import ArgumentParser
import MFABase

/// `mfa-admin services`
struct ServicesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "services", abstract: "List the services and whether each asks for a code.",
    discussion: AdminStatus.explanation)

  @Flag(help: "Print JSON, for programs; times are in UTC, in ISO 8601 format.")
  var json = false

  func run() throws {
    try ThisHost.requireRoot()
    let states = try ServiceState.all(journal: .unlocked)
    let resident = LocalExaminedHost().residentStatus()
    if json {
      let values = states.map { name, state in
        JSON.object(
          [("service", .string(name))] + state.members
            + (name == "sshd" ? SecureShellFactors.present?.members ?? [] : []))
      }
      let members: [(name: String, value: JSON)] = [
        ("services", .array(values)), ("residentService", .string(resident.word)),
      ]
      return try Console.write(JSON.object(members).text + "\n")
    }
    let width = states.map(\.name.count).max() ?? 0
    for (name, state) in states {
      let space = String(repeating: " ", count: width - name.count)
      let line = "\(name)\(space)  \(state.sentence)\n"
      try Console.write(
        TextWidth.wrapped(line, to: Console.columns, hanging: width + 2))
    }
    try Console.write(TextWidth.wrapped("\(resident.sentence)\n", to: Console.columns))
  }
}
