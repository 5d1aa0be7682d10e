import MFAWire
import MFABase

/// What the module needs from the PAM application to answer the resident service: the calls of
/// `Application`, with text as the service sends it.
package protocol ModuleApplication: Application {
  /// Shows a message to the user.
  func tell(_ text: consuming SecretBytes, essential: Bool)

  /// Writes a line of this priority of syslog(3) to the system log.
  func log(_ priority: Int32, _ line: [UInt8])

  /// The note in the PAM transaction, or nil.
  var storedNote: [UInt8]? { get }

  /// Stores a note in the PAM transaction, and returns whether that succeeded.
  func store(note: [UInt8]) -> Bool
}

extension PAMApplication: ModuleApplication {}
