import MFABase

extension MultiFactorError {
  /// Returns the system's description of an error number.
  static func text(of number: Int32) -> String { SystemError(.process, number: number).text }
}
