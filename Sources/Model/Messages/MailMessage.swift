/// The parts of a mail about changes of a user's factors.
package enum MailMessage: Equatable, Sendable {
  case subject(user: [UInt8], host: [UInt8])
  /// The line above the list of changes.
  case introduction(user: [UInt8], host: [UInt8])
  /// What to do if the user did not make the changes.
  case advice
}
