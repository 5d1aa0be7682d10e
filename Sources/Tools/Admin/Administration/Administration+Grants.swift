import MFAStore
import MFABase
import MFAModel

// Tickets and bypass codes.
extension Administration {
  /// Returns the grants of one user, or of all users if `text` is nil.
  package func grants(_ text: String?) throws(AdminError) -> [GrantReport] {
    guard let text else { return try allGrants() }
    let subject = try subject(text)
    return reports(try kept(subject))
  }

  private func allGrants() throws(AdminError) -> [GrantReport] {
    var reports: [GrantReport] = []
    for user in try storedUsers() {
      let subject = try subject(String(decoding: user.bytes, as: UTF8.self))
      // Without an account no grant can be used; `list` reports the record.
      guard subject.account != nil else { continue }
      reports += self.reports(try kept(subject))
    }
    return reports
  }

  private func reports(_ record: FactorRecord?) -> [GrantReport] {
    guard let record else { return [] }
    return record.grants.map {
      GrantReport(user: record.user, grant: $0.withoutDigest, isGood: $0.isGood(at: now))
    }
  }

  /// Returns the stored record of a user, even if it has no factors, or nil.
  private func kept(_ subject: AdministeredUser) throws(AdminError) -> FactorRecord? {
    try onUser(subject) { () throws(FactorStoreError) in
      try store.existingEntry(of: subject.accountOrPlaceholder)?.kept
    }
  }

  /// Returns the users that have a file in the store, sorted by name.
  private func storedUsers() throws(AdminError) -> [UserName] {
    var users: [UserName] = []
    try onStore { () throws(FactorStoreError) in
      try store.forEachFile { user, name in
        if let user, !Self.isDraft(name) { users.append(user) }
        return true
      }
    }
    return users.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
  }
}
