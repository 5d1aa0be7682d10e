import CSpawn

extension MultiFactorError {
  /// The system's words for an error number.
  static func text(of number: Int32) -> String {
    // SAFETY: the C library returns a string that lives for ever, or null.
    guard let text = unsafe cspawn_error_text(number) else { return "error \(number)" }
    return unsafe String(cString: text)
  }
}
