// What the entries of the keys about phones can be, for programs that write these keys.
extension Configuration {
  /// The maximum number of entries of `phone_test_numbers`.
  package static var maximumTestNumbers: Int { 10 }

  /// Returns whether a text is valid as an entry of `regions`.
  package static func isRegion(_ text: Span<UInt8>) -> Bool {
    ConfigurationValueType.isCallingCode(text)
  }

  /// Returns whether a text is valid as the number of an entry of `phone_test_numbers`.
  package static func isTestNumber(_ text: Span<UInt8>) -> Bool {
    ConfigurationValueType.isTestNumber(text)
  }

  /// Returns whether a text is valid as the code of an entry of `phone_test_numbers`.
  package static func isTestCode(_ text: Span<UInt8>) -> Bool {
    ConfigurationValueType.isTestCode(text)
  }
}
