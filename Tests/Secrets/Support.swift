import CSecretsTesting
import Secrets
import Testing

/// The bytes that hexadecimal digits stand for; spaces are skipped.
func hexadecimal(_ text: String) -> [UInt8] {
  let digits = text.compactMap(\.hexDigitValue)
  precondition(digits.count % 2 == 0, "an odd number of digits")
  return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

extension SecretBytes {
  /// A copy that a test may compare and print.
  var revealed: [UInt8] { revealedBytes(span) }
}

/// A copy that a test may compare and print.
func revealedBytes(_ span: Span<UInt8>) -> [UInt8] {
  var bytes: [UInt8] = []
  for index in span.indices { bytes.append(span[index]) }
  return bytes
}

/// Returns whether libcrypto is mapped into this process.
func libcryptoIsLoaded() throws -> Bool {
  let answer = testing_libcrypto_is_mapped()
  try #require(answer >= 0)
  return answer == 1
}

/// What was being done when it failed; nil when it did not.
func failure(
  of body: () throws(CryptographyError) -> Void
) -> CryptographyError.Operation? {
  do throws(CryptographyError) {
    try body()
    return nil
  } catch {
    return error.operation
  }
}

/// `constantTimeEquals` for what the macros of the test library can take apart.
func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
  constantTimeEquals(left.span, right.span)
}

/// What base32 says; nil when it is refused.
func decoded(_ text: [UInt8]) -> [UInt8]? {
  Base32.decode(text.span)?.revealed
}
