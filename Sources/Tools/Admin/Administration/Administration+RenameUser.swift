import MFAStore
import MFABase
import MFAModel

// Moves the record of a user whose account has another name (`usermod -l`) or another user ID (`usermod -u`).
extension Administration {
  /// An account whose user ID has a record under an earlier name.
  package struct RenamedAccount: Equatable {
    /// The name of the record, which no account has now.
    package let earlier: UserName
    /// The account with the user ID of the record.
    package let account: Account
  }

  /// Returns the accounts whose user IDs have records under earlier names.
  package func renamedUsers() throws(AdminError) -> [RenamedAccount] {
    var renamed: [RenamedAccount] = []
    var byUID: [UInt32: Account]?
    for file in try files() {
      guard let user = file.user else { continue }
      let named: Account?
      do throws(SystemError) {
        named = try accounts.named(user.bytes)
        if byUID == nil {
          byUID = Dictionary(
            try accounts.systemAccounts().map { ($0.account.uid, $0.account) },
            uniquingKeysWith: { first, _ in first })
        }
      } catch {
        throw .accounts(error)
      }
      let claimed: Account?
      do throws(FactorStoreError) { claimed = try store.claimedAccount(file.name) } catch {
        continue
      }
      guard let claimed, named != claimed else { continue }
      if let account = byUID?[claimed.uid], account.name != user.bytes {
        renamed.append(RenamedAccount(earlier: user, account: account))
      }
    }
    return renamed
  }

  /// Moves the record of an earlier name, or of an earlier user ID of the same name, to an account. Failed attempts
  /// and used codes stay counted.
  package func renameUser(_ earlierText: String, to text: String) throws(AdminError) -> UserName {
    let earlier = try subject(earlierText)
    let subject = try subject(text)
    guard let account = subject.account else { throw subject.absence }
    guard let file = FileName(percentEncoding: earlier.name.bytes) else {
      throw .store(.nameTooLong)
    }
    let claimed = try onUser(earlier, try store.claimedAccount(file))
    guard let claimed else { throw .notEnrolled(earlier.name) }
    if earlier.account?.uid == claimed.uid { throw .accountExists(earlier.name) }
    let isSameName = earlier.name == subject.name
    guard isSameName || claimed.uid == account.uid else {
      throw .notRenamed(subject.name, from: earlier.name)
    }
    let former =
      isSameName ? Array("uid \(claimed.uid)".utf8) : earlier.name.bytes
    let isMoved = try onUser(
      subject,
      try store.rename(
        claimed, to: account,
        entering: AuditLogEvent(
          .userRenamed, detail: former, by: auditLogActor, at: now),
        removing: AuditLogEvent(
          .userRenamed, detail: subject.name.bytes, by: auditLogActor, at: now)))
    guard isMoved else { throw .notEnrolled(earlier.name) }
    note("user-renamed", subject.name, .entered(nil)) {
      $0.add("reason", escaping: former)
    }
    deliver(account)
    return subject.name
  }
}
