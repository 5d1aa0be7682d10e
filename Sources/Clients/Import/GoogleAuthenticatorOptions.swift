import MFAModel

/// The option values of one google-authenticator file.
struct GoogleAuthenticatorOptions {
  /// The first character of an option's line.
  static let quotationMark = UInt8(ascii: "\"")

  /// The window in time steps. The default is the current step and one before and after it.
  private(set) var windowSize = 3

  /// The number of steps that is added to the current step.
  private(set) var timeSkew: Int32 = 0

  /// The steps whose codes were used, or nil if the file does not record them.
  private(set) var usedSteps: [Int64]?

  /// The warnings about the options, in the order of the lines.
  private(set) var warnings: [ImportWarning] = []

  private var period: UInt64 = 30
  private var counter: UInt64 = 0
  private var lineOf: [GoogleAuthenticatorOption: Int] = [:]

  /// Reads the options among `lines`, of which the first is the key.
  init(_ text: Span<UInt8>, lines: [Range<Int>]) throws(ImportRefusal) {
    for (index, line) in lines.enumerated().dropFirst() {
      guard let first = line.first, text[first] == Self.quotationMark else { continue }
      try read(text, in: line, number: index + 1)
    }
    if usedSteps == nil { warnings.append(.reuseWasAllowed) }
  }

  /// Returns the parameters of the codes: always SHA-1 and six digits.
  func parameters() throws(ImportRefusal) -> TOTPParameters {
    // A counter above zero takes precedence over TOTP_AUTH.
    if let line = lineOf[.counter], counter > 0 || lineOf[.timeBased] == nil {
      throw ImportRefusal(line: line, reason: .counterBased)
    }
    guard lineOf[.timeBased] != nil else {
      throw ImportRefusal(reason: .neitherTimeNorCounter)
    }
    guard let seconds = UInt16(exactly: period),
      let parameters = TOTPParameters(algorithm: .sha1, codeLength: .six, period: seconds)
    else {
      throw ImportRefusal(line: lineOf[.stepSize] ?? 0, reason: .period(seconds: period))
    }
    return parameters
  }

  private mutating func read(
    _ text: Span<UInt8>, in line: Range<Int>, number: Int
  ) throws(ImportRefusal) {
    let rest = line.dropFirst()
    guard let first = rest.first, text[first] == Text.space else {
      throw ImportRefusal(line: number, reason: .unknownOption)
    }
    var end = rest.lowerBound + 1
    while end < rest.upperBound, !Text.isBlank(text[end]) { end += 1 }
    let name = rest.lowerBound + 1..<end
    guard
      let option = GoogleAuthenticatorOption.allCases.first(where: { option in
        Text.matches(text, in: name, option.rawValue)
      })
    else { throw ImportRefusal(line: number, reason: .unknownOption) }
    if let firstLine = lineOf[option] {
      throw ImportRefusal(line: number, reason: .repeatedOption(option, firstLine: firstLine))
    }
    lineOf[option] = number
    let value = end..<rest.upperBound
    guard take(option, text, value, words: Text.words(of: text, in: value)) else {
      throw ImportRefusal(line: number, reason: .invalidValue(option))
    }
  }

  /// Stores an option's value. Returns false if the option does not allow the value.
  private mutating func take(
    _ option: GoogleAuthenticatorOption, _ text: Span<UInt8>, _ value: Range<Int>,
    words: [Range<Int>]
  ) -> Bool {
    switch option {
    case .timeBased: return words.isEmpty
    case .counter:
      guard words.count == 1, let number = Text.number(text, in: words[0]) else { return false }
      counter = number
    case .stepSize:
      guard words.count == 1, let number = Text.number(text, in: words[0]), 1...60 ~= number else {
        return false
      }
      period = number
    case .windowSize:
      guard words.count == 1, let number = Text.number(text, in: words[0]), 1...100 ~= number else {
        return false
      }
      windowSize = Int(number)
    case .disallowReuse: return takeUsedSteps(text, words)
    case .rateLimit: return takeRateLimit(text, value, words)
    case .timeSkew:
      guard words.count == 1, let steps = Text.signedNumber(text, in: words[0]) else {
        return false
      }
      timeSkew = steps
      if steps != 0 { warnings.append(.timeSkew(steps: steps)) }
    case .resettingTimeSkew:
      guard words.count <= 3 else { return false }
      for word in words where !Self.isMeasurement(text, word) { return false }
      if !words.isEmpty { warnings.append(.skewMeasurementDropped) }
    case .last0, .last1, .last2, .last3, .last4, .last5, .last6, .last7, .last8, .last9:
      guard words.count == 2, Text.number(text, in: words[1]) != nil else { return false }
      if !warnings.contains(.gracePeriodDropped) { warnings.append(.gracePeriodDropped) }
    }
    return true
  }

  private mutating func takeUsedSteps(_ text: Span<UInt8>, _ words: [Range<Int>]) -> Bool {
    var steps: [Int64] = []
    for word in words {
      guard let number = Text.number(text, in: word), let step = Int64(exactly: number) else {
        return false
      }
      steps.append(step)
    }
    usedSteps = steps
    return true
  }

  /// Reads the number of attempts, the seconds, and the time of each attempt. A blank at the end of
  /// the line is an error in google-authenticator too, which then denies every sign-in.
  private mutating func takeRateLimit(
    _ text: Span<UInt8>, _ value: Range<Int>, _ words: [Range<Int>]
  ) -> Bool {
    guard words.count >= 2, words.last?.upperBound == value.upperBound,
      let attempts = Text.number(text, in: words[0]), 1...100 ~= attempts,
      let seconds = Text.number(text, in: words[1]), 1...3600 ~= seconds
    else { return false }
    for word in words.dropFirst(2) where Text.number(text, in: word) == nil { return false }
    warnings.append(.rateLimitDropped(attempts: attempts, seconds: seconds))
    return true
  }

  /// Returns whether `word` is a step and its offset, such as `58000000+3`.
  private static func isMeasurement(_ text: Span<UInt8>, _ word: Range<Int>) -> Bool {
    var end = word.lowerBound
    while end < word.upperBound, Text.isDigit(text[end]) { end += 1 }
    guard end > word.lowerBound, end < word.upperBound, !Text.isDigit(text[end]) else {
      return false
    }
    guard text[end] == UInt8(ascii: "+") || text[end] == UInt8(ascii: "-") else { return false }
    return Text.signedNumber(text, in: end..<word.upperBound) != nil
  }
}

/// The options of a google-authenticator file. The raw value is the name in the file.
package enum GoogleAuthenticatorOption: String, CaseIterable, Sendable {
  case timeBased = "TOTP_AUTH"
  case counter = "HOTP_COUNTER"
  case stepSize = "STEP_SIZE"
  case windowSize = "WINDOW_SIZE"
  case disallowReuse = "DISALLOW_REUSE"
  case rateLimit = "RATE_LIMIT"
  case timeSkew = "TIME_SKEW"
  case resettingTimeSkew = "RESETTING_TIME_SKEW"
  case last0 = "LAST0"
  case last1 = "LAST1"
  case last2 = "LAST2"
  case last3 = "LAST3"
  case last4 = "LAST4"
  case last5 = "LAST5"
  case last6 = "LAST6"
  case last7 = "LAST7"
  case last8 = "LAST8"
  case last9 = "LAST9"

  /// The allowed values, for a message.
  var allowedValues: String {
    switch self {
    case .timeBased: "without a value"
    case .counter: "a number"
    case .stepSize: "1 to 60"
    case .windowSize: "1 to 100"
    case .disallowReuse: "a list of numbers"
    case .rateLimit: "1 to 100, 1 to 3600 and a list of times, without a space at the end"
    case .timeSkew: "a number of steps"
    case .resettingTimeSkew: "at most three times with a number of steps, such as 58000000+3"
    case .last0, .last1, .last2, .last3, .last4, .last5, .last6, .last7, .last8, .last9:
      "a host and a time"
    }
  }
}
