import MFABase
import MFAMessages

/// The type of a key's value: which values are accepted, and how they are written and represented
/// (`ConfigurationValue`). A value in any other form is refused. Printed values are in canonical
/// form.
enum ConfigurationValueType {
  /// A word of `Configuration.State`.
  case state
  /// A word of `Configuration.Enrollment`.
  case enrollment
  /// `on` or `off`.
  case onOrOff
  /// A tag of `Language`.
  case language
  /// Decimal digits, without a sign and without leading zeros.
  case wholeNumber(ClosedRange<Int64>)
  /// A range of seconds. A duration is a whole number and its unit, `s`, `m` or `h`.
  case duration(ClosedRange<Int64>)
  /// A duration, or 0 for `off`.
  case durationOrOff(ClosedRange<Int64>)
  /// The end of a day, in seconds since 1970-01-01 00:00 UTC; 0 if the key is not set.
  case day
  /// A display name without colons.
  case issuer
  /// A display name without double quotes.
  case prompt
  /// A list of names of users or groups.
  case names
  /// The name of a user.
  case name
  /// A list of names of PAM services.
  case services
  /// A list of networks.
  case networks
  /// A list of types of factors: a set of bits (`Configuration.FactorType`). It is 0 only if two
  /// tenants that may match have no type in common.
  case factors
  /// An absolute path.
  case path
  /// A list of beginnings of phone numbers: `+`, a calling code, and up to four further digits.
  case callingCodes
  /// A list of phone numbers with the code that each of them accepts.
  case testNumbers

  /// Whether values are stored as texts: `ConfigurationValue.texts`.
  var isList: Bool {
    switch self {
    case .issuer, .prompt, .names, .name, .services, .path, .callingCodes, .testNumbers: true
    case .state, .enrollment, .onOrOff, .language, .wholeNumber, .duration, .durationOrOff, .day,
      .networks, .factors:
      false
    }
  }

  /// The accepted values, phrased to follow "must be".
  var allowedValues: String {
    switch self {
    case .state, .enrollment, .onOrOff, .language: listOfWords
    case .wholeNumber(let range):
      utf8Text(
        joined([
          "a whole number from ", decimal(range.lowerBound), " to ", decimal(range.upperBound),
        ]))
    case .duration(let range):
      Self.durations(range)
    case .durationOrOff(let range):
      joined("off, or ", Self.durations(range))
    case .day: "a day such as 2027-01-31"
    case .issuer:
      joined(
        "a name of 1 to ", decimal(Int64(DisplayName.maximumLength)),
        " characters, without colons and invisible characters")
    case .prompt:
      joined(
        "a text of 1 to ", decimal(Int64(DisplayName.maximumLength)),
        " characters, without double quotes and invisible characters")
    case .names: "names with commas between them, each once, without patterns"
    case .name: "the name of one user"
    case .services: "names of PAM services in lower case, with commas between them, each once"
    case .networks:
      "networks such as 192.0.2.0/24 and 2001:db8::/32, with commas between them, each once"
    case .factors: "totp, phone, or both with a comma between them"
    case .path: "an absolute path such as /usr/lib/mfa/gateways/json"
    case .callingCodes:
      "calling codes such as +33 and +81, with commas between them, each once"
    case .testNumbers:
      joined(
        "up to ", decimal(Int64(Self.maximumTestNumbers)),
        " numbers with codes of six digits such as +15105551234=123456, with commas between them")
    }
  }

  /// Returns the word for a number of a closed set, or nil if there is none. The words are numbered
  /// from 0, in the order in which messages list them.
  func word(_ number: Int64) -> String? {
    switch self {
    case .state: Configuration.State(rawValue: number)?.name
    case .enrollment: Configuration.Enrollment(rawValue: number)?.name
    case .onOrOff: OnOrOff(rawValue: number)?.name
    case .language: UInt8(exactly: number).flatMap { Language(rawValue: $0) }?.tag
    case .factors: Configuration.FactorType(rawValue: number)?.name
    case .wholeNumber, .duration, .durationOrOff, .day, .issuer, .prompt, .names, .name, .services,
      .networks, .path, .callingCodes, .testNumbers:
      nil
    }
  }

  /// Returns a value in canonical form, or nil if it stands for a key that is not set.
  func printed(_ value: ConfigurationValue) -> [UInt8]? {
    switch value {
    case .number(let number): printed(number)
    case .texts(let texts) where texts.isEmpty: nil
    case .texts(let texts):
      if case .names = self { Self.list(ofNames: texts) } else { Self.list(texts) }
    case .networks(let networks): Self.list(networks.map { $0.text })
    }
  }

  /// Returns a number in canonical form, or nil if it stands for a key that is not set.
  func printed(_ number: Int64) -> [UInt8]? {
    switch self {
    case .state, .enrollment, .onOrOff, .language:
      word(number).map { bytes(of: $0) }
    case .wholeNumber: bytes(of: decimal(number))
    case .duration: Self.printed(seconds: number)
    case .durationOrOff: number == 0 ? bytes(of: "off") : Self.printed(seconds: number)
    case .day: CalendarDay(end: number)?.text
    case .factors: Self.list(Configuration.FactorType.names(in: number))
    case .issuer, .prompt, .names, .name, .services, .networks, .path, .callingCodes, .testNumbers:
      nil
    }
  }

  /// Returns a duration in the largest unit that divides it.
  private static func printed(seconds: Int64) -> [UInt8] {
    if seconds % 3600 == 0 { return joined([decimal(seconds / 3600), "h"]) }
    if seconds % 60 == 0 { return joined([decimal(seconds / 60), "m"]) }
    return joined([decimal(seconds), "s"])
  }

  /// Returns the texts with commas between them.
  static func list(_ texts: [[UInt8]]) -> [UInt8] {
    var list: [UInt8] = []
    for text in texts {
      if !list.isEmpty { list += bytes(of: ", ") }
      list += text
    }
    return list
  }

  /// The words in the form `enabled, disabled or observe`.
  private var listOfWords: String {
    var list = word(0) ?? ""
    var number: Int64 = 1
    while let next = word(number) {
      number &+= 1
      list = joined(list, word(number) == nil ? " or " : ", ", next)
    }
    return list
  }

  /// Returns the accepted durations, phrased to follow "must be".
  private static func durations(_ range: ClosedRange<Int64>) -> String {
    utf8Text(
      bytes(of: "a whole number with s, m or h behind it, from ")
        + printed(seconds: range.lowerBound) + bytes(of: " to ")
        + printed(seconds: range.upperBound))
  }
}

/// The value of a configuration key. `ConfigurationValueType` parses and prints it.
enum ConfigurationValue: Equatable, Sendable {
  /// A number, a duration in seconds, the end of a day in seconds since 1970-01-01 00:00 UTC, or
  /// the number of a word.
  case number(Int64)
  /// A list of names. An issuer or a prompt is a list of one text.
  case texts([[UInt8]])
  /// A list of networks.
  case networks([Network])
}
