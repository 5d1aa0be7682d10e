import MFABase
import MFAMessages
import MFAModel
import MFAWire

/// The PAM application as one request of the module describes it, and what the module is to carry out.
final class CallingApplication {
  /// Whether messages that are not essential are shown.
  let showsMessages: Bool
  /// True if the locale of the application's user stands for UTF-8 or is unknown.
  let usesUTF8: Bool
  /// The authentication methods that succeeded before PAM ran (SSH_AUTH_INFO_0): empty if there were none,
  /// nil if the report was too long.
  let earlierMethods: [UInt8]?
  /// The facts about the process; nil before they were asked for. Those of an application that does not act
  /// as root are not certain, and are dropped.
  let facts: ApplicationFacts?
  /// The sealed continuation; empty in the first request.
  let continuation: [UInt8]
  private var earlierAnswer: Reply
  private var answer: Reply
  private var storedNote: [UInt8]?
  /// Whether the answer to the last question has not been used yet.
  private(set) var isAnswered: Bool
  /// What the module carries out.
  private(set) var effects: [SignInEffect] = []
  private var language = Language.english

  /// Takes over the request of an application.
  init(_ call: consuming SignInCall, actsAsRoot: Bool) {
    var call = call
    showsMessages = call.showsMessages
    usesUTF8 = call.usesUTF8
    earlierMethods = call.earlierMethods
    facts = actsAsRoot ? call.facts : nil
    continuation = call.continuation
    storedNote = call.note
    isAnswered = !call.continuation.isEmpty
    earlierAnswer = call.takeEarlierAnswer()
    answer = call.takeAnswer()
  }

  /// Takes the answer to the last question.
  func takeAnswer() -> Reply {
    isAnswered = false
    var taken = Reply.absent
    swap(&taken, &answer)
    return taken
  }

  /// Drops an answer whose question is not asked any more.
  func discardAnswer() { _ = takeAnswer() }

  /// Takes what was typed for an earlier module.
  func takeEarlierAnswer() -> Reply {
    var taken = Reply.absent
    swap(&taken, &earlierAnswer)
    return taken
  }

  /// Returns whether the `auth` line stored a note for an account.
  func isNoted(_ note: TransactionNote, of name: [UInt8]) -> Bool {
    storedNote == [note.rawValue] + name
  }

  // MARK: Effects

  /// Adds an effect.
  func add(_ effect: SignInEffect) { effects.append(effect) }

  /// Writes a line to the system log.
  func log(_ priority: LogPriority, _ line: LogLine) { add(.log(priority, line)) }

  /// Writes a record to the kernel's audit trail.
  func audit(_ record: Audit.Record) { add(.audit(record)) }

  /// Stores a note for the `account` line.
  func note(_ note: TransactionNote, of name: [UInt8]) {
    storedNote = [note.rawValue] + name
    add(.note(note, of: name))
  }

  /// Sets the language of what the module tells if no further reply arrives. Returns whether it has changed.
  func use(_ language: Language) -> Bool {
    guard language != self.language else { return false }
    self.language = language
    let text = SignInMessage.unavailable.text(in: language).wrapped(to: MessageText.moduleColumns)
    add(.failureText(text.utf8.span))
    return true
  }
}

extension SignInRequest {
  /// The source of the sign-in, for the log and for notices.
  var source: Source { Source(remoteHost: remoteHost, terminal: terminal) }

  /// Whether the application runs on the user's own terminal, as `login`, `su` and `sudo` do: PAM
  /// names a terminal and no remote host. The terminal of sshd is "ssh", and that of cron is
  /// "cron".
  var isAtTerminal: Bool {
    guard remoteHost?.isEmpty ?? true, let terminal else { return false }
    let names: [StaticString] = ["/dev/tty", "/dev/pts/", "tty", "pts/"]
    return names.contains { terminal.starts(with: $0.bytes) }
  }
}
