import MFABase

/// The application's reply to a question.
package enum Reply: ~Copyable {
  /// There is no answer: the application cannot ask, or the user hung up.
  case none
  /// The answer is longer than any password or code may be. None of it was kept.
  case tooLong
  /// The answer, at most 512 bytes.
  case text(SecretBytes)
}
