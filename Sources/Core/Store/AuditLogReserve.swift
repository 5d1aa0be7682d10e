import MFABase

/// Space that is allocated after the end of the audit log, so that entries can be written on a full file
/// system. No other file can take it.
///
/// The last part is for changes that withdraw or restore access: what users can do by themselves must not
/// use up the space that an administrator needs.
enum AuditLogReserve {
  /// The number of bytes to allocate: about 160 entries.
  static var length: Int64 { 64 << 10 }
  /// The number of bytes below which more are allocated.
  static var refill: Int64 { 48 << 10 }
  /// The number of bytes that only some events may use.
  static var last: Int64 { 32 << 10 }

  /// Returns whether an entry may be written on a full file system with this many bytes allocated after
  /// the end of the log.
  static func permits(_ kind: AuditLogEvent.Kind, left: Int64) -> Bool {
    kind.usesReserve || left >= last
  }

  /// Allocates space after `end`, if there is little left.
  ///
  /// - Throws: an error without space for the event.
  static func secure(
    after end: Int64, in text: borrowing File, for kind: AuditLogEvent.Kind
  ) throws(FactorStoreError) {
    let left =
      try onPart(.auditLog) { () throws(SystemError) in try text.status() }.allocated &- end
    guard left < refill else { return }
    do throws(SystemError) {
      try text.allocate(length, at: end)
    } catch {
      // A file system that does not support the call has no reserve.
      guard error.hasNoSpace, !permits(kind, left: left) else { return }
      throw .system(.auditLog, error)
    }
  }
}

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
