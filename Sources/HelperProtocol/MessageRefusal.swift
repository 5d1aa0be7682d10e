/// Why bytes are no message, or a message no bytes.
public enum MessageRefusal: Error, Equatable, Sendable {
  /// The message, or a field of it, is longer than it may be.
  case tooLong
  /// The other side speaks a version that this one does not.
  case unsupportedVersion(UInt8)
  /// There is no message of this kind in this direction.
  case unknownKind(UInt8)
  /// A name for a factor that `DisplayName` refuses, in a message that is otherwise well formed.
  /// The helper may answer it and go on.
  case unsupportedDisplayName
  /// A field is missing, left over, of the wrong length or out of its range.
  case malformed
}
