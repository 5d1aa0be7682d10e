import MFACSpawn

extension MultiFactorError {
  /// Returns the system's description of an error number.
  static func text(of number: Int32) -> String {
    // SAFETY: the C library returns a string that is never freed, or null.
    guard let text = unsafe cspawn_error_text(number) else { return "error \(number)" }
    return unsafe String(cString: text)
  }
}
