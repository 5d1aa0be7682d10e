import MFABase

extension LocalFactorStore {
  /// Seals a continuation under the key in /etc/mfa.
  package func seal(
    continuation: Span<UInt8>, binding: [UInt8]
  ) throws(FactorStoreError) -> [UInt8] {
    var key = try key()
    return try key.seal(continuation: continuation, binding: binding)
  }

  /// Opens a continuation.
  package func open(
    continuation: [UInt8], binding: [UInt8]
  ) throws(FactorStoreError) -> SecretBytes? {
    var key = try key()
    return try key.open(continuation: continuation, binding: binding)
  }
}
