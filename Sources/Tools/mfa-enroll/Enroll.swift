import MFASecrets
import ArgumentParser
import FoundationEssentials
import MultiFactor
import MFAQRCode

/// `mfa-enroll enroll`: begins a session, shows a new secret and its picture, and asks for a code.
struct Enroll: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Enrols an authenticator app (the default).",
    discussion: """
      Shows a new key, as a picture and as text, and asks for the code that the app makes of it. \
      Nothing changes before that code is right.
      """, aliases: ["enrol"])

  @Option(help: "What you call it, such as phone.")
  var name: String?

  @Option(help: "The hash function. Many apps know sha1 only.")
  var algorithm: AlgorithmName = .sha1

  @Option(help: "How long a code is: 6, 7 or 8 digits.")
  var digits = 6

  @Option(help: "How long a code is shown: 15 to 120 seconds.")
  var period = 30

  @Option(help: "The name that the app shows above the account, instead of the host's own.")
  var issuer: String?

  @Option(
    help: ArgumentHelp(
      "Where the picture goes: terminal (the default), png=FILE, svg=FILE or none.",
      valueName: "where"))
  var qr: PictureDestination?

  @Flag(help: "Asks for an administrator's ticket in the place of your password.")
  var ticket = false

  @Flag(help: "Prints JSON, for programs: the key, and what it was enrolled as.")
  var json = false

  func validate() throws {
    try name.map(MFAEnroll.check(name:))
    guard (6...8).contains(digits) else { throw ValidationError("--digits takes 6, 7 or 8") }
    guard (15...120).contains(period) else { throw ValidationError("--period takes 15 to 120") }
    guard !json || qr != .terminal else {
      throw ValidationError("--json shows no picture: use --qr png=FILE, svg=FILE or none")
    }
  }

  func run() async throws {
    let interface = UserInterface()
    // Created first, so that an error is reported before the user has answered any question.
    let file = try pictureFile()
    do {
      try await enroll(interface, showingIn: file)
    } catch {
      if let file, !file.remove() {
        interface.tell("\(file.path) could not be removed: delete what is left of it")
      }
      throw error
    }
  }

  /// Enrols a key. Keeps the picture's file and reports the enrolment at once, so that a later
  /// interruption undoes nothing.
  private func enroll(_ interface: UserInterface, showingIn file: PictureFile?) async throws {
    let multiFactor = MultiFactor(tell: interface.tell)
    do {
      // Checked before the user is asked for a password, a code or the phone.
      let name = try await unusedName(multiFactor)
      try await multiFactor.checkEnrollment(displayName: name)
      let session = try await Reauthentication(of: interface, withTicket: ticket).session(
        with: multiFactor)
      let secret = try await TOTPMultiFactorGenerator.generateSecret(
        with: session, hashingAlgorithm: algorithm.algorithm, codeLength: digits,
        codeIntervalSeconds: period)
      try await show(secret, of: multiFactor, to: interface, file: file)
      let uid = try await confirm(secret, name: name, with: multiFactor, by: interface)
      file?.keep()
      interface.tell("\(quoted(name)) is enrolled; the code that you typed is used up")
      if let file {
        interface.tell("\(file.path) holds your secret key: delete it once you have scanned it")
      }
      if json {
        // A program requests recovery codes itself when it can show them to a user.
        Output.standardOutput.write(try EnrollmentJSON.line(uid: uid, displayName: name))
      } else {
        await RecoveryCodeDisplay.makeFirst(with: session, of: multiFactor, to: interface)
      }
      await multiFactor.close()
    } catch let error as MultiFactorError {
      throw Failure(error)
    }
  }

  private func pictureFile() throws(Failure) -> PictureFile? {
    switch qr {
    case .file(let path, _): try PictureFile(creating: path)
    case .terminal, .nowhere, nil: nil
    }
  }

  /// Returns the requested name, or a name that no other factor has.
  private func unusedName(_ multiFactor: MultiFactor) async throws(MultiFactorError) -> String {
    let taken = try await multiFactor.enrolledFactors.map(\.displayName)
    if let name { return name }
    return Self.unusedName(among: taken)
  }

  /// Returns "authenticator" or, if that name is taken, "authenticator" followed by the lowest
  /// number, from 2, that makes the name unique.
  static func unusedName(among taken: [String]) -> String {
    let plain = "authenticator"
    guard taken.contains(plain) else { return plain }
    var number = 2
    while taken.contains("\(plain) \(number)") { number += 1 }
    return "\(plain) \(number)"
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
    if json {
      EnrollmentJSON.write(secret, url: url, to: .standardOutput)
    } else {
      show(secret, url: url, to: interface)
    }
  }

  /// Prints the text first, so that the picture and the question stay on the screen.
  private func show(
    _ secret: TOTPSecret, url: borrowing SecretBytes, to interface: UserInterface
  ) {
    let way =
      switch qr {
      case .terminal, nil: "Scan the picture with an authenticator app, or type the key into it."
      case .file(let path, _):
        "Scan the picture in \(path) with an authenticator app, or type the key into it."
      case .nowhere: "Type the key into an authenticator app."
      }
    interface.tell("\n\(way)")
    if algorithm != .sha1 || digits != 6 || period != 30 {
      interface.tell(
        "Typing it, set algorithm \(algorithm.rawValue), \(digits) digits, \(period) seconds.")
    }
    interface.show("\nkey: ", Grouping.inFours(secret.sharedSecretKey()), "\n")
    interface.show("url: ", url, "\n\n")
    switch qr {
    case .terminal, nil: showPicture(of: url, to: interface)
    case .file, .nowhere: break
    }
  }

  private func showPicture(of url: borrowing SecretBytes, to interface: UserInterface) {
    switch interface.picture(of: url) {
    case .drawn(let text): interface.show("", text, "")
    case .missing(let reason): interface.tell("no picture: \(reason)\n")
    }
  }

  /// Asks for codes until one is accepted, the helper accepts no more attempts, or the deadline has
  /// passed. Returns the factor's `uid`.
  private func confirm(
    _ secret: TOTPSecret, name: String, with multiFactor: MultiFactor, by interface: UserInterface
  ) async throws(Failure) -> String {
    var lastError: MultiFactorError?
    while let code = interface.ask("Code from the app: ", echo: true) {
      do throws(MultiFactorError) {
        return try await multiFactor.enroll(
          with: TOTPMultiFactorGenerator.assertionForEnrollment(
            with: secret, oneTimePassword: code),
          displayName: name)
      } catch {
        guard ExitStatus(error) == .wrongCode, secret.enrollmentCompletionDeadline > .now else {
          throw Failure(error)
        }
        lastError = error
        interface.tell("\(error)\nhint: \(error.hint)")
      }
    }
    interface.tell("")
    if let lastError { throw Failure(lastError) }
    throw Failure("no code was typed, and nothing is enrolled", hint: "start again")
  }
}
