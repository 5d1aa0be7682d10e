import MFABytes
import MFAFactors

/// Parsers and printers for configuration values. A value in any other form is refused, and
/// printers use the canonical form.
enum ConfigurationValue {
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
  static func seconds(_ text: Span<UInt8>, in range: ClosedRange<Int64>) -> Int64? {
    guard text.count >= 2, let unit = secondsPerUnit(text[text.count - 1]),
      let number = wholeNumber(text.extracting(droppingLast: 1), in: 1...range.upperBound)
    else { return nil }
    let (seconds, overflow) = number.multipliedReportingOverflow(by: unit)
    return !overflow && range.contains(seconds) ? seconds : nil
  }

  /// Returns the duration in the largest unit that divides it.
  static func printed(seconds: Int64) -> [UInt8] {
    if seconds % 3600 == 0 { return joined([decimal(seconds / 3600), "h"]) }
    if seconds % 60 == 0 { return joined([decimal(seconds / 60), "m"]) }
    return joined([decimal(seconds), "s"])
  }

  /// Parses a duration in `range`, in seconds. Returns 0 for `off`.
  static func secondsOrOff(_ text: Span<UInt8>, in range: ClosedRange<Int64>) -> Int64? {
    text.equals("off") ? 0 : seconds(text, in: range)
  }

  /// Returns the duration, or `off` for 0.
  static func printed(secondsOrOff seconds: Int64) -> [UInt8] {
    seconds == 0 ? bytes(of: "off") : printed(seconds: seconds)
  }

  /// Returns true for `on`, false for `off`, and nil for any other text.
  static func isOn(_ text: Span<UInt8>) -> Bool? {
    if text.equals("on") { return true }
    return text.equals("off") ? false : nil
  }

  /// Returns `on` or `off`.
  static func printed(isOn: Bool) -> [UInt8] {
    bytes(of: isOn ? "on" : "off")
  }

  /// Parses a comma-separated list of user, group or service names without duplicates.
  static func names(_ text: Span<UInt8>, ofServices: Bool) -> [[UInt8]]? {
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

  /// Returns whether `text` is a valid name of a user or group, or of a service. Names that other
  /// programs interpret as a pattern, group or comment are refused, because an administrator might
  /// rely on a name that never matches. Services with capital letters are refused too, because PAM
  /// converts service names to lower case.
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
  static func issuer(_ text: Span<UInt8>) -> [UInt8]? {
    guard text.firstIndex(of: UInt8(ascii: ":")) == nil else { return nil }
    do throws(DisplayName.Refusal) {
      return try DisplayName(text.copied()).utf8
    } catch {
      return nil
    }
  }

  /// Returns whether the predicate is true for every scalar of `text`, or nil if `text` is not
  /// UTF-8.
  static func allScalars(
    of text: Span<UInt8>, satisfy predicate: (Unicode.Scalar) -> Bool
  ) -> Bool? {
    do throws(UTF8.ValidationError) {
      var scalars = try UTF8Span(validating: text).makeUnicodeScalarIterator()
      while let scalar = scalars.next() {
        guard predicate(scalar) else { return false }
      }
      return true
    } catch {
      return nil
    }
  }

  /// Returns whether a scalar is a control character of ISO 646 or ISO 6429 (general category Cc).
  static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
  }

  private static func secondsPerUnit(_ unit: UInt8) -> Int64? {
    switch unit {
    case UInt8(ascii: "s"): 1
    case UInt8(ascii: "m"): 60
    case UInt8(ascii: "h"): 3600
    default: nil
    }
  }
}
