import MFASecrets
import ArgumentParser
import FoundationEssentials
import MFAEnrollMessages
import MultiFactor
import MFAQRCode

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

  @Flag(help: "Print the key and the new device as JSON. For programs.")
  var json = false

  @OptionGroup var options: CommonOptions

  var isForProgram: Bool { json || options.stdin }

  func validate() throws {
    try name.map(MFAEnroll.check(name:))
    guard (6...8).contains(digits) else { throw ValidationError("--digits takes 6, 7 or 8") }
    guard (15...120).contains(period) else { throw ValidationError("--period takes 15 to 120") }
    guard !json || qr != .terminal else {
      throw ValidationError("--json shows no picture: use --qr png=FILE, svg=FILE or none")
    }
  }

  func run() async throws {
    let interface = try UserInterface(for: self)
    // Created first, so that an error is reported before the user has answered any question.
    let file = try pictureFile()
    do {
      try await enroll(interface, showingIn: file)
    } catch {
      if let file, !file.remove() {
        interface.tell(.pictureNotRemoved(path: file.path))
      }
      throw error
    }
  }

  /// Enrols a key. Keeps the picture's file and reports the enrolment at once, so that a later
  /// interruption undoes nothing.
  private func enroll(_ interface: UserInterface, showingIn file: PictureFile?) async throws {
    let multiFactor = MultiFactor(
      language: interface.language, tell: interface.tell(host:))
    do {
      let name = try await Self.unusedName(name, of: multiFactor)
      let opening = EnrollMessage.enrollmentOpening(minutes: MultiFactor.sessionMinutes)
      let session = try await Reauthentication(
        of: interface, withTicket: ticket, opening: opening
      ).session(with: multiFactor)
      let secret = try await TOTPMultiFactorGenerator.generateSecret(
        with: session, hashingAlgorithm: algorithm.algorithm, codeLength: digits,
        codeIntervalSeconds: period)
      try await show(secret, of: multiFactor, to: interface, file: file)
      let uid = try await confirm(secret, name: name, with: multiFactor, by: interface)
      file?.keep()
      interface.tell(.enrolled(name: name))
      if let file {
        interface.tell(.pictureHoldsKey(path: file.path))
      }
      if json {
        // A program requests recovery codes itself when it can show them to a user.
        Output.standardOutput.write(try EnrollmentJSON.line(uid: uid, displayName: name))
      } else {
        await RecoveryCodeDisplay.makeFirst(with: session, of: multiFactor, to: interface)
        interface.tell(
          .tryNow(command: "ssh \(try await multiFactor.userName)@\(CallingProcess.hostName)"))
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

  /// Returns the requested name, or a name that no other factor has. A name that is taken and a
  /// factor too many are refused here, before the user has typed anything.
  static func unusedName(
    _ name: String?, of multiFactor: MultiFactor
  ) async throws(MultiFactorError) -> String {
    let taken = try await multiFactor.enrolledFactors.map(\.displayName)
    guard taken.count < MultiFactor.maximumFactors else {
      throw .maximumSecondFactorCountExceeded
    }
    if let name {
      guard !taken.contains(name) else { throw .secondFactorAlreadyEnrolled }
      return name
    }
    return unusedName(among: taken)
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
    let instruction: EnrollMessage =
      switch qr {
      case .terminal, nil: .scanPicture
      case .file(let path, _): .scanPictureFile(path: path)
      case .nowhere: .typeKey
      }
    interface.endLine()
    interface.tell(instruction)
    if algorithm != .sha1 || digits != 6 || period != 30 {
      interface.tell(
        .keyParameters(algorithm: algorithm.rawValue, digits: digits, seconds: period))
    }
    let (key, address) = (
      EnrollMessage.keyLabel.text(in: interface.language).string,
      EnrollMessage.urlLabel.text(in: interface.language).string
    )
    interface.show("\n\(key) ", Grouping.inFours(secret.sharedSecretKey()), "\n")
    interface.show("\(address) ", url, "\n\n")
    switch qr {
    case .terminal, nil: showPicture(of: url, to: interface)
    case .file, .nowhere: break
    }
  }

  private func showPicture(of url: borrowing SecretBytes, to interface: UserInterface) {
    switch interface.picture(of: url) {
    case .drawn(let text): interface.show("", text, "")
    case .missing(let obstacle): interface.tell(.noPicture(obstacle))
    }
  }

  /// Asks for codes until one is accepted, the helper accepts no more attempts, or the deadline has
  /// passed. Returns the factor's `uid`.
  private func confirm(
    _ secret: TOTPSecret, name: String, with multiFactor: MultiFactor, by interface: UserInterface
  ) async throws(Failure) -> String {
    var lastError: MultiFactorError?
    while let code = interface.ask(.codePrompt, echo: true) {
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
        interface.tell(Failure(error))
      }
    }
    interface.endLine()
    if let lastError { throw Failure(lastError) }
    throw Failure(.noCode)
  }
}
