import MFAAttempt
import MFABase
import MFAMessages
import MFAModel
import MFAStore
import MFAWire

// Notices by mail. The mail is sent as soon as the change is on the disk, by a process that the
// caller can neither signal nor end. A notice that could not be mailed stays in the record, and the
// next change or sign-in mails it. Two processes that run at the same time may both mail a notice.
extension Management {
  /// Starts a process that mails the caller's notices, and does not wait for it.
  func deliverInBackground() {
    guard !host.deliverNotices(to: caller) else { return }
    log(.warning, Delivery.failure(for: caller))
  }

  /// Mails a user's notices that have not been mailed yet.
  package func deliver(to user: UserName) throws(HelperFailure) {
    guard servesAllUsers || user.bytes == caller.name else { throw .notPermitted }
    guard let account = try account(user) else { throw .notPermitted }
    guard let record = try record(of: account) else { return }
    // The first recovery codes are part of the first enrolment.
    let notices = record.notices.filter {
      $0.number > record.noticesMailed
        && ($0.kind != .recoveryCodesMade || $0.subject.needsConfirmation)
    }
    guard !notices.isEmpty else { return }
    let message = NoticeMail(
      to: account, of: notices, from: Self.hostName(), in: record.language ?? .english
    ).text
    let mailing = mail(message, account.name)
    report(mailing, account)
    switch mailing {
    case .sent: try mark(record.lastNotice, account)
    case .noMailer, .refused, .failed: return
    }
  }

  private func account(_ user: UserName) throws(HelperFailure) -> Account? {
    do throws(SystemError) { return try host.account(named: user.bytes) } catch {
      throw .internalError
    }
  }

  /// Returns an account's record, read without a lock.
  private func record(of account: Account) throws(HelperFailure) -> FactorRecord? {
    try storing { () throws(FactorStoreError) in
      try host.store().kept(for: account)
    }
  }

  private func mark(_ number: UInt32, _ account: Account) throws(HelperFailure) {
    do throws(FactorStoreError) {
      let store = try host.store()
      try store.deciding { () throws(FactorStoreError) in
        let entry = try store.entry(of: account, creating: false)
        guard var record = entry.kept else { return }
        record.mailed(upTo: number)
        _ = try entry.replace(record: record, attempts: entry.attempts, entering: nil)
      }
    } catch {
      throw failure(error)
    }
  }

  private func report(_ mailing: Mailing, _ account: Account) {
    var line = LogLine()
    line.add("result", "notice-not-mailed")
    line.add("user", escaping: account.name)
    switch mailing {
    case .sent, .noMailer: return
    case .refused(let status):
      line.add("reason", "mailer-failed")
      line.add("status", Int64(status))
    case .failed(let error):
      line.add("reason", "mailer-not-started")
      line.add("errno", escaping: Array(error.name.utf8))
    }
    log(.warning, line)
  }
}

// Messages to phones about changes. They have no code.
extension Management {
  /// For how long messages about a change are sent, in seconds. A message that does not fit is left
  /// out, because the resident service ends a process that is busy for 60 seconds.
  private static var noticeTime: Int64 { 20 }

  /// Messages that are sent after the response to the client.
  struct PhoneNotices {
    let message: PhoneMessage
    let phones: [PhoneNotice]
  }

  /// Prepares the message to a phone that is about to be removed.
  func noticesOfRemoval(
    of factor: Factor, in entry: Machine.Store.Entry, _ settings: Settings
  ) -> PhoneNotices {
    PhoneNotices(
      message: .phoneRemoved(issuer: issuer(settings)),
      phones: PhoneNotice.notices(for: [factor], in: entry, settings))
  }

  /// Sends the messages about the last change. The client has its response already, so that a slow
  /// gateway does not delay it.
  mutating func sendPhoneNotices() {
    guard let notices = phoneNotices else { return }
    phoneNotices = nil
    let text = notices.message.text(in: language).utf8
    let beginning = secondsSinceBoot()
    for phone in notices.phones {
      guard let beginning, let time = secondsSinceBoot(), time &- beginning < Self.noticeTime
      else { return }
      guard send(text, to: phone) else { return }
    }
  }

  private func secondsSinceBoot() -> Int64? {
    do throws(SystemError) { return try Clock.sinceBoot() } catch { return nil }
  }

  /// Sends a message, and returns whether another one may be sent.
  private func send(_ text: [UInt8], to phone: PhoneNotice) -> Bool {
    do throws(HelperFailure) {
      let limits = try settings().hostSendLimits
      let now = try now()
      let result = try storing { () throws(FactorStoreError) in
        try phone.send(text.span, by: host.codeSender, limits, now: now)
      }
      var line = LogLine()
      switch result {
      case .sent(let id):
        line.add("result", "notice-sent")
        addCaller(to: &line)
        line.add("message", escaping: id.text)
        log(.information, line)
        return true
      case .refused(let refusal): line.add("reason", refusal.name)
      case .failed(let reply): line.add("reason", reply.name)
      }
      var failed = LogLine()
      failed.add("result", "notice-not-sent")
      addCaller(to: &failed)
      failed.append(line)
      log(.warning, failed)
      if case .refused(.numberHourly) = result { return true }
      return false
    } catch {
      return false
    }
  }
}

/// A mail to a user about changes to the user's factors.
struct NoticeMail {
  /// The message, headers first, in UTF-8: at most `Program.longestInput` bytes.
  let text: [UInt8]

  /// The longest line of a mail, in columns.
  private static var columns: Int { 76 }
  /// The columns before a notice.
  private static var margin: MessageText { "  " }

  /// Writes a message about `notices`, which are sorted from oldest to newest and not empty. If they do not all
  /// fit, the oldest are left out. The subject says what happened first.
  init(to account: Account, of notices: [Notice], from host: [UInt8], in language: Language) {
    let changes = EqualNotices.joining(notices)
    let subject =
      changes.first.map {
        MailMessage.subject(
          $0.last.change, hasMore: changes.count > 1, user: account.name, host: host
        ).text(in: language)
      } ?? ""
    let introduction = MailMessage.introduction(user: account.name, host: host)
    let advice = MailMessage.advice.text(in: language).wrapped(to: Self.columns)
    let head: MessageText = """
      To: \(account.name)
      Subject: \(EncodedHeader.text(subject.utf8))
      Auto-Submitted: auto-generated
      MIME-Version: 1.0
      Content-Type: text/plain; charset=UTF-8
      Content-Transfer-Encoding: 8bit

      \(introduction.text(in: language).wrapped(to: Self.columns))


      """
    let end: MessageText = "\n\(advice)\n"
    var room = Program.longestInput - head.utf8.count - end.utf8.count
    var lines: [[UInt8]] = []
    for change in changes.reversed() {
      let line: MessageText = "\(Self.indented(change.text(in: language)))\n"
      room -= line.utf8.count
      guard room >= 0 else { break }
      lines.append(line.utf8)
    }
    var text = head.utf8
    for line in lines.reversed() { text += line }
    self.text = text + end.utf8
  }

  /// Returns a text in lines that begin after the margin.
  private static func indented(_ text: MessageText) -> MessageText {
    let lines = text.wrapped(to: columns &- margin.utf8.count).utf8.split(
      separator: UInt8(ascii: "\n"))
    var indented: [UInt8] = []
    for line in lines {
      if !indented.isEmpty { indented.append(UInt8(ascii: "\n")) }
      indented += margin.utf8 + line
    }
    return MessageText(indented)
  }
}

/// The text of a mail header that is not ASCII (RFC 2047).
enum EncodedHeader {
  /// The number of bytes in one encoded word. An encoded word has at most 75 characters, of which
  /// each byte takes three.
  private static var bytesInWord: Int { 18 }

  /// Returns text as it is if it is ASCII, and otherwise as encoded words in the encoding `Q`, each
  /// on a line of its own. No character is divided between words (RFC 2047, section 5).
  static func text(_ text: [UInt8]) -> [UInt8] {
    guard text.contains(where: { $0 >= 0x80 }) else { return text }
    var encoded: [UInt8] = []
    var count = 0
    for (index, byte) in text.enumerated() {
      let beginsCharacter = byte & 0xC0 != 0x80
      // The longest character has four bytes.
      if index == 0 || (beginsCharacter && count &+ 4 > bytesInWord) {
        if index > 0 { encoded += ("?=\n " as StaticString).bytes }
        encoded += ("=?UTF-8?Q?" as StaticString).bytes
        count = 0
      }
      encoded.append(UInt8(ascii: "="))
      for digit in Hexadecimal.digits(of: byte, .upper) { encoded.append(digit) }
      count &+= 1
    }
    return encoded + ("?=" as StaticString).bytes
  }
}

/// The result of sending a mail.
package enum Mailing: Equatable, Sendable {
  /// The host's mailer accepted it.
  case sent
  /// The host has no mailer.
  case noMailer
  /// The mailer ended with this status, or was killed (-1).
  case refused(Int32)
  /// The mailer could not be started.
  case failed(SystemError)

  /// The longest time that the mailer may run, in seconds.
  private static var patience: Int32 { 60 }

  /// Passes a message, headers first, to the host's `sendmail`.
  package static func send(_ message: [UInt8], to recipient: [UInt8]) -> Mailing {
    do throws(SystemError) {
      let end = try Program.mail(message, to: recipient, with: Delivery.mailer, seconds: patience)
      return switch end {
      case .exited(0): .sent
      case .exited(let status): .refused(status)
      case .killed: .refused(-1)
      }
    } catch {
      return error.isNotFound ? .noMailer : .failed(error)
    }
  }
}
