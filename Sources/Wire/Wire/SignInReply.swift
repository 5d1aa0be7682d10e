import MFABase

/// A text that may contain a secret, to which several values refer.
package final class PrivateText: Sendable {
  /// The text.
  package let bytes: SecretBytes

  /// Takes a text over.
  package init(_ bytes: consuming SecretBytes) { self.bytes = bytes }

  /// Copies a text.
  package convenience init(copying text: Span<UInt8>) { self.init(SecretBytes(copying: text)) }

  /// Returns a copy of the text.
  package func copy() -> SecretBytes { bytes.withSpan { SecretBytes(copying: $0) } }

  /// Calls `body` with the text.
  package func withSpan<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
    bytes.withSpan { body($0) }
  }
}

/// Something that the module carries out, in the order of the reply.
package struct SignInEffect: Sendable {
  /// What is done.
  package enum Kind: UInt8, Sendable {
    /// Shows the user `text`. If `flag` is set, it is shown even if the application asked for silence.
    /// `number` is the `Style`.
    case tell = 1
    /// Writes `text` to the system log, with the priority `number` of syslog(3).
    case log = 2
    /// Writes a record to the kernel's audit trail. `text` is the encoded record.
    case audit = 3
    /// Stores `text` as the note for the `account` line. If that fails, the sign-in is denied.
    case note = 4
    /// Passes `text` to the modules that follow (PAM_AUTHTOK). If that fails, the sign-in is denied.
    case forward = 5
    /// Sets what the user is told if no further reply arrives.
    case failureText = 6
    /// Asks the user `text`, and shows the answer while it is typed. Whatever is answered, the result of
    /// this reply stands. If `continuation` is not empty, a request brings the answer to the decider, and
    /// the module carries out the effects of the reply.
    case confirm = 7
    /// Sets the last line of the question with which a sign-in ends.
    case closingPrompt = 8
  }

  /// How a text is shown.
  package enum Style: UInt8, Sendable {
    /// As an error (PAM_ERROR_MSG).
    case error = 0
    /// As an error with which the sign-in ends. After a `closingPrompt`, the text is a question.
    case ending = 1
    /// As information (PAM_TEXT_INFO).
    case information = 2
  }

  package private(set) var kind: Kind
  package private(set) var flag = false
  package private(set) var number: UInt8 = 0
  package private(set) var text: PrivateText
  package private(set) var continuation: [UInt8] = []

  private init(
    _ kind: Kind, flag: Bool = false, number: UInt8 = 0, _ text: PrivateText,
    continuation: [UInt8] = []
  ) {
    self.kind = kind
    self.flag = flag
    self.number = number
    self.text = text
    self.continuation = continuation
  }

  /// Shows a text.
  package static func tell(
    _ text: Span<UInt8>, as style: Style = .error, essential: Bool
  ) -> SignInEffect {
    SignInEffect(.tell, flag: essential, number: style.rawValue, PrivateText(copying: text))
  }

  /// Writes a line to the system log.
  package static func log(_ priority: LogPriority, _ line: LogLine) -> SignInEffect {
    let text = line.text
    return SignInEffect(
      .log, number: UInt8(truncatingIfNeeded: priority.number), PrivateText(copying: text.span))
  }

  /// Writes a record to the audit trail.
  package static func audit(_ record: Audit.Record) -> SignInEffect {
    let message = AuditMessage(record)
    return SignInEffect(.audit, PrivateText(message.packet() ?? SecretBytes(count: 0)))
  }

  /// Stores a note about an account.
  package static func note(_ note: TransactionNote, of name: [UInt8]) -> SignInEffect {
    let text = [note.rawValue] + name
    return SignInEffect(.note, PrivateText(copying: text.span))
  }

  /// Passes a password on.
  package static func forward(_ password: consuming SecretBytes) -> SignInEffect {
    SignInEffect(.forward, PrivateText(password))
  }

  /// Sets the text for a failure.
  package static func failureText(_ text: Span<UInt8>) -> SignInEffect {
    SignInEffect(.failureText, PrivateText(copying: text))
  }

  /// Sets the last line of the question with which a sign-in ends.
  package static func closingPrompt(_ text: Span<UInt8>) -> SignInEffect {
    SignInEffect(.closingPrompt, PrivateText(copying: text))
  }

  /// Asks without an influence on the result.
  package static func confirm(
    _ prompt: consuming SecretBytes, continuation: [UInt8]
  ) -> SignInEffect {
    SignInEffect(.confirm, PrivateText(prompt), continuation: continuation)
  }

  /// How the text of an effect `tell` is shown. An unknown number is an error.
  package var style: Style { Style(rawValue: number) ?? .error }

  /// The audit record of an effect of this kind, or nil if it is malformed.
  package var auditRecord: Audit.Record? {
    do throws(PacketError) {
      return try AuditMessage(packet: text.copy()).record
    } catch {
      return nil
    }
  }

  /// An effect whose fields are read next.
  static var placeholder: SignInEffect {
    SignInEffect(.tell, PrivateText(SecretBytes(count: 0)))
  }

  mutating func fields(_ coder: inout Coder) throws(PacketError) {
    try coder.choice(&kind)
    try coder.flag(&flag)
    try coder.number(&number)
    var bytes = text.copy()
    try coder.secret(&bytes)
    text = PrivateText(bytes)
    try coder.bytes(&continuation, longest: SignInCall.longestContinuation)
  }
}

/// A note from the `auth` line to the `account` line of the same sign-in. It is stored as the raw
/// value followed by the account's name.
package enum TransactionNote: UInt8, Sendable {
  /// The account must enrol in the `account` line.
  case enrollment = 0x65
  /// A bypass code was accepted for an account that has no factor.
  case bypass = 0x62
  /// The `auth` line accepted a code of an account that has a factor.
  case allowed = 0x61
}

/// A record for the kernel's audit trail.
private struct AuditMessage: WireMessage {
  static var kind: UInt8 { 0x86 }

  private var isManagement = false
  private var operation: [UInt8] = []
  private var account: [UInt8] = []
  private var address: [UInt8]?
  private var terminal: [UInt8]?
  private var succeeded = false

  init() {}

  init(_ record: Audit.Record) {
    isManagement = record.kind == .management
    operation = record.operation
    account = record.account
    address = record.address
    terminal = record.terminal
    succeeded = record.succeeded
  }

  var record: Audit.Record {
    Audit.Record(
      kind: isManagement ? .management : .authentication, operation: operation, account: account,
      address: address, terminal: terminal, succeeded: succeeded)
  }

  mutating func fields(_ coder: inout Coder) throws(PacketError) {
    try coder.flag(&isManagement)
    try coder.bytes(&operation)
    try coder.bytes(&account)
    try coder.bytes(&address)
    try coder.bytes(&terminal)
    try coder.flag(&succeeded)
  }
}

/// What the decider answers to a request of the module.
package struct SignInReply: WireMessage {
  package static var kind: UInt8 { 0x81 }

  /// What follows when the effects have been carried out.
  package enum End: Sendable {
    /// The line ends with this verdict, a number of mfa.h.
    case verdict(UInt8)
    /// The user is asked. The answer comes with the continuation, in a request that is otherwise the same.
    case question(PrivateText, echo: Bool, continuation: [UInt8])
    /// The same request is sent again, with facts about the application's process.
    case facts
    /// The decider has too many connections of this user.
    case busy
  }

  /// What the module carries out, in this order.
  package private(set) var effects: [SignInEffect]
  /// What follows.
  package private(set) var end: End

  /// The largest number of effects.
  package static let mostEffects: UInt8 = 64

  /// Returns whether a packet is the reply `busy` alone, which is sent before the request is read.
  package static func isBusy(_ packet: Span<UInt8>) -> Bool {
    packet.count == 4 && packet[0] == kind && packet[1] == Coder.version && packet[2] == 0
      && packet[3] == 4
  }

  /// Creates a reply that denies.
  package init() { self.init([], .verdict(0)) }

  /// Creates a reply.
  package init(_ effects: [SignInEffect], _ end: End) {
    self.effects = effects
    self.end = end
  }

  /// Lists the fields.
  package mutating func fields(_ coder: inout Coder) throws(PacketError) {
    try coder.list(&effects, most: Self.mostEffects, placeholder: .placeholder) {
      effect, coder throws(PacketError) in try effect.fields(&coder)
    }
    var kind: UInt8
    var (number, echo): (UInt8, Bool) = (0, false)
    var continuation: [UInt8] = []
    var text = SecretBytes(count: 0)
    switch end {
    case .verdict(let verdict): (kind, number) = (1, verdict)
    case .question(let prompt, let isShown, let following):
      (kind, echo, continuation) = (2, isShown, following)
      text = prompt.copy()
    case .facts: kind = 3
    case .busy: kind = 4
    }
    try coder.number(&kind)
    switch kind {
    case 1:
      try coder.number(&number)
      end = .verdict(number)
    case 2:
      try coder.secret(&text)
      try coder.flag(&echo)
      try coder.bytes(&continuation, longest: SignInCall.longestContinuation)
      end = .question(PrivateText(text), echo: echo, continuation: continuation)
    case 3: end = .facts
    case 4: end = .busy
    case _: throw .malformed
    }
  }
}
