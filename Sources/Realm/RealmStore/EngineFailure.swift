import MFABase
import MFAStore

/// The failure of an administrator's task in the database of a realm.
package struct EngineFailure: Error, Equatable, Sendable {
  /// The kind of failure.
  package let error: EngineError
  /// The message of the server or of its library, with printable characters only. It is empty if the
  /// error has no message.
  package let message: String

  /// Creates a failure. Control characters and deceptive ones in the message are replaced.
  package init(_ error: EngineError, _ message: String) {
    self.error = error
    self.message = Self.printable(message)
  }

  /// Returns the first 300 characters of a message, with "?" in place of all that are not
  /// printable.
  package static func printable(_ message: String) -> String {
    var text = ""
    for scalar in message.unicodeScalars.prefix(300) {
      text.unicodeScalars.append(scalar.isControl || scalar.isDeceptive ? "?" : scalar)
    }
    return text
  }
}
