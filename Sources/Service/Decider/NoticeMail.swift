import MFAAttempt
import MFABase
import MFAModel
import MFAMessages

/// A mail to a user about changes to the user's factors.
struct NoticeMail {
  /// The message, headers first, in UTF-8: at most `Program.longestInput` bytes.
  let text: [UInt8]

  /// The longest line of a mail, in columns.
  private static var columns: Int { 76 }

  /// Writes a message about `notices`, which are sorted from oldest to newest. If they do not all
  /// fit, the oldest are left out.
  init(to account: Account, of notices: [Notice], from host: [UInt8], in language: Language) {
    let subject = MailMessage.subject(user: account.name, host: host).text(in: language)
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
    for notice in notices.reversed() {
      let line: MessageText = "  \(notice.text(in: language))\n"
      room -= line.utf8.count
      guard room >= 0 else { break }
      lines.append(line.utf8)
    }
    var text = head.utf8
    for line in lines.reversed() { text += line }
    self.text = text + end.utf8
  }
}
