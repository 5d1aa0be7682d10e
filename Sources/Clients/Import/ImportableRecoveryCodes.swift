import MFABase

/// Recovery codes that another program stored: eight digits each, the first of them not 0.
package final class ImportableRecoveryCodes: Sendable {
  /// The digits of all codes, in ASCII, concatenated.
  package let digits: SecretBytes

  /// The number of codes, 0 to `maximumCount`.
  package let count: Int

  /// The number of digits of a code.
  package static let codeLength = 8

  /// The maximum number of codes that are imported for an account.
  package static let maximumCount = 10

  /// Copies `codeLength` digits from each of `places` in `text`.
  init(copying text: Span<UInt8>, at places: [Int]) {
    var digits = SecretBytes(count: places.count * Self.codeLength)
    digits.withMutableSpan { digits in
      for (number, place) in places.enumerated() {
        for index in 0..<Self.codeLength {
          digits[number * Self.codeLength + index] = text[place + index]
        }
      }
    }
    self.digits = digits
    count = places.count
  }

  /// Returns the code at `index`, 0 to `count - 1`, as eight ASCII digits, or nothing if the index
  /// is out of range.
  package func code(at index: Int) -> SecretBytes {
    guard index >= 0, index < count else { return SecretBytes(count: 0) }
    let start = index * Self.codeLength
    return digits.withSpan { SecretBytes(copying: $0, in: start..<start + Self.codeLength) }
  }
}
