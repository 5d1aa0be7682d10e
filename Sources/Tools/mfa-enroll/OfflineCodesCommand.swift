import ArgumentParser
import FoundationEssentials
import MFAEnrollMessages
import MultiFactor

/// `mfa-enroll offline-codes`.
struct OfflineCodesCommand: EnrollCommand {
  static let configuration = CommandConfiguration(
    commandName: "offline-codes",
    abstract: "Make recovery codes for hosts that cannot reach the servers of the second factor.",
    discussion: """
      Each code signs you in once on each host of a group during an outage, if you have signed in on \
      the host before. New codes replace the earlier ones for the group. They are shown once.
      """)

  @Option(
    help: ArgumentHelp("Make the codes for this group of hosts.", valueName: "group"))
  var hosts: String?

  @OptionGroup var options: CommonOptions

  func validate() throws {
    guard hosts.map({ (1...64).contains($0.utf8.count) }) ?? true else {
      throw ValidationError("--hosts requires the name of a group, of at most 64 bytes")
    }
  }

  func run() async throws {
    let interface = try UserInterface(for: self)
    let multiFactor = MultiFactor(language: interface.language, tell: interface.tell(host:))
    try await make(multiFactor, interface)
    await multiFactor.close()
  }

  private func make(
    _ multiFactor: MultiFactor, _ interface: UserInterface
  ) async throws(Failure) {
    do throws(MultiFactorError) {
      guard try await !multiFactor.enrolledFactors.isEmpty else { throw .factorNotFound }
      let account = try await multiFactor.userName
      let session = try await Reauthentication(of: interface).session(with: multiFactor)
      let codes = try await multiFactor.generateOfflineRecoveryCodes(forHosts: hosts, with: session)
      let heading = RecoverySheet.Heading(
        account: account, host: hosts ?? FactorChoice.shown(CallingProcess.hostName),
        date: String(LocaleSettings.text(of: .now).prefix(10)), replacesOlder: true,
        isOffline: true)
      let sheet = RecoverySheet(codes, heading, in: interface.language)
      interface.show("\n", sheet.text, "\n")
      interface.tell(.recoveryCodesShownOnce)
    } catch {
      switch error {
      case .factorNotFound: throw Failure(.noDevice)
      case .invalidArgument: throw Failure(.noOfflineCodes)
      default: throw Failure(error)
      }
    }
  }
}
