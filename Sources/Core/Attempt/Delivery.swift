import MFABase
import MFAModel
import MFAWire

/// Delivery of notices by mail, in the background.
package enum Delivery {
  /// The host's mailer.
  package static var mailer: StaticString { "/usr/sbin/sendmail" }

  /// Starts `mfa-helper` to mail the notices in the account's record. The helper does not become a
  /// child of this process. If it cannot be started, the notices stay in the record, and the next
  /// delivery includes them.
  ///
  /// - Returns: Whether the helper was started, or nothing needs to be done because there is no
  ///   mailer.
  package static func start(for account: Account) -> Bool {
    guard Program.isThere(mailer) else { return true }
    guard let user = UserName(account.name), let messages = DeliveryMessages.bytes(for: user) else {
      return false
    }
    do throws(SystemError) {
      try Program.startDetached(InstalledPath.helper, input: messages)
      return true
    } catch {
      return false
    }
  }

  /// The log line about notices of an account that could not be mailed.
  package static func failure(for account: Account) -> LogLine {
    var line = LogLine()
    line.add("result", "notice-not-mailed")
    line.add("user", escaping: account.name)
    line.add("reason", "helper-not-started")
    return line
  }
}
