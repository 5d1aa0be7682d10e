import ArgumentParser
import FoundationEssentials
import MFABase
import MFAEnrollMessages
import MFAMessages
import MFAModel
import MultiFactor

/// `mfa-enroll program-password`.
struct ProgramPasswordCommand: EnrollCommand {
  static let configuration = CommandConfiguration(
    commandName: "program-password",
    abstract:
      "Make a password for a program that cannot ask for a code, or list or remove such passwords.",
    discussion: """
      With a name, it makes a password that the program, such as a mail client, uses in place of yours, without a \
      code. It works only in the services for which it was made, and only until its end. It is shown once. Without a \
      name, the command lists your passwords for programs.
      """)

  @Argument(help: "Your name for the program and its device.")
  var name: String?

  @Option(
    name: .customLong("service"),
    help: ArgumentHelp(
      "A service in which it is valid. Can be repeated; without it, all that accept such passwords.",
      valueName: "name"))
  var services: [String] = []

  @Option(
    name: .customLong("network"),
    help: ArgumentHelp(
      "A network from which it is valid, such as 192.0.2.0/24. Can be repeated; without it, from everywhere.",
      valueName: "address"))
  var networks: [String] = []

  @Option(help: "How many days it is valid: 1 to 730.")
  var days = 365

  @Flag(help: "Remove the password with this name: it no longer works.")
  var remove = false

  @OptionGroup var options: CommonOptions

  var asks: Bool { name != nil }

  func check() throws(Failure) {
    try check(name: name)
    guard (1...730).contains(days) else {
      throw failure(.valueRange(option: "--days", least: 1, most: 730))
    }
    let forNew = services.isEmpty ? networks.isEmpty ? nil : "--network" : "--service"
    if remove, let forNew { throw failure(.optionsExclude("--remove", forNew)) }
    guard name != nil || !remove && forNew == nil else {
      throw failure(.argumentMissing("<name>"))
    }
  }

  func carryOut(_ multiFactor: MultiFactor, _ interface: UserInterface) async throws {
    guard let name else { return try await list(multiFactor, interface) }
    do throws(MultiFactorError) {
      let named = try await multiFactor.programPasswords.first { $0.displayName == name }
      guard remove else { return try await make(name, named, multiFactor, interface) }
      guard let named else { throw .programPasswordRefused(.notFound) }
      _ = try await Reauthentication(of: interface).session(with: multiFactor)
      try await multiFactor.remove(named)
      interface.tell(.programPasswordRemoved(name: FactorChoice.shown(name)))
      interface.report(ProgramResult(.programPasswordRemoved, ProgramPasswordEntry(named)))
    } catch {
      switch error {
      case .invalidArgument: throw invalidArgument
      case .factorNotFound: throw Failure(.noDevice)
      default: throw error
      }
    }
  }

  /// The failure of a request whose values the host does not accept.
  private var invalidArgument: Failure {
    let network = networks.first { Network(containing: Array($0.utf8).span) == nil }
    return failure(
      .valueInvalid(
        option: network == nil ? "--service" : "--network",
        value: FactorChoice.shown(network ?? services.joined(separator: " "))))
  }

  private func make(
    _ name: String, _ present: ProgramPasswordInfo?, _ multiFactor: MultiFactor,
    _ interface: UserInterface
  ) async throws(MultiFactorError) {
    // Reported before the user is asked for anything.
    if let present, present.expirationDate > .now { throw .programPasswordRefused(.nameTaken) }
    guard try await !multiFactor.enrolledFactors.isEmpty else { throw .factorNotFound }
    // The host refuses a request without a session, and first says what else is wrong with it.
    do throws(MultiFactorError) {
      _ = try await ask(multiFactor, for: name)
    } catch {
      guard error == .requiresRecentLogin else { throw error }
    }
    _ = try await Reauthentication(of: interface).session(with: multiFactor)
    let new = try await ask(multiFactor, for: name)
    let entry = ProgramPasswordEntry(new.info)
    guard !interface.isJSON else {
      return new.withText { text in
        ProgramConversation.report(
          ProgramResult(.programPassword, entry), secret: text, named: "password")
      }
    }
    interface.tell(.programPasswordMade(name: FactorChoice.shown(name)))
    new.withText { text in interface.show("\n  ", text, "\n\n") }
    interface.tell(entry.advice(in: interface.language))
  }

  private func ask(
    _ multiFactor: MultiFactor, for name: String
  ) async throws(MultiFactorError) -> ProgramPasswordText {
    try await multiFactor.makeProgramPassword(
      named: name, services: services, networks: networks, validForSeconds: days * 86_400)
  }

  private func list(
    _ multiFactor: MultiFactor, _ interface: UserInterface
  ) async throws(MultiFactorError) {
    let entries = try await multiFactor.programPasswords.map(ProgramPasswordEntry.init)
    guard !interface.isJSON else {
      var result = ProgramResult(.programPasswords)
      result.programPasswords = entries
      return interface.report(result)
    }
    guard !entries.isEmpty else { return interface.tell(.noProgramPasswords) }
    for entry in entries {
      let text = entry.line(in: interface.language).text(in: interface.language).string
      Output.standardOutput.write(text + "\n")
    }
  }
}

/// A password for a program in JSON, and in the list for users.
struct ProgramPasswordEntry: Encodable {
  let id: String
  let displayName: String
  let creationDate: Date
  let expirationDate: Date
  let services: [String]
  let networks: [String]

  init(_ info: ProgramPasswordInfo) {
    id = info.uid
    displayName = info.displayName
    creationDate = info.creationDate
    expirationDate = info.expirationDate
    services = info.services
    networks = info.networks
  }

  private var shownServices: String { services.joined(separator: ", ") }
  private var shownNetworks: String { networks.joined(separator: ", ") }

  /// What is said below the new password.
  func advice(in language: Language) -> EnrollMessage {
    let until = LocaleSettings.text(of: expirationDate, in: language)
    return networks.isEmpty
      ? .programPasswordAdvice(services: shownServices, until: until)
      : .programPasswordAdviceOfNetworks(
        services: shownServices, networks: shownNetworks, until: until)
  }

  /// The line of the list.
  func line(in language: Language) -> EnrollMessage {
    let until = LocaleSettings.text(of: expirationDate, in: language)
    let name = FactorChoice.shown(displayName)
    return networks.isEmpty
      ? .programPassword(name: name, services: shownServices, until: until)
      : .programPasswordOfNetworks(
        name: name, services: shownServices, networks: shownNetworks, until: until)
  }
}
