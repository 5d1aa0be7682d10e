@testable import MFAModel

/// Reads a configuration of up to three files, which the byte 0x1E separates.
///
/// A configuration that parses is printed in one canonical form, which parses back equal. The
/// effective settings never contradict each other, and a failed lookup weakens none of them. An
/// error names an existing line, in one line of ASCII.
enum ConfigurationTarget {
  static func check(_ input: [UInt8]) throws {
    let files = parts(of: input, atMost: 3)
    var draft = ConfigurationDraft()
    let configuration: Configuration
    do throws(ConfigurationError) {
      for (number, file) in files.enumerated() {
        try draft.add(file.span, from: name(ofFile: number))
      }
      configuration = try draft.finish()
    } catch {
      return try checkError(error, files)
    }
    try checkText(configuration.printed(), of: configuration)
    try checkText(draft.printed(), of: configuration)
    try require(
      try Configuration.parse(configuration.printed().span).printed() == configuration.printed(),
      "printing twice gives different texts")
    try require(configuration.tenants.count <= Tenant.maximumCount, "there are too many tenants")
    for tenant in [nil] + configuration.tenants.prefix(4).map({ $0 }) {
      try checkSettings(configuration, of: tenant)
    }
  }

  private static func name(ofFile number: Int) -> [UInt8] { Array("/etc/\(number).conf".utf8) }

  private static func checkError(_ error: ConfigurationError, _ files: [[UInt8]]) throws {
    guard let file = files.indices.first(where: { name(ofFile: $0) == error.path }) else {
      throw Violation(description: "the error is in a file that was not read")
    }
    let lines = files[file].count { $0 == UInt8(ascii: "\n") } + 1
    try require((0...lines).contains(error.line), "the error is in a line that does not exist")
    let message = error.message
    try requirePrintableASCII(message, "the message of an error")
    try require(message.count <= 1024, "the message of an error has \(message.count) bytes")
  }

  private static func checkText(_ text: [UInt8], of configuration: Configuration) throws {
    try requireShowable(text, allowing: ["\n"], "the text of a configuration")
    try require(
      try parsed(text) == configuration, "the text of a configuration parses back differently")
  }

  private static func parsed(_ text: [UInt8]) throws(Violation) -> Configuration {
    do throws(ConfigurationError) {
      return try Configuration.parse(text.span)
    } catch {
      let message = String(decoding: error.message, as: UTF8.self)
      throw Violation(description: "the text of a configuration does not parse: \(message)")
    }
  }

  /// Compares the settings after failed lookups with those for either answer.
  private static func checkSettings(_ configuration: Configuration, of tenant: Tenant?) throws {
    let users = [Array("alice".utf8)] + (tenant?.selectors.users.prefix(2) ?? [])
    for user in users {
      let answers: [(_ group: [UInt8]) -> Bool?] = [
        { _ in true }, { _ in false }, { $0.count % 2 == 0 },
      ]
      for answer in answers {
        for subject in configuration.subjects(of: tenant, user: user, isMember: answer).prefix(4) {
          let known = configuration.settings(for: subject)
          try checkContradictions(in: known)
          try checkOrigins(configuration, subject, known)
          for (address, isMember) in [
            (subject.address, { _ in nil }), (nil, answer), (nil, { _ in nil }),
          ] as [(IPAddress?, (_ group: [UInt8]) -> Bool?)] {
            let unknown = configuration.settings(
              for: Subject(
                user: user, service: subject.service, address: address, isMember: isMember))
            try checkContradictions(in: unknown)
            try requireNotWeaker(unknown, known, subject.service)
          }
        }
      }
    }
  }

  private static func checkContradictions(in settings: Settings) throws {
    let throttle = settings.throttle
    try require(
      throttle.waitsAfter <= throttle.locksAfter && throttle.firstWait <= throttle.longestWait
        && throttle.locksAfter <= 100 && settings.adjacentIntervals <= 10,
      "settings contradict each other: \(settings)")
    try require(
      settings.enrollment != .offered || settings.offer.ends, "an offer has no end: \(settings)")
  }

  private static func checkOrigins(
    _ configuration: Configuration, _ subject: Subject, _ settings: Settings
  ) throws {
    let values = settings.values
    for item in configuration.settingsInForce(for: subject) {
      try require(
        item.value == values.printed(item.key), "the effective setting differs for \(item.key)")
    }
  }

  private static func requireNotWeaker(
    _ unknown: Settings, _ known: Settings, _ service: [UInt8]
  ) throws {
    var weaker: [String] = []
    let states: [Configuration.State] = [.disabled, .observe, .enabled]
    if let unknown = states.firstIndex(of: unknown.state),
      let known = states.firstIndex(of: known.state), unknown < known
    {
      weaker.append("state")
    }
    if unknown.adjacentIntervals > known.adjacentIntervals { weaker.append("adjacent_intervals") }
    if unknown.enrollment.rawValue < known.enrollment.rawValue { weaker.append("enrollment") }
    if unknown.enrollment == .offered, known.enrollment == .offered {
      for made in [0, 1, 10, 999, 1000] as [UInt32] {
        for now in [0, 1_700_000_000, 200_000_000_000] as [Int64]
        where unknown.offer.allowsPostponing(afterSignIns: made, now: now)
          && !known.offer.allowsPostponing(afterSignIns: made, now: now)
        {
          weaker.append("offer after \(made) sign-ins at \(now)")
        }
      }
    }
    if unknown.promptHints, !known.promptHints { weaker.append("prompt_hints") }
    if unknown.tries > known.tries { weaker.append("tries") }
    if unknown.oldestCode(in: service) > known.oldestCode(in: service) {
      weaker.append("remember")
    }
    if unknown.throttle.locksAfter > known.throttle.locksAfter {
      weaker.append("disable_after")
    }
    if unknown.recoveryUnlocks, !known.recoveryUnlocks { weaker.append("recovery_unlocks") }
    for type in Configuration.FactorType.allCases where unknown.allows(type) && !known.allows(type)
    {
      weaker.append("factors")
    }
    if unknown.phoneWaitingTime < known.phoneWaitingTime { weaker.append("phone_waiting_time") }
    let (fewer, more) = (unknown.userSendLimits, known.userSendLimits)
    if fewer.interval < more.interval || fewer.perTenMinutes > more.perTenMinutes
      || fewer.perDay > more.perDay
    {
      weaker.append("phone_interval, phone_per_ten_minutes or phone_per_day")
    }
    for failures in 0...110 as ClosedRange<UInt32>
    where unknown.throttle.wait(afterFailures: failures)
      < known.throttle.wait(afterFailures: failures)
    {
      weaker.append("wait after \(failures) failures")
    }
    try require(
      weaker.isEmpty, "a failed lookup weakens \(weaker): \(unknown) instead of \(known)")
  }
}
