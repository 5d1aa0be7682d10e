import MFABase

/// A property that does not hold for an input.
struct Violation: Error, CustomStringConvertible {
  let description: String
}

/// Throws a violation if `condition` is false.
func require(_ condition: Bool, _ property: @autoclosure () -> String) throws(Violation) {
  guard condition else { throw Violation(description: property()) }
}

/// Returns the value, or throws a violation if it is nil.
func requireValue<Value>(
  _ value: Value?, _ property: @autoclosure () -> String
) throws(Violation) -> Value {
  guard let value else { throw Violation(description: property()) }
  return value
}

/// Throws a violation if `text` could control a terminal or deceive a reader: it is not UTF-8, or
/// has control characters other than those in `allowed`, or characters that change the direction of
/// writing.
func requireShowable(
  _ text: [UInt8], allowing allowed: [Unicode.Scalar] = [], _ what: String
) throws(Violation) {
  guard let string = String(validating: text, as: UTF8.self) else {
    throw Violation(description: "\(what) is not UTF-8: \(text)")
  }
  for scalar in string.unicodeScalars where !allowed.contains(scalar) {
    let isControl = scalar.properties.generalCategory == .control
    let isDirection = [
      0x061C...0x061C, 0x200E...0x200F, 0x202A...0x202E, 0x2066...0x2069,
    ].contains { (range: ClosedRange<UInt32>) in range.contains(scalar.value) }
    let isSeparator = scalar.value == 0x2028 || scalar.value == 0x2029
    try require(
      !isControl && !isDirection && !isSeparator,
      "\(what) contains U+\(String(scalar.value, radix: 16)): \(text)")
  }
}

/// Throws a violation if `text` is not one line of printable ASCII.
func requirePrintableASCII(_ text: [UInt8], _ what: String) throws(Violation) {
  try require(
    text.allSatisfy { $0 >= 0x20 && $0 < 0x7F }, "\(what) is not one line of ASCII: \(text)")
}

/// Returns the bytes of a secret, for comparisons.
func bytes(_ secret: borrowing SecretBytes) -> [UInt8] { secret.span.copied() }

/// Returns the parts of an input that stands for several texts, such as files. The byte 0x1E
/// (record separator) separates them.
func parts(of input: [UInt8], atMost count: Int) -> [[UInt8]] {
  input.split(separator: 0x1E, maxSplits: count - 1, omittingEmptySubsequences: false).map(
    Array.init)
}

/// Returns a number that depends on every byte of `input` (FNV-1a, 64 bits). It selects positions
/// in an input without a random generator, so that an input always has the same result.
func fingerprint(of input: [UInt8]) -> UInt64 {
  input.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
}

/// Returns the bytes with one bit changed; `choice` selects which.
func changingOneBit(of bytes: [UInt8], _ choice: UInt64) -> [UInt8] {
  guard !bytes.isEmpty else { return bytes }
  var changed = bytes
  changed[Int(choice % UInt64(bytes.count))] ^= 1 << UInt8(choice >> 32 & 7)
  return changed
}

/// A reader of numbers and byte strings in an input. At the end of the input every number is 0 and
/// every byte string is empty.
struct Instructions {
  private var rest: ArraySlice<UInt8>

  init(_ input: [UInt8]) { rest = input[...] }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func number() -> Int { Int(rest.popFirst() ?? 0) }

  /// Returns a number below `limit`, from two bytes, or 0 if `limit` is 0.
  mutating func number(below limit: Int) -> Int {
    let value = number() << 8 | number()
    return limit == 0 ? 0 : value % limit
  }

  mutating func bytes(atMost count: Int) -> [UInt8] {
    let length = min(number() % (count + 1), rest.count)
    defer { rest = rest.dropFirst(length) }
    return Array(rest.prefix(length))
  }

  mutating func number64() -> UInt64 {
    (0..<8).reduce(0) { number, _ in number << 8 | UInt64(rest.popFirst() ?? 0) }
  }
}
