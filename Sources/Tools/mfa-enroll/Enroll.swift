import ArgumentParser
import FoundationEssentials
import MFABase
import MFAEnrollMessages
import MultiFactor

/// `mfa-enroll enroll`: begins a session, shows a new secret and its picture, and asks for a code.
struct Enroll: EnrollCommand {
  static let configuration = CommandConfiguration(
    abstract: "Add a device (the default command).",
    discussion: """
      Shows a new key, as a QR code and as text, and asks for the code that the app then shows. \
      Nothing changes until that code is correct.
      """, aliases: ["enrol", "add"])

  @Option(help: "The name of the device, such as phone.")
  var name: String?

  @Option(help: "The hash function. Many apps support only sha1.")
  var algorithm: AlgorithmName = .sha1

  @Option(help: "The length of a code: 6, 7 or 8 digits.")
  var digits = 6

  @Option(help: "How long a code is shown: 15 to 120 seconds.")
  var period = 30

  @Option(help: "The name that the app shows above the account, instead of this host's.")
  var issuer: String?

  @Option(
    help: ArgumentHelp(
      "Where to draw the QR code: terminal (the default), png=FILE, svg=FILE or none.",
      valueName: "where"))
  var qr: PictureDestination?

  @Flag(help: "Ask for an administrator's ticket instead of your password.")
  var ticket = false

  @OptionGroup var options: CommonOptions

  func check() throws(Failure) {
    try check(name: name)
    guard (6...8).contains(digits) else {
      throw failure(.valueRange(option: "--digits", least: 6, most: 8))
    }
    guard (15...120).contains(period) else {
      throw failure(.valueRange(option: "--period", least: 15, most: 120))
    }
    guard !options.json || qr != .terminal else {
      throw failure(.optionsExclude("--json", "--qr terminal"))
    }
  }

  func carryOut(_ multiFactor: MultiFactor, _ interface: UserInterface) async throws {
    let (factor, session) = try await enroll(multiFactor, interface)
    try await NextStep.tell(after: factor, with: session, of: multiFactor, on: interface)
  }

  /// Adds a device, and tells the user. Returns it, and the session in which it was added.
  func enroll(
    _ multiFactor: MultiFactor, _ interface: UserInterface
  ) async throws -> (FactorEntry, MultiFactorSession) {
    // Created first, so that an error is reported before the user has answered any question.
    let file = try pictureFile()
    do {
      return try await enroll(multiFactor, interface, showingIn: file)
    } catch {
      if let file, !file.remove() {
        interface.tell(.pictureNotRemoved(path: file.path))
      }
      throw error
    }
  }

  /// Enrols a key. Keeps the picture's file and reports the enrolment at once, so that a later
  /// interruption undoes nothing.
  private func enroll(
    _ multiFactor: MultiFactor, _ interface: UserInterface, showingIn file: PictureFile?
  ) async throws -> (FactorEntry, MultiFactorSession) {
    interface.tellWhenEnded(.nothingAdded)
    let taken = try await multiFactor.enrolledFactors.map(\.name)
    // Checked before the user is asked for a password, a code or the phone.
    try await multiFactor.checkEnrollment(displayName: name ?? DeviceName.usual(among: taken))
    let opening = EnrollMessage.enrollmentOpening(minutes: MultiFactor.sessionMinutes)
    let session = try await Reauthentication(
      of: interface, withTicket: ticket, opening: opening, ending: .nothingAdded
    ).session(with: multiFactor)
    let name = if let name { name } else { try DeviceName.ask(by: interface, among: taken) }
    let secret = try await TOTPMultiFactorGenerator.generateSecret(
      with: session, hashingAlgorithm: algorithm.algorithm, codeLength: digits,
      codeIntervalSeconds: period)
    let uid: String
    if let screen = try await keyScreen(of: secret, multiFactor: multiFactor, on: interface) {
      uid = try await screen.whileShown {
        try await confirm(secret, name: name, with: multiFactor) { error in
          interface.tellWhenEnded(.nothingAdded)
          let status = error?.text(in: interface.language).description
          guard let code = screen.ask(after: status) else { throw Self.unanswered(after: error) }
          return code
        }
      }
    } else {
      try await show(secret, of: multiFactor, to: interface, file: file)
      uid = try await confirm(secret, name: name, with: multiFactor) { error in
        interface.tellWhenEnded(.nothingAdded)
        if let error { interface.tell(Failure(error)) }
        guard let code = interface.ask(.codePrompt, Need(.newFactorCode), echo: true) else {
          interface.endLine()
          guard !interface.asksAgain else {
            throw Self.unanswered(after: error)
          }
          throw error.map { Failure($0) } ?? Failure(.noCode)
        }
        return code
      }
    }
    file?.keep()
    interface.tell(.enrolled(name: name))
    if let file {
      interface.tell(.pictureHoldsKey(path: file.path))
    }
    return (FactorEntry(uid: uid, displayName: name, .totp), session)
  }

  private func pictureFile() throws(Failure) -> PictureFile? {
    switch qr {
    case .file(let path, _): try PictureFile(creating: path)
    case .terminal, .nowhere, nil: nil
    }
  }

  /// Shows the secret to the user, or writes it as JSON for a program.
  private func show(
    _ secret: TOTPSecret, of multiFactor: MultiFactor, to interface: UserInterface,
    file: PictureFile?
  ) async throws {
    let hostIssuer = try await multiFactor.issuer
    let url = secret.generateQRCodeURL(
      withAccountName: try await multiFactor.userName, issuer: issuer ?? hostIssuer)
    if case .file(_, let format) = qr { try file?.write(format.picture(of: url)) }
    if interface.isJSON {
      ProgramConversation.offer(
        secret, url: url, account: try await multiFactor.userName, issuer: issuer ?? hostIssuer)
    } else {
      show(secret, url: url, to: interface)
    }
  }

  /// Prints the key as text, where there is no screen for it or the picture goes elsewhere.
  private func show(
    _ secret: TOTPSecret, url: borrowing SecretBytes, to interface: UserInterface
  ) {
    let instruction: EnrollMessage =
      switch qr {
      case .file(let path, _): .scanPictureFile(path: path)
      case .terminal, .nowhere, nil: .typeKey
      }
    interface.endLine()
    interface.tell(instruction)
    if let unusualSettings { interface.tell(unusualSettings) }
    interface.show(
      "\n\(interface.label(.keyLabel))", Grouping.inFours(secret.sharedSecretKey()), "\n")
    interface.show(interface.label(.urlLabel), url, "\n\n")
    switch qr {
    case .terminal, nil:
      if let obstacle = interface.pictureObstacle { interface.tell(.noPicture(obstacle)) }
    case .file, .nowhere: break
    }
  }

  /// Returns the failure of a user who ended the input, in place of another code.
  private static func unanswered(after error: MultiFactorError?) -> Failure {
    Failure(.nothingAdded, status: error.map { ExitStatus($0) } ?? .failed)
  }

  /// Asks for codes until one is accepted, the helper accepts no more attempts, or the deadline has
  /// passed. `ask` tells the error of the answer before, and throws at the end of the input. Returns
  /// the factor's `uid`.
  ///
  /// While the helper has a code, it is unknown whether the device is added, so a signal says
  /// nothing then.
  private func confirm(
    _ secret: TOTPSecret, name: String, with multiFactor: MultiFactor,
    ask: (MultiFactorError?) throws -> SecretBytes
  ) async throws -> String {
    var lastError: MultiFactorError?
    while true {
      let code = try ask(lastError)
      TerminalGuard.withdrawLastMessage()
      do throws(MultiFactorError) {
        return try await multiFactor.enroll(
          with: TOTPMultiFactorGenerator.assertionForEnrollment(
            with: secret, oneTimePassword: code),
          displayName: name)
      } catch {
        guard ExitStatus(error) == .wrongCode, secret.enrollmentCompletionDeadline > .now else {
          throw error
        }
        lastError = error
      }
    }
  }
}

/// The hash functions, by their names on the command line.
enum AlgorithmName: String, CaseIterable, ExpressibleByArgument {
  case sha1, sha256, sha512

  init(_ algorithm: HashAlgorithm) {
    switch algorithm {
    case .sha1: self = .sha1
    case .sha256: self = .sha256
    case .sha512: self = .sha512
    }
  }

  /// The hash function.
  var algorithm: HashAlgorithm {
    switch self {
    case .sha1: .sha1
    case .sha256: .sha256
    case .sha512: .sha512
    }
  }
}

/// The name of a new device.
enum DeviceName {
  /// Returns the name for a device that the user does not name: what it usually is, and the day. If
  /// the name is taken, a number makes it unique.
  static func usual(day: String, among taken: [String]) -> String {
    let plain = "phone \(day)"
    guard taken.contains(plain) else { return plain }
    var number = 2
    while taken.contains("\(plain) (\(number))") { number += 1 }
    return "\(plain) (\(number))"
  }

  /// Returns the name for a device that is added today.
  static func usual(among taken: [String]) -> String {
    usual(day: String(LocaleSettings.text(of: .now).prefix(10)), among: taken)
  }

  /// Asks a user at a terminal until the answer is a name that no other device has. Others get the
  /// usual name.
  static func ask(
    by interface: UserInterface, among taken: [String]
  ) throws(Failure) -> String {
    let usual = usual(among: taken)
    guard interface.isAtTerminal else { return usual }
    while let answer = interface.ask(.namePrompt(proposed: usual), echo: true) {
      let name = trimmed(interface.text(of: answer))
      guard !name.isEmpty else { return usual }
      guard MultiFactor.isSupported(displayName: name) else {
        interface.tell(Failure(MultiFactorError.unsupportedDisplayName))
        continue
      }
      guard !taken.contains(name) else {
        interface.tell(Failure(MultiFactorError.secondFactorAlreadyEnrolled))
        continue
      }
      return name
    }
    interface.endLine()
    throw Failure(.nothingAdded)
  }

  /// Returns a typed name without spaces at its ends.
  private static func trimmed(_ text: String) -> String {
    let isBlank = { (character: Character) in character == " " || character == "\t" }
    return String(String(text.drop(while: isBlank).reversed().drop(while: isBlank)).reversed())
  }
}
