import ArgumentParser
import FoundationEssentials
import MFABase
import MFAEnrollMessages
import MFAImport
import MultiFactor

/// `mfa-enroll import`.
struct ImportFactorCommand: EnrollCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Import the key of google-authenticator, so that you can continue to use your app.")

  @Argument(help: "The file, instead of .google_authenticator in your home folder.")
  var file: String?

  @Option(help: "The name of the device, such as phone.")
  var name: String?

  @OptionGroup var options: CommonOptions

  func check() throws(Failure) { try check(name: name) }

  func carryOut(_ multiFactor: MultiFactor, _ interface: UserInterface) async throws {
    // Read first, so that an error in the file is reported before the user types a password.
    let path = try file ?? ImportFile.defaultPath()
    let found = try parse(try ImportFile.read(path))
    for warning in found.warnings {
      interface.tell(.warningLabel, .importWarning(ImportWarningMessage(warning)))
    }
    let taken = try await multiFactor.enrolledFactors.map(\.name)
    let name = name ?? DeviceName.usual(among: taken)
    try await multiFactor.checkEnrollment(displayName: name)
    let session = try await Reauthentication(of: interface).session(with: multiFactor)
    let uid = try await take(found, named: name, with: session, of: multiFactor)
    interface.tell(.imported(name: name))
    interface.report(
      ProgramResult(.enrolled, FactorEntry(uid: uid, displayName: name, .totp)))
    if found.recoveryCodes.count > 0 {
      interface.tell(.recoveryCodesImported(found.recoveryCodes.count))
      interface.tell(.hintLabel, .makeRecoveryCodes)
    }
    interface.tell(.importedFileHoldsKey(path: FactorChoice.shown(path, longest: 4096)))
  }

  private func parse(_ text: borrowing SecretBytes) throws(Failure) -> ImportedFactors {
    do throws(ImportRefusal) {
      return try GoogleAuthenticatorFile.parse(text.span)
    } catch {
      throw Failure(.importRefused(reason: error.text))
    }
  }

  private func take(
    _ found: ImportedFactors, named name: String, with session: MultiFactorSession,
    of multiFactor: MultiFactor
  ) async throws(MultiFactorError) -> String {
    let factor = found.factor
    return try await multiFactor.importFactor(
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

extension ImportWarningMessage {
  /// Creates the message for a warning.
  init(_ warning: ImportWarning) {
    self =
      switch warning {
      case .weakSecret(let bits): .weakKey(bits: bits)
      case .windowNarrowed(let steps):
        .fewerCodesAccepted(
          steps: steps, accepted: Int(ImportableFactor.maximumAdjacentIntervals))
      case .timeSkew(let steps): .clockOffset(steps: Int(steps))
      case .skewMeasurementDropped: .clockMeasurementDropped
      case .gracePeriodDropped: .gracePeriodDropped
      case .rateLimitDropped: .rateLimitDropped
      case .reuseWasAllowed: .reuseWasAllowed
      case .lastCodeNotFound: .lastCodeNotFound
      case .passwordDropped: .passwordDropped
      case .weakRecoveryCodes(let count): .weakRecoveryCodes(count)
      case .unreachableRecoveryCodes(let line, let count):
        .unreachableRecoveryCodes(line: line, count: count)
      case .recoveryCodesDropped(let count): .recoveryCodesDropped(count)
      }
  }
}
