/// What users read at a host of a realm while no verifier answers.
package enum OfflineMessage: Equatable, Sendable {
  /// Why an offline recovery code is asked for.
  case explanation
  /// Asks for an offline recovery code.
  case prompt
  /// What was typed is no offline recovery code.
  case notACode
  /// The code is wrong or was used before.
  case wrongCode
  /// The code was accepted. This many are left for the group of hosts.
  case accepted(left: Int64)
  /// A member of the break-glass group is allowed in.
  case breakGlass
  /// A verifier may answer again in a moment.
  case tryAgain
  /// The host cannot decide: its files or its clock are not right.
  case undecidable
  /// The realm does not permit the user to sign in at the host meanwhile.
  case notPermitted
  /// The last sign-in at the host was too long ago.
  case tooLongAgo
  /// The user has no unused offline recovery code for the host.
  case noCodes
  /// The user has to wait, in seconds.
  case throttled(seconds: Int64)
  /// The user has failed too often.
  case locked
}
