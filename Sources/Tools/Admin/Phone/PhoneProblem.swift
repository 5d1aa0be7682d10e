import MFABase
import MFAAttempt
import MFAModel

/// The reason why no message was sent to a phone.
package enum PhoneProblem: Equatable {
  /// The text is not a phone number in the form +15105551234.
  case notANumber
  /// The number is outside `regions`.
  case otherRegion
  /// The number is a test number, to which nothing is sent.
  case testNumber
  /// mfa.conf names no gateway.
  case noGateway
  /// A limit of the host is reached.
  case limit(SendLog.Refusal)
  /// The gateway did not accept the message.
  case notAccepted(GatewayReply)

  /// The exit status.
  package var status: AdminStatus { self == .notANumber ? .usage : .failure }

  /// What failed, and why. It does not contain the number.
  package var message: String {
    switch self {
    case .notANumber: "the text is not a phone number"
    case .otherRegion: "\(Configuration.Key.regions.name) does not contain the number"
    case .testNumber: "the number is a test number, to which nothing is sent"
    case .noGateway: "no gateway is configured"
    case .limit(.numberHourly):
      "\(Configuration.Key.phoneNumberHourly.name) codes were sent to the number in the last hour"
    case .limit(.hostDaily):
      "\(Configuration.Key.phoneHostDaily.name) codes were sent in the last 24 hours"
    case .limit(.breaker):
      "too few of the codes sent come back, so that sending is stopped for now"
    case .notAccepted(let reply): Self.message(reply)
    }
  }

  private static func message(_ reply: GatewayReply) -> String {
    switch reply {
    case .accepted: "the gateway accepted the message"
    case .notSet: "no gateway is configured, or \(InstalledPath.configuration) has an error"
    case .unusable(let refusal): "the gateway is not run: \(GatewayState.reason(refusal))"
    case .notStarted(let number): "the gateway could not be started (error \(number))"
    case .failed(let status): "the gateway failed with the exit status \(status)"
    case .killed: "a signal ended the gateway"
    case .tookTooLong: "the gateway took longer than 10 seconds and was killed"
    case .refused: "the gateway service refused the message"
    case .noService: "the gateway service does not run"
    case .noReply: "the gateway service did not reply"
    }
  }

  /// What an administrator can do.
  package var hint: String {
    switch self {
    case .notANumber: "write + and the calling code first, and digits only: +15105551234"
    case .otherRegion:
      "add the calling code to \(Configuration.Key.regions.name) in \(InstalledPath.configuration)"
    case .testNumber: "use the number of a phone"
    case .noGateway, .notAccepted(.notSet):
      "set \(Configuration.Key.gateway.name) in \(InstalledPath.configuration): mfa-gateway(7)"
    case .limit(.numberHourly(let seconds)), .limit(.hostDaily(let seconds)):
      "wait \(seconds) seconds, or raise the limit in \(InstalledPath.configuration)"
    case .limit(.breaker(let seconds)):
      "find out why users do not type the codes, then: mfa-admin phone resume; "
        + "otherwise wait \(seconds) seconds"
    case .notAccepted(.unusable), .notAccepted(.notStarted):
      "mfa-admin doctor says what to change"
    case .notAccepted(.noService), .notAccepted(.noReply), .notAccepted(.refused):
      "systemctl enable --now mfa-gateway.socket; systemctl status mfa-gateway.service"
    case .notAccepted: "look at the log of the program that the gateway uses: mfa-gateway(7)"
    }
  }
}
