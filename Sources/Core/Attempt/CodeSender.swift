import MFABase
import MFAModel
import MFAStore
import MFAWire

/// The way to phones: the host's limits, and the gateway.
package protocol CodeSender {
  /// Counts a message to a phone number, unless a limit of the host is reached.
  func admit(
    _ number: Span<UInt8>, by cause: SendCause, limits: HostSendLimits, now: Int64
  ) throws(FactorStoreError) -> SendLog.Admission

  /// Hands a message to the gateway, and waits for the result.
  func send(_ message: borrowing GatewayMessage) -> GatewayReply

  /// Records that the user typed the code of a message.
  func markReturned(_ message: SendID)

  /// Records that the gateway did not send a message.
  func markFailed(_ message: SendID)

  /// Records that a message has no code that a user could type.
  func markNotice(_ message: SendID)
}

/// The limits and the gateway of this host.
package struct HostCodeSender: CodeSender {
  /// Creates a sender. Opens nothing.
  package init() {}

  private func history() throws(FactorStoreError) -> SendLog {
    guard let location = StoreLocation.standard else { throw .damaged(.directory) }
    return SendLog(location, log: { line in Log.write(.warning, line) })
  }

  /// Counts the message in /var/lib/mfa/phone.
  package func admit(
    _ number: Span<UInt8>, by cause: SendCause, limits: HostSendLimits, now: Int64
  ) throws(FactorStoreError) -> SendLog.Admission {
    try history().admit(number, by: cause, limits: limits, now: now)
  }

  /// Hands the message to /run/mfa/gateway.
  package func send(_ message: borrowing GatewayMessage) -> GatewayReply {
    GatewayConnection().send(message)
  }

  /// Records it in /var/lib/mfa/phone. An error is logged only: the code was accepted.
  package func markReturned(_ message: SendID) {
    do throws(FactorStoreError) { try history().markReturned(message) } catch { report(error) }
  }

  /// Records it in /var/lib/mfa/phone. An error is logged only: the message counts as sent.
  package func markFailed(_ message: SendID) {
    do throws(FactorStoreError) { try history().markFailed(message) } catch { report(error) }
  }

  /// Records it in /var/lib/mfa/phone. An error is logged only: the message was sent.
  package func markNotice(_ message: SendID) {
    do throws(FactorStoreError) { try history().markNotice(message) } catch { report(error) }
  }

  private func report(_ error: FactorStoreError) {
    var line = LogLine()
    line.add("result", "error")
    line.add(error)
    Log.write(.error, line)
  }
}

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
