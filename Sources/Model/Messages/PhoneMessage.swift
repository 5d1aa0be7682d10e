/// A message to a phone.
package enum PhoneMessage: Equatable, Sendable {
  /// The text after a code. `issuer` is the name that authenticator apps show.
  case code(issuer: [UInt8])
  /// The text after a code that confirms the enrolment of the phone.
  case enrollmentCode(issuer: [UInt8])
  /// Another phone was enrolled. The message has no code.
  case phoneAdded(issuer: [UInt8])
  /// The phone was removed. The message has no code.
  case phoneRemoved(issuer: [UInt8])
}
