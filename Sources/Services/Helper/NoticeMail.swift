import MFAFactors
import MFAAuthentication
import MFASystem

/// A mail to a user about changes to the user's factors.
struct NoticeMail {
  /// The message, headers first, in UTF-8: at most `Program.longestInput` bytes.
  let text: [UInt8]

  /// Writes a message about `notices`, which are sorted from oldest to newest. If they do not all
  /// fit, the oldest are left out.
  init(to account: Account, of notices: [Notice], from host: [UInt8]) {
    let user = String(decoding: account.name, as: UTF8.self)
    let host = String(decoding: host, as: UTF8.self)
    let head = """
      To: \(user)
      Subject: The second factor of \(user) on \(host)
      Auto-Submitted: auto-generated
      MIME-Version: 1.0
      Content-Type: text/plain; charset=UTF-8
      Content-Transfer-Encoding: 8bit

      What happened to the second factor of \(user) on \(host):


      """
    let end = """

      If you know nothing of this, tell an administrator at once: somebody else may sign in
      as you. 'mfa-enroll list' shows what is enrolled.

      """
    var room = Program.longestInput - head.utf8.count - end.utf8.count
    var lines: [String] = []
    for notice in notices.reversed() {
      let line = "  \(notice.sentence)\n"
      room -= line.utf8.count
      guard room >= 0 else { break }
      lines.append(line)
    }
    var text = Array(head.utf8)
    for line in lines.reversed() { text += Array(line.utf8) }
    self.text = text + Array(end.utf8)
  }
}
