#if Fleet
import GRPCCore

/// Messages of gRPC that are byte strings.
struct ByteStringsCoder: MessageSerializer, MessageDeserializer {
  func serialize<Bytes: GRPCContiguousBytes>(_ message: [[UInt8]]) throws -> Bytes {
    Bytes(ByteStrings.encoded(message))
  }

  func deserialize<Bytes: GRPCContiguousBytes>(_ bytes: Bytes) throws -> [[UInt8]] {
    // SAFETY: the bytes are copied while they are valid.
    let message = unsafe bytes.withUnsafeBytes { unsafe [UInt8]($0) }
    guard let strings = ByteStrings.decoded(message.span) else {
      throw RPCError(code: .invalidArgument, message: "a message is cut off")
    }
    return strings
  }
}
#endif
