import ArgumentParser
import MFAAdmin
import MFAAttempt
import MFAStore
import MFABase

/// `mfa-admin phone`
struct PhoneCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "phone", abstract: "Show and test how codes are sent to phones.",
    discussion: AdminStatus.explanation,
    subcommands: [PhoneStatusCommand.self, PhoneResumeCommand.self, PhoneTestCommand.self])

  /// The messages that this host sent.
  static func sends() throws(AdminError) -> SendLog {
    guard let location = StoreLocation.standard else { throw .store(.damaged(.directory)) }
    return SendLog(location, log: { Log.write(.warning, $0) })
  }
}
