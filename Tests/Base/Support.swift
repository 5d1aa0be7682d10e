import MFABase
import MFACSecretsTesting
import MFACrypto
import Testing

/// Returns the bytes of hexadecimal digits; spaces are skipped.
func hexadecimal(_ text: String) -> [UInt8] {
  let digits = text.compactMap(\.hexDigitValue)
  precondition(digits.count % 2 == 0, "an odd number of digits")
  return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

extension SecretBytes {
  /// A copy that a test may compare and print.
  var revealed: [UInt8] { revealedBytes(span) }
}

/// Returns a copy that a test may compare and print.
func revealedBytes(_ span: Span<UInt8>) -> [UInt8] {
  var bytes: [UInt8] = []
  for index in span.indices { bytes.append(span[index]) }
  return bytes
}

/// Returns the name of the failure, or nil if there is none.
func failure(of body: () throws(SystemError) -> Void) -> String? {
  do throws(SystemError) {
    try body()
    return nil
  } catch {
    return error.name
  }
}

/// Calls `constantTimeEquals` with arguments that the macros of the test library accept.
func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
  constantTimeEquals(left.span, right.span)
}

/// Returns the bytes of a base32 text, or nil if it is refused.
func decoded(_ text: [UInt8]) -> [UInt8]? {
  Base32.decode(text.span)?.revealed
}
