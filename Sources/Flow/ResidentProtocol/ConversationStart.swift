public import MFAApplication

/// A line of a service file that calls the module.
public enum ModuleLine: UInt8, Sendable {
  case auth = 1
  case account = 2
  /// The beginning of a session. Version 2.
  case session = 3
}

/// The first message of a conversation: what PAM says about the sign-in.
public struct ConversationStart: ~Copyable {
  /// The line that called the module.
  public let line: ModuleLine
  /// The sign-in.
  public let request: SignInRequest
  /// Whether the application shows messages that are not essential.
  public let showsMessages: Bool
  /// The user who runs the application. It is trusted only if the application acts as root.
  public let caller: UInt32
  /// The note that the `auth` line of the same transaction stored, or nil.
  public let note: [UInt8]?
  /// The number of the code that the user tries, or nil if the module cannot begin again for another
  /// one (version 1).
  public let tryNumber: UInt8?
  /// How many of the tries before were counted as failed attempts.
  public let failedTries: UInt8
  /// The questions that the user answered before this conversation, in order.
  public let answered: [AnsweredQuestion]

  /// Creates a value.
  public init(
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
