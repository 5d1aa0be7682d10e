import MFABase

/// Why a program or a command of a realm failed, with what to do about it.
package struct RealmError: Error, Equatable, Sendable {
  /// What failed, and why.
  package let text: String
  /// What to do next, or nil.
  package let hint: String?

  /// Creates an error.
  package init(_ text: String, hint: String? = nil) {
    self.text = text
    self.hint = hint
  }

  /// Runs code that calls the system. The error of a call that fails says what could not be done, and why.
  package static func onSystem<Result: ~Copyable>(
    _ failure: String, _ body: () throws(SystemError) -> Result
  ) throws(RealmError) -> Result {
    do throws(SystemError) { return try body() } catch {
      throw RealmError("\(failure): \(error.text)")
    }
  }

  /// Writes the error to the standard error, in the format of a program.
  package func report(by program: StaticString) {
    StandardError.write(Array("\(program): error: \(text)\n".utf8))
    if let hint { StandardError.write(Array("hint: \(hint)\n".utf8)) }
  }
}
