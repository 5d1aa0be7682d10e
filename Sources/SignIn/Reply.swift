public import Secrets

/// How the application answered a question.
public enum Reply: ~Copyable {
  /// It did not: it cannot ask, or the person hung up.
  case none
  /// With more than any password or code may hold; nothing of it was kept.
  case tooLong
  /// With these bytes, at most 512.
  case text(SecretBytes)
}
