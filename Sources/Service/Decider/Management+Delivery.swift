import MFAStore
import MFABase
import MFAModel
import MFAAttempt
import MFAMessages
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
    let notices = record.notices.filter { $0.number > record.noticesMailed }
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
    do throws(FactorStoreError) {
      return try host.store().kept(for: account)
    } catch {
      throw failure(error)
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
