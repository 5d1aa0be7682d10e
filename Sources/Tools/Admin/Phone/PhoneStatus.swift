import MFAModel
import MFAAttempt

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
    return rows.map { name, value in
      "\(name)\(String(repeating: " ", count: 13 - name.count))\(value)\n"
    }.joined()
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
