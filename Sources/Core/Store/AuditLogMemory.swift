import MFABase

/// The verified head and index of the audit log, for a process that reads them for many sign-ins. They
/// are read again when the head has changed: every entry changes it.
///
/// MUST 1: an entry that is complete counts at the next sign-in: a head that changed within the last
/// two seconds is always read. (`AuditLogMemoryTests`)
package final class AuditLogMemory {
  /// Returns the time in nanoseconds since the epoch.
  private let now: () -> Int64
  private var identity: FileIdentity?
  private var head: AuditLogHead.Content?
  private var pages: [AuditLogIndex.Page?] = []

  /// Creates an empty memory.
  package convenience init() { self.init(now: Clock.nanoseconds) }

  init(now: @escaping () -> Int64) { self.now = now }

  /// Returns the identity if it is old, before the head is read. A younger identity may become that
  /// of another version, so it is no better than none.
  func trusted(_ identity: FileIdentity?) -> FileIdentity? {
    guard let identity, identity.isOld(at: now()) else { return nil }
    return identity
  }

  /// Returns the head, or nil if it is not known.
  func head(for identity: FileIdentity?) -> AuditLogHead.Content? {
    guard let identity, identity == self.identity else { return nil }
    return head
  }

  /// Remembers a head that was read after the file had this trusted identity.
  func remember(_ head: AuditLogHead.Content, for identity: FileIdentity?) {
    guard let identity else {
      self.identity = nil
      return
    }
    self.identity = identity
    self.head = head
    pages = [AuditLogIndex.Page?](repeating: nil, count: AuditLogIndex.pageCount)
  }

  /// Returns a page of the index that belongs to the remembered head, or nil if it is not known.
  func page(_ number: Int, for identity: FileIdentity?) -> AuditLogIndex.Page? {
    guard let identity, identity == self.identity, number < pages.count else { return nil }
    return pages[number]
  }

  /// Remembers a page of the index.
  func remember(_ page: AuditLogIndex.Page, number: Int, for identity: FileIdentity?) {
    guard let identity, identity == self.identity, number < pages.count else { return }
    pages[number] = page
  }
}
