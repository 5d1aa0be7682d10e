import MFABase
import MFAImport

/// Returns the bytes of a secret, for comparisons.
func bytes(_ secret: borrowing SecretBytes) -> [UInt8] {
  secret.withSpan { span in
    var bytes: [UInt8] = []
    for index in span.indices { bytes.append(span[index]) }
    return bytes
  }
}

extension ImportableFactor {
  /// The bytes of the key.
  var key: [UInt8] { secret.withSpan { span in span.indices.map { span[$0] } } }
}

extension ImportableRecoveryCodes {
  /// All codes as text.
  var texts: [String] {
    (0..<count).map { String(decoding: bytes(code(at: $0)), as: UTF8.self) }
  }
}
