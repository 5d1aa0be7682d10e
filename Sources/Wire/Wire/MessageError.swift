/// Why bytes cannot be parsed as a message, or a message cannot be encoded.
package enum MessageError: Error, Equatable, Sendable {
  /// The message, or a field in it, is too long.
  case tooLong
  /// The other side uses a different version of the protocol.
  case unsupportedVersion(UInt8)
  /// No message in this direction has this kind.
  case unknownKind(UInt8)
  /// `DisplayName` refuses the factor's name; the message is otherwise well formed. The helper can
  /// answer the message and continue.
  case unsupportedDisplayName
  /// A field is missing, superfluous, of the wrong length or out of range.
  case malformed
}
