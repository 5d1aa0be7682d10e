import MFABase
import MFAMessages

extension ConfigurationValueType {
  /// Parses the value of `key`. Throws the reason if the key does not accept it.
  func parse(
    _ text: Span<UInt8>, of key: Configuration.Key
  ) throws(ConfigurationError) -> ConfigurationValue {
    let value: ConfigurationValue?
    switch self {
    case .issuer: value = Self.issuer(text).map { .texts([$0]) }
    case .prompt: value = Self.prompt(text).map { .texts([$0]) }
    case .names: value = Self.names(text, ofServices: false).map { .texts($0) }
    case .name:
      let names = Self.names(text, ofServices: false) ?? []
      value = names.count == 1 ? .texts(names) : nil
    case .services: value = Self.names(text, ofServices: true).map { .texts($0) }
    case .networks: value = try Self.networks(text).map { .networks($0) }
    case .path: value = Self.path(text).map { .texts([$0]) }
    case .callingCodes: value = Self.callingCodes(text).map { .texts($0) }
    case .testNumbers: value = Self.testNumbers(text).map { .texts($0) }
    case .state, .enrollment, .onOrOff, .language, .wholeNumber, .duration, .durationOrOff, .day,
      .factors:
      value = number(text).map { .number($0) }
    }
    guard let value else { throw ConfigurationError(.invalidValue(key, Excerpt(text))) }
    return value
  }

  /// Parses a value that is a number. Returns nil if the type does not accept it.
  private func number(_ text: Span<UInt8>) -> Int64? {
    switch self {
    case .state, .enrollment, .onOrOff: numberOfWord(text)
    case .language: Language(tag: text).map { Int64($0.rawValue) }
    case .wholeNumber(let range): Self.wholeNumber(text, in: range)
    case .duration(let range): Self.seconds(text, in: range)
    case .durationOrOff(let range): text.equals("off") ? 0 : Self.seconds(text, in: range)
    case .day: CalendarDay(text)?.end
    case .factors: factors(text)
    case .issuer, .prompt, .names, .name, .services, .networks, .path, .callingCodes, .testNumbers:
      nil
    }
  }

  /// Returns the number of a word, or nil if the set does not contain the word.
  func numberOfWord(_ text: Span<UInt8>) -> Int64? {
    var number: Int64 = 0
    while let word = word(number) {
      if text.equals(word) { return number }
      number &+= 1
    }
    return nil
  }

  /// Parses a whole number in `range`: decimal digits, without a sign and without leading zeros.
  static func wholeNumber(_ text: Span<UInt8>, in range: ClosedRange<Int64>) -> Int64? {
    // Nine digits are more than any key accepts, and cannot overflow.
    guard (1...9).contains(text.count), text.count == 1 || text[0] != UInt8(ascii: "0") else {
      return nil
    }
    var number: Int64 = 0
    for index in text.indices {
      guard let digit = text[index].decimalDigit else { return nil }
      number = number * 10 + Int64(digit)
    }
    return range.contains(number) ? number : nil
  }

  /// Parses a duration in `range`, in seconds: a whole number and its unit, `s`, `m` or `h`.
  private static func seconds(_ text: Span<UInt8>, in range: ClosedRange<Int64>) -> Int64? {
    guard text.count >= 2, let unit = secondsPerUnit(text[text.count - 1]),
      let number = wholeNumber(text.extracting(droppingLast: 1), in: 1...range.upperBound)
    else { return nil }
    let (seconds, overflow) = number.multipliedReportingOverflow(by: unit)
    return !overflow && range.contains(seconds) ? seconds : nil
  }

  private static func secondsPerUnit(_ unit: UInt8) -> Int64? {
    switch unit {
    case UInt8(ascii: "s"): 1
    case UInt8(ascii: "m"): 60
    case UInt8(ascii: "h"): 3600
    default: nil
    }
  }

  /// Parses a comma-separated list of user, group or service names without duplicates.
  private static func names(_ text: Span<UInt8>, ofServices: Bool) -> [[UInt8]]? {
    guard ofServices || text.firstIndex(of: UInt8(ascii: "\"")) == nil else {
      return quotedNames(text)
    }
    var names: [[UInt8]] = []
    var start = 0
    while start <= text.count {
      let element = text.listElement(at: &start)
      guard isName(element, ofService: ofServices) else { return nil }
      let name = element.copied()
      guard !names.contains(name) else { return nil }
      names.append(name)
    }
    return names
  }

  /// Parses a list in which some names of users or groups are in quotes.
  private static func quotedNames(_ text: Span<UInt8>) -> [[UInt8]]? {
    let comma = UInt8(ascii: ",")
    guard let elements = QuotedList.elements(of: text.copied(), separatedBy: comma) else {
      return nil
    }
    var names: [[UInt8]] = []
    for element in elements {
      let name = element.text
      let isValid = element.isQuoted ? isQuotedName(name) : isName(name.span, ofService: false)
      guard isValid, !names.contains(name) else { return nil }
      names.append(name)
    }
    return names
  }

  /// Returns whether a text in quotes is a valid name of a user or group. A slash and a colon are in
  /// no name.
  private static func isQuotedName(_ name: [UInt8]) -> Bool {
    (1...UserName.maximumLength).contains(name.count)
      && name.allSatisfy {
        $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: ":") && $0 != UInt8(ascii: "\t")
      }
  }

  /// Returns a list of names of users or groups, with the names in quotes that need them.
  static func list(ofNames names: [[UInt8]]) -> [UInt8] {
    list(
      names.map { name in
        let isPlain =
          isName(name.span, ofService: false) && !name.contains(UInt8(ascii: ","))
          && name.first != UInt8(ascii: " ") && name.last != UInt8(ascii: " ")
        return isPlain ? name : QuotedList.quoted(name)
      })
  }

  /// Returns whether `text` is a valid name of a user or group, or of a service. Names that other
  /// programs interpret as a pattern, group or comment are refused, because an administrator might
  /// rely on a name that never matches. Services with capital letters are refused too, because PAM
  /// converts service names to lower case.
  static func isServiceName(_ text: Span<UInt8>) -> Bool { isName(text, ofService: true) }

  private static func isName(_ text: Span<UInt8>, ofService: Bool) -> Bool {
    guard (1...UserName.maximumLength).contains(text.count) else { return false }
    for index in text.indices {
      switch text[index] {
      case UInt8(ascii: "@"), UInt8(ascii: "+"), UInt8(ascii: "-"):
        if index == 0 { return false }
      case UInt8(ascii: "\t"), UInt8(ascii: "/"), UInt8(ascii: ":"), UInt8(ascii: "*"),
        UInt8(ascii: "?"), UInt8(ascii: "\""), UInt8(ascii: "="), UInt8(ascii: "#"),
        UInt8(ascii: "!"), UInt8(ascii: "%"):
        return false
      case UInt8(ascii: " "), UInt8(ascii: "A")...UInt8(ascii: "Z"):
        if ofService { return false }
      default:
        continue
      }
    }
    return true
  }

  /// Parses an issuer: a valid display name without colons, which would end the issuer in an
  /// otpauth URL.
  private static func issuer(_ text: Span<UInt8>) -> [UInt8]? {
    guard text.firstIndex(of: UInt8(ascii: ":")) == nil else { return nil }
    return DisplayName(text.copied())?.utf8
  }

  /// Parses a prompt. Double quotes are refused, because users would see them.
  private static func prompt(_ text: Span<UInt8>) -> [UInt8]? {
    guard text.firstIndex(of: UInt8(ascii: "\"")) == nil else { return nil }
    return DisplayName(text.copied())?.utf8
  }

  /// Parses a list of networks. Throws if a network is not canonical.
  private static func networks(
    _ text: Span<UInt8>
  ) throws(ConfigurationError) -> [Network]? {
    var networks: [Network] = []
    var start = 0
    while start <= text.count {
      let element = text.listElement(at: &start)
      guard let network = Network(containing: element), !networks.contains(network) else {
        return nil
      }
      let canonical = network.text
      guard element.copied() == canonical else {
        throw ConfigurationError(
          .nonCanonicalNetwork(Excerpt(element), meant: Excerpt(canonical.span)))
      }
      networks.append(network)
    }
    return networks
  }
}
