/// Why a message is sent, and on whose behalf. The limits depend on both.
package struct SendCause: Equatable, Sendable {
  /// What a message is for.
  package enum Purpose: UInt8, Sendable {
    /// It has a code for a sign-in.
    case signIn = 0
    /// It has a code that confirms a number, which may belong to another user.
    case enrolment = 1
    /// It has no code: a message about a change, or a test of an administrator.
    case notice = 2
  }

  /// What the message is for.
  package let purpose: Purpose

  /// The uid of the account that the message is sent for.
  package let user: UInt32

  /// Creates a cause.
  package init(_ purpose: Purpose, of user: UInt32) {
    self.purpose = purpose
    self.user = user
  }
}
