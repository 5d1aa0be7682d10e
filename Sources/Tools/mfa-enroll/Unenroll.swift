import MFABase
import ArgumentParser
import MFAEnrollMessages
import MultiFactor

/// `mfa-enroll unenroll`.
struct Unenroll: EnrollCommand {
  static let configuration = CommandConfiguration(
    abstract: "Remove a device, so that its codes are rejected.",
    aliases: ["unenrol", "remove", "delete"])

  @Argument(help: "The name of the device, or its ID. Not needed if you have only one.")
  var device: String?

  @Flag(help: "Do not ask for confirmation.")
  var yes = false

  @OptionGroup var options: CommonOptions

  func run() async throws {
    let change = try await FactorChange.choose(device, for: self)
    guard yes || isSure(change) else {
      throw Failure(.nothingRemoved)
    }
    try await change.make { _ throws(MultiFactorError) in
      // Read before the removal, which also removes the recovery codes of the last device.
      let status = try await change.multiFactor.status
      let unenrollment = try await change.multiFactor.unenroll(with: change.factor)
      change.interface.tell(.removed(name: change.factor.name))
      if change.isOnly {
        change.interface.tell(.onlyRemoved(anotherIsExpected: status.expectsDevice))
        if status.recoveryCodesLeft > 0 { change.interface.tell(.recoveryCodesVoid) }
      } else if unenrollment.signedOut {
        change.interface.tell(.newestRemoved)
      }
      if unenrollment.endsSessions { OtherSessions.end(telling: change.interface) }
    }
  }

  private func isSure(_ change: FactorChange) -> Bool {
    let interface = change.interface
    if change.isOnly {
      interface.tell(.removeOnly)
    }
    let question = EnrollMessage.removeQuestion(name: change.factor.name)
    guard let answer = interface.ask(question, echo: true) else {
      interface.endLine()
      return false
    }
    return interface.language.isYes(interface.text(of: answer))
  }
}
