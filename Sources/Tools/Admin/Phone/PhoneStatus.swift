import MFAAttempt
import MFABase
import MFAModel

/// What `mfa-admin phone status` shows.
package struct PhoneStatus: Equatable {
  /// The path of the gateway; nil if none is configured.
  let gateway: [UInt8]?
  /// The condition of the gateway; nil if none is configured.
  let state: GatewayState?
  /// The beginnings of the numbers that are allowed.
  let regions: [[UInt8]]
  /// Whether the settings of the project allow codes that are sent to phones.
  let isAllowed: Bool
  /// The number of test numbers.
  let testNumbers: Int
  /// The limits of the host and of each number.
  let limits: HostSendLimits
  /// The limits of each user.
  let userLimits: UserSendLimits
  /// How long a changed number cannot be used, in seconds.
  let waitingTime: Int64
  /// The messages of the last 24 hours.
  let sends: SendLog.Status

  /// Creates the value from the settings of the project.
  package init(_ settings: Settings, _ state: GatewayState?, _ sends: SendLog.Status) {
    gateway = settings.gateway
    self.state = state
    regions = settings.regions
    isAllowed = settings.allows(.phone)
    testNumbers = settings.phoneTestNumbers.count
    limits = settings.hostSendLimits
    userLimits = settings.userSendLimits
    waitingTime = settings.phoneWaitingTime
    self.sends = sends
  }

  private var gatewayText: String {
    guard let gateway, let state else { return "not configured" }
    let path = VisibleText.escaping(gateway)
    return state.refusal.map { "\(path): \(GatewayState.reason($0))" } ?? path
  }

  private func text(_ breaker: SendLog.Breaker) -> String {
    if limits.breakerPercent == 0 { return "off" }
    let numbers = "\(breaker.returned) of the last \(breaker.examined) codes came back"
    guard let seconds = breaker.seconds else { return numbers }
    return numbers + "; sending is stopped for \(seconds) s: mfa-admin phone resume"
  }

  private var regionNames: [String] { regions.map { String(decoding: $0, as: UTF8.self) } }

  /// The status as lines of text.
  package var text: String {
    var rows = [
      ("factors", isAllowed ? "phone is allowed" : "phone is not allowed by \"factors\""),
      ("gateway", gatewayText),
    ]
    if let state { rows.append(("service", state.service.word)) }
    rows += [
      ("regions", regions.isEmpty ? "none" : regionNames.joined(separator: ", ")),
      (
        "sent",
        "\(sends.sent) in the last 24 hours, of \(limits.perHostDaily); \(sends.returned) came "
          + "back, \(sends.failed) failed"
      ),
      ("breaker", text(sends.signIns)),
      ("enrolments", text(sends.enrolments)),
      ("for a number", "\(limits.perNumberHourly) an hour"),
      (
        "for a user",
        "1 in \(userLimits.interval) s, \(userLimits.perTenMinutes) in 10 min, "
          + "\(userLimits.perDay) a day"
      ),
      (
        "new number",
        waitingTime == 0 ? "can be used at once" : "can be used after \(waitingTime) s"
      ),
    ]
    if testNumbers > 0 { rows.append(("test numbers", "\(testNumbers)")) }
    return rows.map { UserDetails.line($0, $1) }.joined()
  }

  private static func members(_ breaker: SendLog.Breaker) -> [(String, JSON)] {
    [
      ("examined", .number(Int64(breaker.examined))),
      ("returned", .number(Int64(breaker.returned))),
      ("stoppedForSeconds", breaker.seconds.map { .number($0) } ?? .null),
    ]
  }

  /// The status as JSON. Member names are stable across versions.
  package var json: JSON {
    .object([
      ("allowed", .bool(isAllowed)),
      ("gateway", JSON(gateway.map { VisibleText.escaping($0) })),
      ("gatewayProblem", JSON(state?.refusal.map { "\($0.name)" })),
      ("service", JSON(state?.service.word)),
      ("regions", .array(regionNames.map { .string($0) })),
      ("testNumbers", .number(Int64(testNumbers))),
      (
        "lastDay",
        .object([
          ("sent", .number(Int64(sends.sent))), ("returned", .number(Int64(sends.returned))),
          ("failed", .number(Int64(sends.failed))),
          ("limit", .number(Int64(limits.perHostDaily))),
        ])
      ),
      (
        "breaker",
        .object(
          [
            ("percent", .number(Int64(limits.breakerPercent)))
          ] + Self.members(sends.signIns))
      ),
      ("enrolmentBreaker", .object(Self.members(sends.enrolments))),
      (
        "limits",
        .object([
          ("perNumberHourly", .number(Int64(limits.perNumberHourly))),
          ("intervalSeconds", .number(userLimits.interval)),
          ("perTenMinutes", .number(Int64(userLimits.perTenMinutes))),
          ("perDay", .number(Int64(userLimits.perDay))),
          ("waitingTimeSeconds", .number(waitingTime)),
        ])
      ),
    ])
  }
}

/// The condition of the gateway and of its service.
package struct GatewayState: Equatable {
  /// Whether the service listens.
  package enum Service: Equatable {
    /// Nothing listens at the socket.
    case stopped
    /// The service listens, and its socket belongs to root.
    case listens
    /// A user other than root created the listener.
    case untrusted(owner: UInt32)
    /// The socket could not be used; the value says why.
    case unknown(String)

    /// The condition in one word, for programs.
    package var word: String {
      switch self {
      case .stopped: "stopped"
      case .listens: "listens"
      case .untrusted: "untrusted"
      case .unknown: "unknown"
      }
    }
  }

  /// Why the program is not run; nil if it is trusted.
  package let refusal: GatewayRefusal?
  /// Whether the service listens.
  package let service: Service

  /// Creates a value.
  package init(refusal: GatewayRefusal?, service: Service) {
    self.refusal = refusal
    self.service = service
  }

  /// Examines the gateway at `path` and the service of this host.
  package init(of path: [UInt8], socket: [UInt8] = InstalledPath.gatewaySocket.bytes) {
    self.init(refusal: .of(path), service: Self.service(at: socket))
  }

  /// Connects to the socket and sends nothing.
  private static func service(at socket: [UInt8]) -> Service {
    do throws(SystemError) {
      let owner = try PacketConnection(to: socket).peer().user
      return owner == 0 ? .listens : .untrusted(owner: owner)
    } catch {
      return error.isNotFound || error.isRefused ? .stopped : .unknown(error.text)
    }
  }

  /// Returns the reason as part of a sentence.
  package static func reason(_ refusal: GatewayRefusal) -> String {
    switch refusal {
    case .notAPath: "it is not an absolute path"
    case .notFound: "there is no such file"
    case .notReadable: "it or a directory above it cannot be examined"
    case .symbolicLink: "a directory above it is a symbolic link"
    case .notARegularFile: "it is not a regular file"
    case .wrongOwner: "it does not belong to root"
    case .writableByOthers: "other users than root can write to it"
    case .notExecutable: "it is not executable"
    case .directoryOwner: "a directory above it does not belong to root"
    case .directoryWritableByOthers: "other users than root can write to a directory above it"
    }
  }
}

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
