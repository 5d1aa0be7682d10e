import MFAModel
import MFABase

// Removes the records of deleted accounts.
extension Administration {
  /// The records of accounts that no longer exist.
  package struct Orphans: Equatable {
    /// The names, sorted.
    package let names: [UserName]
    /// The number of all users with a record.
    package let total: Int

    /// Whether so many accounts are missing that a directory service is probably unavailable: more
    /// than three, and more than a tenth of all.
    package var areSuspicious: Bool { names.count > 3 && names.count * 10 > total }
  }

  /// Finds the records of accounts that no longer exist.
  package func orphans(progress: Progress = .silent) throws(AdminError) -> Orphans {
    let reports = try users(progress: progress) { ($0.userName, $0.isOrphaned) }
    let orphaned = reports.compactMap { $0.1 ? $0.0 : nil }
    // Nothing is removed of users who only have another name.
    let renamed = orphaned.isEmpty ? [] : try renamedUsers().map(\.earlier)
    return Orphans(names: orphaned.filter { !renamed.contains($0) }, total: reports.count)
  }

  /// Removes what is stored for a deleted account, or returns nil if the account exists again or
  /// nothing is stored.
  package func prune(_ name: UserName) throws(AdminError) -> RevocationReport? {
    let text = String(decoding: name.bytes, as: UTF8.self)
    guard try subject(text).account == nil else { return nil }
    let plan = try plan(.everything, of: text)
    do throws(AdminError) { return try revoke(plan) } catch {
      guard case .noSuchUser = error else { throw error }
      return nil
    }
  }
}
