import FactorStore
import Factors
import HelperProtocol
import Secrets
import SignIn
import System

// Notices by mail. The mail starts right after the change is on the disk, in a process that the caller
// can neither signal nor keep from ending. A notice that was not mailed stays in the record, and the
// next change or sign-in mails it. A mail may be sent twice, where two processes send it at once.
extension Conversation {
  /// Has the caller's notices mailed by a process that nobody waits for.
  func deliverInBackground() {
    guard !host.deliverNotices(to: caller) else { return }
    log(.warning, Event.undelivered(caller))
  }

  /// Mails what happened to a user's factors and was not mailed yet.
  func deliver(to user: UserName) throws(HelperFailure) {
    guard servesEverybody || user.bytes == caller.name else { throw .notPermitted }
    guard let account = try account(user) else { throw .notPermitted }
    // The record is read without a lock. The process keeps its caller's identity, and counts as the
    // caller's process, unless there is a notice to mail.
    guard let record = try record(of: account) else { return }
    let notices = record.notices.filter { $0.number > record.noticesMailed }
    guard !notices.isEmpty else { return }
    // The mailer must have no identity but the system user's.
    guard proof.retire() else { throw .internalError }
    let message = NoticeMail(to: account, of: notices, from: Self.hostName()).text
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

  /// What is kept for an account, read without a lock.
  private func record(of account: Account) throws(HelperFailure) -> FactorRecord? {
    do throws(FactorStoreError) {
      return try host.store().kept(for: account)
    } catch {
      throw failure(error)
    }
  }

  private func mark(_ number: UInt32, _ account: Account) throws(HelperFailure) {
    do throws(FactorStoreError) {
      let entry = try host.store().entry(of: account, creating: false)
      guard var record = entry.kept else { return }
      record.mailed(upTo: number)
      _ = try entry.replace(record: record, attempts: entry.attempts, entering: nil)
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
