import MFASecrets
import ArgumentParser
import FoundationEssentials
import MFAImport
import MultiFactor

/// `mfa-enroll import`.
struct ImportFactorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Takes over the factor that google-authenticator made, so that the app goes on.")

  @Argument(help: "The file, instead of .google_authenticator in your home folder.")
  var file: String?

  @Option(help: "What you call it, such as phone.")
  var name: String?

  func validate() throws { try name.map(MFAEnroll.check(name:)) }

  func run() async throws {
    let interface = UserInterface()
    // Read first, so that an error in the file is reported before the user types a password.
    let path = try file ?? ImportFile.defaultPath()
    let found = try parse(try ImportFile.read(path))
    for warning in found.warnings { interface.tell("warning: \(warning.text)") }
    let multiFactor = MultiFactor(tell: interface.tell)
    do throws(MultiFactorError) {
      let taken = try await multiFactor.enrolledFactors.map(\.displayName)
      let name = name ?? Enroll.unusedName(among: taken)
      try await multiFactor.checkEnrollment(displayName: name)
      let session = try await Reauthentication(of: interface).session(with: multiFactor)
      try await take(found, named: name, with: session, of: multiFactor)
      interface.tell("\(quoted(name)) is enrolled, with the key that the app has already")
      if found.recoveryCodes.count > 0 {
        interface.tell(
          "\(found.recoveryCodes.count) recovery codes were taken over; they are short")
        interface.tell("hint: make new ones with mfa-enroll recovery-codes --new")
      }
      interface.tell("\(FactorChoice.shown(path, longest: 4096)) still holds the key: delete it")
      await multiFactor.close()
    } catch {
      throw Failure(error)
    }
  }

  private func parse(_ text: borrowing SecretBytes) throws(Failure) -> ImportedFactors {
    do throws(ImportRefusal) {
      return try GoogleAuthenticatorFile.parse(text.span)
    } catch {
      throw Failure(error.text, hint: "nothing was changed; enrol a new key with mfa-enroll")
    }
  }

  private func take(
    _ found: ImportedFactors, named name: String, with session: MultiFactorSession,
    of multiFactor: MultiFactor
  ) async throws(MultiFactorError) {
    let factor = found.factor
    try await multiFactor.importFactor(
      .init(
        key: factor.secret.prefix(.max),
        hashingAlgorithm: factor.parameters.algorithm,
        codeLength: Int(factor.parameters.codeLength.rawValue),
        codeIntervalSeconds: Int(factor.parameters.period), timeOffset: Int(factor.timeOffset),
        latestTimeStep: factor.watermark(at: Int64(Date.now.timeIntervalSince1970)),
        recoveryCodes: found.recoveryCodes.digits.prefix(.max)),
      displayName: name, with: session)
  }
}
