import MFAModel
import MFATestSupport
import Testing

@Suite struct PhoneNumberTests {
  private static func read(_ text: String) -> Result<String, PhoneNumber.Refusal> {
    do throws(PhoneNumber.Refusal) {
      let number = try PhoneNumber(typed: Array(text.utf8).span)
      return .success(
        number.span.text + " " + String(decoding: number.masked.ascii, as: UTF8.self))
    } catch {
      return .failure(error)
    }
  }

  struct Row: Sendable, CustomTestStringConvertible {
    let text: String
    let result: Result<String, PhoneNumber.Refusal>
    var testDescription: String { text }

    init(_ text: String, _ number: String) {
      self.text = text
      result = .success(number)
    }

    init(_ text: String, _ refusal: PhoneNumber.Refusal) {
      self.text = text
      result = .failure(refusal)
    }
  }

  @Test(
    "a number in international form is read, and anything else is refused with the reason",
    arguments: [
      Row("+15105551234", "+15105551234 +1 *** *** **34"),
      Row(" +1 510-555-1234 ", "+15105551234 +1 *** *** **34"),
      Row("+33612345678", "+33612345678 +33 *** *** *78"),
      Row("+352621123456", "+352621123456 +352 *** *** *56"),
      Row("+4512345678", "+4512345678 +45 *** *** 78"),
      Row("+29012345", "+29012345 +290 *** 45"),
      Row("+123456789012345", "+123456789012345 +1 *** *** *** *** 45"),
      Row("15105551234", .noPlus), Row("0033612345678", .noPlus), Row("", .noPlus),
      Row("  ", .noPlus), Row("-+15105551234", .noPlus), Row("++15105551234", .notDigits),
      Row("+1510555123a", .notDigits), Row("+44 (0)20 7946 0000", .notDigits),
      Row("+1\u{FF11}5105551234", .notDigits), Row("+1510555\t1234", .notDigits),
      Row("+1510555", .tooShort), Row("+", .tooShort), Row("+1234567890123456", .tooLong),
      Row(String(repeating: " ", count: 41), .tooLong), Row("+0123456789", .noSuchCallingCode),
      Row("+21012345678", .noSuchCallingCode), Row("+99912345678", .noSuchCallingCode),
    ])
  func reads(row: Row) { #expect(Self.read(row.text) == row.result) }

  /// MUST 1. The judge is Debian's python3-phonenumbers.
  @Test("python3-phonenumbers reads the same numbers with the same calling codes")
  func agrees() throws {
    let judged = try Command.succeed([
      "/usr/bin/python3", "-c",
      """
      import phonenumbers as p
      for region in sorted(p.SUPPORTED_REGIONS):
          for kind in range(11):
              n = p.example_number_for_type(region, kind)
              if n: print(p.format_number(n, p.PhoneNumberFormat.E164), n.country_code)
      for code in sorted(p.COUNTRY_CODE_TO_REGION_CODE):
          n = p.example_number_for_non_geo_entity(code)
          if n: print(p.format_number(n, p.PhoneNumberFormat.E164), n.country_code)
      """,
    ])
    var read = 0
    for line in judged.split(separator: "\n") {
      let fields = line.split(separator: " ")
      let (text, code) = (fields[0], fields[1])
      // National service numbers can be shorter than any that a phone receives messages at.
      guard PhoneNumber.digitCounts.contains(text.count - 1) else { continue }
      let number = try PhoneNumber(typed: Array(text.utf8).span)
      #expect(number.callingCode.length == code.count, "\(text)")
      read += 1
    }
    #expect(read > 1000)
  }

  /// MUST 1. Numbers of each length that are not possible in their country for python3-phonenumbers
  /// are accepted if they have 8 to 15 digits, and those of other lengths are refused, whatever it says.
  @Test("numbers of 8 to 15 digits are accepted, whatever lengths their country has")
  func numbersOfOtherLengths() throws {
    let judged = try Command.succeed([
      "/usr/bin/python3", "-c",
      """
      import phonenumbers as p
      names = {p.ValidationResult.IS_POSSIBLE: "possible", p.ValidationResult.TOO_SHORT: "too-short",
               p.ValidationResult.IS_POSSIBLE_LOCAL_ONLY: "local",
               p.ValidationResult.TOO_LONG: "too-long", p.ValidationResult.INVALID_LENGTH: "length",
               p.ValidationResult.INVALID_COUNTRY_CODE: "code"}
      codes = set(p.COUNTRY_CODE_TO_REGION_CODE)
      for code in sorted(codes) + [c for c in range(1, 1000) if c not in codes]:
          for digits in range(7, 17):
              text = str(code) + "2" * (digits - len(str(code)))
              try:
                  n = p.parse("+" + text, None)
                  result = names[p.is_possible_number_with_reason(n)]
              except p.NumberParseException as error:
                  result = {error.INVALID_COUNTRY_CODE: "code", error.TOO_LONG: "too-long"}.get(
                      error.error_type, "too-short")
              print("+" + text, result)
      """,
    ])
    var counts: [String: [Bool: Int]] = [:]
    for line in judged.split(separator: "\n") {
      let fields = line.split(separator: " ")
      let (text, reason) = (String(fields[0]), String(fields[1]))
      let hasOurLength = PhoneNumber.digitCounts.contains(text.count - 1)
      let isAccepted: Bool
      switch Self.read(text) {
      case .success(let shown):
        isAccepted = true
        #expect(shown.hasPrefix(text + " "))
      case .failure: isAccepted = false
      }
      // The lengths of a country do not matter; an unassigned calling code and our own lengths do.
      #expect(isAccepted == (hasOurLength && reason != "code"), "\(text) \(reason)")
      counts[reason, default: [:]][isAccepted, default: 0] += 1
    }
    // Accepted although the number is impossible: too short or too long for its country, or of a
    // length between its lengths.
    for reason in ["too-short", "too-long", "length"] {
      #expect(counts[reason]?[true] ?? 0 > 50, "\(counts)")
    }
    // Refused although it is possible: numbers of 7 and fewer digits, of small countries, and of 16
    // and more digits, which are longer than E.164 allows.
    #expect(counts["possible"]?[false] ?? 0 > 0, "\(counts)")
    #expect(counts["code"]?[true] == nil, "\(counts)")
  }

  @Test("the calling codes are those that python3-phonenumbers knows")
  func callingCodes() throws {
    let known = try Command.succeed([
      "/usr/bin/python3", "-c",
      "import phonenumbers as p; print(*sorted(p.COUNTRY_CODE_TO_REGION_CODE))",
    ]).split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
    var found: [Int] = []
    for code in 1...999 {
      let digits = Array("\(code)".utf8)
      if CallingCode(startOf: digits.span)?.length == digits.count { found.append(code) }
    }
    #expect(found.filter { !known.contains($0) } == [])
    #expect(known.filter { !found.contains($0) } == [])
  }

  @Test("a stored text is read only if it is the mask of a number")
  func stored() throws {
    for row in ["+15105551234", "+29012345", "+123456789012345"] {
      let masked = try PhoneNumber(typed: Array(row.utf8).span).masked
      #expect(MaskedPhoneNumber(ascii: masked.ascii) == masked)
      #expect(masked.ascii.count <= MaskedPhoneNumber.maximumLength)
      for index in masked.ascii.indices {
        var changed = masked.ascii
        changed.remove(at: index)
        let read = MaskedPhoneNumber(ascii: changed)
        #expect(read == nil || read?.ascii == changed)
      }
    }
    for text in ["", "+1 510 555 1234", "+1 *** *** *234", "+1 *** *** ****", "+1 **********34"] {
      #expect(MaskedPhoneNumber(ascii: Array(text.utf8)) == nil, "\(text)")
    }
  }
}

extension Span<UInt8> {
  fileprivate var text: String {
    var bytes: [UInt8] = []
    for index in indices { bytes.append(self[index]) }
    return String(decoding: bytes, as: UTF8.self)
  }
}
