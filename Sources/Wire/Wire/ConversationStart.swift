/// A line of a service file that calls the module.
package enum ModuleLine: UInt8, Sendable {
  case auth = 1
  case account = 2
  /// The beginning of a session. Version 2.
  case session = 3
}

/// The first message of a conversation: what PAM says about the sign-in.
package struct ConversationStart: ~Copyable {
  /// The line that called the module.
  package let line: ModuleLine
  /// The sign-in.
  package let request: SignInRequest
  /// Whether the application shows messages that are not essential.
  package let showsMessages: Bool
  /// The user who runs the application. It is trusted only if the application acts as root.
  package let caller: UInt32
  /// The note that the `auth` line of the same transaction stored, or nil.
  package let note: [UInt8]?
  /// The number of the code that the user tries, or nil if the module cannot begin again for another
  /// one (version 1).
  package let tryNumber: UInt8?
  /// How many of the tries before were counted as failed attempts.
  package let failedTries: UInt8
  /// The questions that the user answered before this conversation, in order.
  package let answered: [AnsweredQuestion]

  /// Creates a value.
  package init(
    _ line: ModuleLine, _ request: SignInRequest, showsMessages: Bool, caller: UInt32,
    note: [UInt8]?, tryNumber: UInt8?, failedTries: UInt8 = 0,
    answered: [AnsweredQuestion]
  ) {
    self.line = line
    self.request = request
    self.showsMessages = showsMessages
    self.caller = caller
    self.note = note
    self.tryNumber = tryNumber
    self.failedTries = failedTries
    self.answered = answered
  }
}
