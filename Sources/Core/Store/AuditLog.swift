import MFABase
import MFACrypto
import MFAModel

/// The audit log in the store's directory: a line of text for each change to how users can sign in,
/// chained to all lines before it. Two more files hold the head, which records the end of the
/// chain, and an index.
///
/// MUST 1: an event that cannot be recorded does not happen: its entry is on the disk before the
/// change begins. (`AuditLogTests.distrusted`, and Tests/Faults)
/// MUST 2: an entry that was modified, removed, inserted, moved or truncated is detected and
/// identified. (`AuditLogTests.everyByteFlipped`, `.everyLineRemoved`, `.everyTruncation`)
/// MUST 3: the next entry replaces the remains of an interrupted write after the last entry, unless
/// they form a complete entry. They do not prevent any sign-in. (`AuditLogTests.interrupted`,
/// `.interruptedOften`)
/// MUST 4: writing to the audit log neither reads nor allocates memory in proportion to its length.
/// (`AuditLogTests.readsLittle`)
/// MUST 5: no entry is written with a key that was replaced: the key is read again under the log's
/// lock. (`RekeyTests.writerWithEarlierKey`)
/// MUST 6: no entry is written to a log that is not the host's own. (`ForeignStoreTests.noEntry`)
/// MUST 7: on a full file system, changes that withdraw or restore access can still be recorded.
/// (`FullStoreTests`)
package struct AuditLog: ~Copyable {
  private let directory: StoreDirectory
  private let text: OwnedFile
  private let head: OwnedFile
  private let index: OwnedFile
  private let memory: AuditLogMemory?
  private let identity: StoreIdentityFile?
  private let currentKey: (() throws(FactorStoreError) -> SealingKey)?

  /// Creates a value for the log in the store's directory. Nothing is opened yet. With a `memory`, the
  /// files are not read again as long as they have not changed. With an `identity`, the log must be the
  /// host's own. `currentKey` reads the key again, which may have changed since the caller read it.
  package init(
    in directory: StoreDirectory, owner: UInt32, memory: AuditLogMemory? = nil,
    identity: StoreIdentityFile? = nil,
    currentKey: (() throws(FactorStoreError) -> SealingKey)? = nil
  ) throws(FactorStoreError) {
    guard let text = FileName(StoreFile.auditLog.name),
      let head = FileName(StoreFile.auditLogHead.name),
      let index = FileName(StoreFile.auditLogIndex.name)
    else {
      throw .nameTooLong
    }
    self.directory = directory
    self.memory = memory
    self.identity = identity
    self.currentKey = currentKey
    self.text = OwnedFile(.auditLog, directory: directory, name: text, owner: owner)
    self.head = OwnedFile(.auditLogHead, directory: directory, name: head, owner: owner)
    self.index = OwnedFile(.auditLogIndex, directory: directory, name: index, owner: owner)
  }

  /// A written entry: its checkpoint for the system log, and its position for the user's attempt
  /// state.
  package struct Entered {
    /// The number and the hash of the entry.
    package let checkpoint: AuditLogCheckpoint
    /// Where the entry is in the log.
    package let position: RecordBinding.LogPosition
  }

  /// Records an event durably, before it happens.
  package func enter(
    _ event: AuditLogEvent, about subject: AuditLogSubject, _ key: inout SealingKey
  ) throws(FactorStoreError) -> Entered {
    guard let entered = try enter(event, subject, configuration: nil, &key) else {
      throw .damaged(.auditLogHead)
    }
    return entered
  }

  /// Records an event and makes the present log the host's own.
  package func adopt(
    entering event: AuditLogEvent, _ key: inout SealingKey
  ) throws(FactorStoreError) -> AuditLogCheckpoint {
    var open = try open(patience: event.kind.patience, key, adopting: true)
    try adopt(&open)
    // The store that is left behind counts as older from now on.
    switch open.identityFile {
    case .some(let present): open.content.continueWrites(after: present.content.sequence)
    case .none: break
    }
    return try append(event, AuditLogSubject(), to: &open).checkpoint
  }

  /// Records a change to this configuration fingerprint. Returns nil if it is already recorded.
  package func enter(
    _ event: AuditLogEvent, configuration: UInt64, _ key: inout SealingKey
  ) throws(FactorStoreError) -> AuditLogCheckpoint? {
    try enter(event, AuditLogSubject(), configuration: configuration, &key)?.checkpoint
  }

  /// Returns whether this configuration fingerprint is the last one recorded. Uses neither the key
  /// nor the lock, so the answer is not verified.
  package func knows(configuration: UInt64) throws(FactorStoreError) -> Bool {
    if let known = memory?.head(for: try headIdentity()) {
      return known.configuration == configuration
    }
    guard let file = try present(head) else { return false }
    return AuditLogHead.likelyConfiguration(try Self.read(file.file)) == configuration
  }

  /// Returns whether the audit log has entries. Does not use the key, so the answer is not
  /// verified.
  package func hasEntries() throws(FactorStoreError) -> Bool {
    guard let file = try present(head) else { return try present(text) != nil }
    return try Self.read(file.file).contains { $0 != 0 }
  }

  private static func read(_ head: borrowing File) throws(FactorStoreError) -> [UInt8] {
    try onPart(.auditLogHead) { () throws(SystemError) in try head.read(count: AuditLogHead.length)
    }
  }

  private func enter(
    _ event: AuditLogEvent, _ subject: AuditLogSubject, configuration: UInt64?,
    _ key: inout SealingKey
  ) throws(FactorStoreError) -> Entered? {
    var open = try open(patience: event.kind.patience, key)
    if let configuration, open.content.configuration == configuration { return nil }
    try adopt(&open)
    if let configuration { open.content.configuration = configuration }
    return try append(event, subject, to: &open)
  }

  private func append(
    _ event: AuditLogEvent, _ subject: AuditLogSubject, to open: inout Open
  ) throws(FactorStoreError) -> Entered {
    let start = open.content.chain.length
    var page: AuditLogIndex.Page?
    var previous: Int64 = 0
    let place = subject.user.map {
      AuditLogIndex.Slot(escapedName: LogLine.escapedInFull($0.bytes)[...])
    }
    if let place {
      let present = try AuditLogIndex.Page(
        place.page, writtenFor: open.content.lastEntry(inPage: place.page), in: open.index,
        &open.key)
      previous = present.entry(at: place.position)
      page = present
    }
    var entry = AuditLogLine.text(
      of: event, number: open.content.chain.count &+ 1, subject,
      previous: place.map { _ in previous })
    let value = try open.content.chain.value(after: entry, &open.key)
    entry += AuditLogLine.chainKey
    entry += Hexadecimal.text(of: value)
    entry.append(UInt8(ascii: "\n"))
    try AuditLogReserve.secure(after: start, in: open.text, for: event.kind)
    try write(entry, at: start, to: open.text)
    try open.content.chain.advance(by: entry.count, to: value)
    if let place, let page {
      try page.write(
        start &+ 1, at: place.position, for: open.content.chain.count, to: open.index, &open.key)
      open.content.setLastEntry(open.content.chain.count, inPage: place.page)
    }
    try open.head.write(open.content, to: open.headFile, &open.key)
    try identify(&open)
    return Entered(
      checkpoint: AuditLogCheckpoint(number: open.content.chain.count, chain: value),
      position: RecordBinding.LogPosition(log: open.content.log, entry: start &+ 1))
  }

  /// Adopts an entry that an interrupted process left after the end recorded in the head, as
  /// `enter` does.
  package func settle(patience seconds: Int64, _ key: inout SealingKey) throws(FactorStoreError) {
    var open = try open(patience: seconds, key)
    try adopt(&open)
  }

  /// The files, open for writing. The lock is held until the head's file is closed.
  private struct Open: ~Copyable {
    let headFile: File
    var head: AuditLogHead
    var content: AuditLogHead.Content
    let text: File
    let index: File
    /// The file with the identity of the host's own store.
    let identityFile: IdentityFile?
    /// The key, read again under the lock.
    var key: SealingKey
  }

  /// The open file with the identity of the host's own store, and what it has.
  private struct IdentityFile: ~Copyable {
    let file: File
    let content: StoreIdentity
  }

  private func open(
    patience seconds: Int64, _ callersKey: borrowing SealingKey, adopting: Bool = false
  ) throws(FactorStoreError) -> Open {
    let headFile = try head.lock(creating: true, length: AuditLogHead.length, seconds: seconds)
    // A process that waited for the lock may hold a key that has been replaced meanwhile.
    var key = if let currentKey { try currentKey() } else { callersKey.shared() }
    let bytes = try Self.read(headFile)
    let head = try AuditLogHead(bytes, &key)
    var content = head.content ?? AuditLogHead.Content(chain: .empty)
    let identityFile = try identityFile(
      Self.found(head, bytes), log: &content.log, &key, adopting: adopting)
    if content.log == 0 { content.log = try Self.newLog() }
    // A removed audit log is not recreated automatically.
    let text = try text.open(creating: head.content == nil)
    let index = try index.lock(
      creating: !content.hasIndex, length: AuditLogIndex.length)
    return Open(
      headFile: headFile, head: head, content: content, text: text, index: index,
      identityFile: identityFile, key: key)
  }

  // MARK: The identity of the host's own store

  /// Returns what the head of the log says about the store.
  private static func found(_ head: AuditLogHead, _ bytes: [UInt8]) -> ForeignStore.Found {
    if let content = head.content {
      return .written(log: content.log, sequence: content.sequence)
    }
    if bytes.allSatisfy({ $0 == 0 }) { return .empty }
    return AuditLogHead.isWhole(bytes) ? .otherKey : .damaged
  }

  /// Opens the file with the identity before anything is written. The first entry of a host gets the
  /// number of its log from the identity, so that a store with entries is never taken for a new one.
  private func identityFile(
    _ found: ForeignStore.Found, log: inout UInt32, _ key: inout SealingKey, adopting: Bool
  ) throws(FactorStoreError) -> IdentityFile? {
    guard let identity else { return nil }
    let present = key.shared()
    let known = try identity.read { () throws(FactorStoreError) in present.shared() }
    if !adopting,
      let difference = ForeignStore.difference(known, found, machine: identity.thisMachine)
    {
      throw .foreign(difference)
    }
    let file = try identity.openForWriting()
    var content = StoreIdentity()
    if case .identity(let present) = known { content = present }
    if log == 0, content.log == 0 || adopting {
      content.log = try Self.newLog()
      content.sequence = 0
      content.entries = 0
      content.machine = identity.thisMachine
      try identity.write(content, to: file, &key)
    }
    if log == 0 { log = content.log }
    return IdentityFile(file: file, content: content)
  }

  /// Writes to the identity that the log is the host's own, with all its entries so far.
  private func identify(
    _ open: inout Open, keyMachine: [UInt8]? = nil
  ) throws(FactorStoreError) {
    guard let identity, let head = open.head.content else { return }
    var content: StoreIdentity
    switch open.identityFile {
    case .some(let present): content = present.content
    case .none: return
    }
    content.log = head.log
    content.sequence = head.sequence
    content.entries = head.chain.count
    content.machine = identity.thisMachine
    if let keyMachine { content.keyMachine = keyMachine }
    switch open.identityFile {
    case .some(let present): try identity.write(content, to: present.file, &open.key)
    case .none: return
    }
  }

  /// Throws if the store is not the host's own. Takes no lock.
  package func requireOwn(
    _ makeKey: () throws(FactorStoreError) -> SealingKey
  ) throws(FactorStoreError) {
    for reading in 0..<Self.mostReadings {
      if reading > 0 { Clock.pause(milliseconds: 1) }
      guard let difference = try difference(makeKey) else { return }
      guard difference.mayBeTransient, reading < Self.mostReadings &- 1 else {
        throw .foreign(difference)
      }
    }
  }

  /// Returns why the store is not the host's own, or nil. The head is written before the identity, and
  /// read after it.
  package func difference(
    _ makeKey: () throws(FactorStoreError) -> SealingKey
  ) throws(FactorStoreError) -> ForeignStore? {
    guard let identity else { return nil }
    let known = try identity.read(makeKey)
    return ForeignStore.difference(known, try found(makeKey), machine: identity.thisMachine)
  }

  /// Reads what the head says about the store.
  private func found(
    _ makeKey: () throws(FactorStoreError) -> SealingKey
  ) throws(FactorStoreError) -> ForeignStore.Found {
    let version = try headIdentity()
    if let content = memory?.head(for: version) {
      return .written(log: content.log, sequence: content.sequence)
    }
    guard let file = try present(head) else { return .empty }
    let bytes = try Self.read(file.file)
    if bytes.allSatisfy({ $0 == 0 }) { return .empty }
    var key = try makeKey()
    let head = try AuditLogHead(bytes, &key)
    if let content = head.content { memory?.remember(content, for: version) }
    return Self.found(head, bytes)
  }

  /// Writes the head and the identity again, so that an earlier copy of the store is found although
  /// nothing was recorded since. Fails if another process writes to the log for a second.
  package func advance(_ callersKey: borrowing SealingKey) throws(FactorStoreError) {
    guard let identity else { return }
    let headFile = try head.lock(creating: false, length: AuditLogHead.length, seconds: 1)
    var key = if let currentKey { try currentKey() } else { callersKey.shared() }
    let bytes = try Self.read(headFile)
    var head = try AuditLogHead(bytes, &key)
    guard let content = head.content, content.log != 0 else { return }
    var log = content.log
    guard
      let present = try identityFile(Self.found(head, bytes), log: &log, &key, adopting: false)
    else { return }
    try head.write(content, to: headFile, &key)
    var next = present.content
    next.sequence = head.content?.sequence ?? next.sequence
    next.entries = content.chain.count
    try identity.write(next, to: present.file, &key)
  }

  private static func newLog() throws(FactorStoreError) -> UInt32 {
    let bytes = try cryptographic { () throws(SystemError) in try randomBytes(count: 4) }
    var reader = ByteReader(bytes.span)
    return max(reader.read(UInt32.self) ?? 1, 1)
  }

  /// Writes an entry durably, replacing anything after the last entry.
  private func write(
    _ entry: [UInt8], at offset: Int64, to text: borrowing File
  ) throws(FactorStoreError) {
    try onPart(.auditLog) { () throws(SystemError) in
      if try text.status().size > offset { try text.setLength(offset) }
      try text.write(entry, at: offset)
      try text.syncData()
      if offset == 0 { try directory.opened.sync() }
    }
  }

  /// Examines the bytes after the end recorded in the head, which an interrupted process left
  /// behind. A complete entry becomes part of the chain. The next entry replaces any other bytes.
  private func adopt(_ open: inout Open) throws(FactorStoreError) {
    let size = try onPart(.auditLog) { () throws(SystemError) in try open.text.status() }.size
    let start = open.content.chain.length
    let (left, overflow) = size.subtractingReportingOverflow(start)
    // An interrupted process leaves at most one entry.
    guard !overflow, left >= 0, left <= Int64(AuditLogLine.longest) else {
      throw .damaged(.auditLog)
    }
    guard left > 0 else { return }
    let bytes = try onPart(.auditLog) { () throws(SystemError) in
      try open.text.read(count: Int(truncatingIfNeeded: left), at: start)
    }
    // An entry that lacks only its line feed is complete.
    let feed = [UInt8(ascii: "\n")]
    guard
      let next = try open.content.chain.next(
        in: bytes + feed, from: 0, to: bytes.count &+ 1, &open.key)
    else {
      // These bytes can only be the beginning of the first entry if there is no valid head.
      let isFirst = !bytes.contains(UInt8(ascii: "\n"))
      guard open.head.content != nil || isFirst else { throw .damaged(.auditLogHead) }
      guard bytes.count <= AuditLogLine.maximumIncompleteLength else { throw .damaged(.auditLog) }
      return
    }
    let used = Int(truncatingIfNeeded: next.length &- start)
    // An interrupted process leaves at most one entry that is missing from the head.
    let rest = bytes.span.part(from: used, count: bytes.count).copied()
    guard try next.next(in: rest + feed, from: 0, to: rest.count &+ 1, &open.key) == nil,
      rest.count <= AuditLogLine.maximumIncompleteLength,
      open.head.content != nil || (next.count < 2 && !rest.contains(UInt8(ascii: "\n")))
    else {
      throw .damaged(.auditLogHead)
    }
    if used > bytes.count {
      try onPart(.auditLog) { () throws(SystemError) in try open.text.write(feed, at: size) }
    }
    let line = bytes.prefix(used).dropLast()
    open.content.chain = next
    // A line before the entry was left behind by version 1, which had no index.
    if !line.contains(UInt8(ascii: "\n")), let name = AuditLogLine.value(of: "user", in: line),
      !name.elementsEqual([UInt8(ascii: "-")])
    {
      let place = AuditLogIndex.Slot(escapedName: name)
      let page = try AuditLogIndex.Page(
        place.page, writtenFor: open.content.lastEntry(inPage: place.page), in: open.index,
        &open.key)
      try page.write(start &+ 1, at: place.position, for: next.count, to: open.index, &open.key)
      open.content.setLastEntry(next.count, inPage: place.page)
    }
    try open.head.write(open.content, to: open.headFile, &open.key)
  }

  // MARK: The last entry about a user

  /// The state of a user in the audit log, compared with a known position.
  package struct Standing {
    /// The position to start the next check from.
    package let position: RecordBinding.LogPosition
    /// The fingerprint of the record after the last new entry about the user, or nil if there is no
    /// new entry.
    package let fingerprint: UInt64?
  }

  /// The maximum number of times to read the files while another process is writing to them.
  private static var mostReadings: Int { 200 }

  /// Finds the last entry about a user after a position. Takes no lock.
  ///
  /// - Throws: `.rolledBack` if the audit log ends before the position or is missing.
  package func standing(
    of user: [UInt8], uid: UInt32, since known: RecordBinding.LogPosition, _ key: inout SealingKey
  ) throws(FactorStoreError) -> Standing {
    let name = LogLine.escapedInFull(user)
    let place = AuditLogIndex.Slot(escapedName: name[...])
    var failure = FactorStoreError.rolledBack(.auditLog)
    var key = key.shared()
    for reading in 0..<Self.mostReadings {
      if reading > 0 {
        Clock.pause(milliseconds: 1)
        // The other process may be replacing the key.
        if let currentKey { key = try currentKey() }
      }
      do throws(FactorStoreError) {
        return try standing(name, uid, place, since: known, &key)
      } catch {
        // These errors also occur between two writes of another process, so try again.
        switch error {
        case .damaged(.auditLogIndex), .damaged(.auditLogHead), .damaged(.auditLog), .rolledBack:
          failure = error
        case .system, .damaged, .otherVersion, .otherKey, .belongsToAnother, .busy, .nameTooLong,
          .engine, .foreign, .renamed:
          throw error
        }
      }
    }
    throw failure
  }

  private func standing(
    _ name: [UInt8], _ uid: UInt32, _ place: AuditLogIndex.Slot,
    since known: RecordBinding.LogPosition, _ key: inout SealingKey
  ) throws(FactorStoreError) -> Standing {
    let identity = try headIdentity()
    guard let content = try verifiedHead(identity, since: known, &key) else {
      try requireNoHistory()
      return Standing(position: .none, fingerprint: nil)
    }
    let last = try lastEntry(at: place, content, identity, &key)
    let isSameLog = known.log == content.log
    let checked = isSameLog ? known.entry : 0
    guard last >= checked else { throw .rolledBack(.auditLog) }
    // Entries of an earlier key have no more to say: `mfa-admin rekey` compared each record with them,
    // and entered it again, before that key was removed.
    let readable = key.isChanging ? 0 : content.earlierPart?.chain.length ?? 0
    let start = max(checked, readable)
    let fingerprint =
      last > start ? try self.fingerprint(name, uid, from: last, behind: start, &key) : nil
    // A different audit log must have an entry about every user that the previous one covered.
    guard isSameLog || known.log == 0 || fingerprint != nil else { throw .rolledBack(.auditLog) }
    return Standing(
      position: RecordBinding.LogPosition(log: content.log, entry: last), fingerprint: fingerprint)
  }

  /// Returns the identity of the head's file. Returns nil if no memory uses it, if it is not old, or
  /// if the file does not exist.
  private func headIdentity() throws(FactorStoreError) -> FileIdentity? {
    guard let memory else { return nil }
    return memory.trusted(
      try onPart(.auditLogHead) { () throws(SystemError) in
        try directory.opened.identity(of: head.name)
      })
  }

  /// Returns the verified content of the head, or nil if nothing was ever recorded.
  private func verifiedHead(
    _ identity: FileIdentity?, since known: RecordBinding.LogPosition, _ key: inout SealingKey
  ) throws(FactorStoreError) -> AuditLogHead.Content? {
    if let content = memory?.head(for: identity) { return content }
    guard let file = try present(head) else {
      guard known.log == 0 else { throw .rolledBack(.auditLogHead) }
      return nil
    }
    let bytes = try Self.read(file.file)
    guard let content = try AuditLogHead(bytes, &key).content else {
      guard known.log == 0, bytes.allSatisfy({ $0 == 0 }) else { throw .damaged(.auditLogHead) }
      return nil
    }
    memory?.remember(content, for: identity)
    return content
  }

  /// Returns the position of the last entry at a place of the index, or 0 if there is none.
  private func lastEntry(
    at place: AuditLogIndex.Slot, _ content: AuditLogHead.Content, _ identity: FileIdentity?,
    _ key: inout SealingKey
  ) throws(FactorStoreError) -> Int64 {
    // A page without entries is not in the file. Another page is read instead, so that the time does not reveal who
    // has no entry.
    guard let number = content.writtenPage(from: place.page) else { return 0 }
    guard number == place.page else {
      do throws(FactorStoreError) {
        _ = try page(number, content, identity, &key)
      } catch {
        // The page is about other users.
      }
      return 0
    }
    return try page(number, content, identity, &key).entry(at: place.position)
  }

  private func page(
    _ number: Int, _ content: AuditLogHead.Content, _ identity: FileIdentity?,
    _ key: inout SealingKey
  ) throws(FactorStoreError) -> AuditLogIndex.Page {
    if let page = memory?.page(number, for: identity) { return page }
    let index = try index.openForReading()
    let page = try AuditLogIndex.Page(
      number, writtenFor: content.lastEntry(inPage: number), in: index, &key)
    memory?.remember(page, number: number, for: identity)
    return page
  }

  /// Throws if the log has more than one entry although the head is missing. An interrupted process
  /// leaves at most the first entry without a head.
  private func requireNoHistory() throws(FactorStoreError) {
    guard let file = try present(text) else { return }
    let bytes = try onPart(.auditLog) { () throws(SystemError) in
      try file.file.read(count: AuditLogLine.longest &+ 1)
    }
    guard bytes.count <= AuditLogLine.longest, bytes.count(where: { $0 == UInt8(ascii: "\n") }) <= 1
    else {
      throw .rolledBack(.auditLogHead)
    }
  }

  /// Follows the entries at one position of the index backwards from `last` to the latest one about
  /// the user, and returns the fingerprint in that entry.
  private func fingerprint(
    _ name: [UInt8], _ uid: UInt32, from last: Int64, behind checked: Int64,
    _ key: inout SealingKey
  ) throws(FactorStoreError) -> UInt64? {
    let text = try text.openForReading()
    var entry = last
    while entry > checked {
      let line = try AuditLogLine.read(at: entry &- 1, in: text, &key)
      guard let user = AuditLogLine.value(of: "user", in: line),
        let record = AuditLogLine.value(of: "record", in: line),
        let owner = AuditLogLine.value(of: "uid", in: line)
      else { throw .damaged(.auditLog) }
      if user.elementsEqual(name) {
        // An earlier account with the same name is a different user.
        let none = [UInt8(ascii: "-")]
        guard owner.elementsEqual(none) || AuditLogLine.number(owner) == uid else { return nil }
        return AuditLogLine.fingerprint(record)
      }
      // Entries from before the index have no `previous`.
      guard let previous = AuditLogLine.value(of: "previous", in: line) else { return nil }
      let before = AuditLogLine.offset(previous) ?? 0
      guard before < entry else { throw .damaged(.auditLog) }
      entry = before
    }
    return nil
  }

  // MARK: Starting a new log

  /// Renames the files, so that the next entry begins a new audit log. Appends a full stop and
  /// `suffix` to the file names, and returns the new names.
  ///
  /// No entry can be written meanwhile. The head is copied and removed rather than renamed. A
  /// process that waits for the head's lock then finds that the locked file no longer has a name,
  /// and locks the new head instead.
  package func moveAside(suffix: [UInt8]) throws(FactorStoreError) -> [[UInt8]] {
    let locked = try lockedHead()
    let content: [UInt8]? =
      switch locked {
      case .some(let present): try Self.read(present.file)
      case .none: nil
      }
    var moved: [[UInt8]] = []
    for name in [text.name, head.name, index.name] {
      guard let aside = FileName(name.bytes + [UInt8(ascii: ".")] + suffix) else {
        throw .nameTooLong
      }
      if let content, name == head.name {
        // The copy belongs to the store's owner, even if root makes it.
        let copy = OwnedFile(.auditLogHead, directory: directory, name: aside, owner: head.owner)
        _ = try copy.replace(with: content)
        try head.unlink()
        moved.append(aside.bytes)
        continue
      }
      do throws(SystemError) {
        try directory.opened.rename(name, to: aside)
        moved.append(aside.bytes)
      } catch {
        guard error.isNotFound else { throw .system(.auditLog, error) }
      }
    }
    try onPart(.auditLog) { () throws(SystemError) in try directory.opened.sync() }
    // The lock ends with the head's file, which must stay open until here.
    withExtendedLifetime(locked) {}
    return moved
  }

  /// Returns the locked head, or nil if there is no usable head, so that no entry can be written
  /// either.
  private func lockedHead() throws(FactorStoreError) -> PresentFile? {
    do throws(FactorStoreError) {
      return PresentFile(file: try head.lock(creating: false, length: AuditLogHead.length))
    } catch {
      if case .system(.auditLogHead, let cause) = error, cause.isBusy { throw error }
      return nil
    }
  }

  // MARK: Verification

  /// Verifies the audit log from its beginning and returns the result.
  ///
  /// Calls `body` with each line, without its line feed, and the result of verifying it.
  package func inspect(
    _ key: inout SealingKey, _ body: (AuditLogReading.Line) -> Void
  ) throws(FactorStoreError) -> AuditLogReading {
    guard let locked = try present(head, length: AuditLogHead.length) else {
      guard let file = try present(text) else { return AuditLogReading(head: nil, hasHead: false) }
      return try read(file.file, AuditLogReading(head: nil, hasHead: false), &key, body)
    }
    let slots = try onPart(.auditLogHead) { () throws(SystemError) in
      try locked.file.read(count: AuditLogHead.length)
    }
    let content = try AuditLogHead(slots, &key).content
    guard let file = try present(text) else {
      return AuditLogReading(head: content?.chain, hasHead: true).finished(.empty)
    }
    let result = try inspect(file.file, content, &key, body)
    // The lock ends with the head's file, which must stay open until here.
    withExtendedLifetime(locked) {}
    return result
  }

  /// Returns the number of entries according to the head, or nil if there is no valid head. Takes no lock, and reads no
  /// entry.
  package func recordedCount(_ key: inout SealingKey) throws(FactorStoreError) -> UInt32? {
    guard let file = try present(head) else { return nil }
    return try AuditLogHead(try Self.read(file.file), &key).content?.chain.count
  }

  /// Returns the number of entries according to the head, and how often it was written, or nil if there is no
  /// valid head. Takes no lock, and reads no entry.
  package func recordedHead(
    _ key: inout SealingKey
  ) throws(FactorStoreError) -> (count: UInt32, sequence: UInt64)? {
    guard let file = try present(head) else { return nil }
    guard let content = try AuditLogHead(try Self.read(file.file), &key).content else { return nil }
    return (content.chain.count, content.sequence)
  }

  /// Verifies the text and the index against a verified head.
  private func inspect(
    _ text: borrowing File, _ content: AuditLogHead.Content?, _ key: inout SealingKey,
    _ body: (AuditLogReading.Line) -> Void
  ) throws(FactorStoreError) -> AuditLogReading {
    var positions: [Int: Int64] = [:]
    let reading = AuditLogReading(
      head: content?.chain, hasHead: true, earlierPart: content?.earlierPart)
    var result = try read(text, reading, &key) { line in
      if let start = line.start, let (place, _) = Self.place(of: line.text[...]) {
        positions[place.page &* AuditLogIndex.positionsPerPage &+ place.position] = start &+ 1
      }
      body(line)
    }
    if result.fault == nil, let content, try !indexFits(positions, content, &key) {
      result.foundBadIndex()
    }
    return result
  }

  /// Returns the place of an entry in the index, or nil for an entry about no user or from before
  /// the index.
  private static func place(
    of line: ArraySlice<UInt8>
  ) -> (AuditLogIndex.Slot, previous: Int64)? {
    guard let name = AuditLogLine.value(of: "user", in: line),
      let previous = AuditLogLine.value(of: "previous", in: line).flatMap({
        AuditLogLine.offset($0)
      })
    else { return nil }
    return (AuditLogIndex.Slot(escapedName: name), previous)
  }

  /// Returns whether each position of the index refers to the last entry there. An entry that is
  /// missing from the head is not in the index.
  private func indexFits(
    _ positions: [Int: Int64], _ content: AuditLogHead.Content, _ key: inout SealingKey
  ) throws(FactorStoreError) -> Bool {
    guard content.hasIndex else {
      return positions.values.allSatisfy { $0 > content.chain.length }
    }
    do throws(FactorStoreError) {
      let index = try index.openForReading()
      for number in 0..<AuditLogIndex.pageCount {
        let page = try AuditLogIndex.Page(
          number, writtenFor: content.lastEntry(inPage: number), in: index, &key)
        for position in 0..<AuditLogIndex.positionsPerPage {
          let last = positions[number &* AuditLogIndex.positionsPerPage &+ position] ?? 0
          let isKnown = last <= content.chain.length
          guard !isKnown || page.entry(at: position) == last else { return false }
        }
      }
      return true
    } catch {
      guard error.concernsAuditLog else { throw error }
      return false
    }
  }

  private func read(
    _ file: borrowing File, _ reading: AuditLogReading, _ key: inout SealingKey,
    _ body: (AuditLogReading.Line) -> Void
  ) throws(FactorStoreError) -> AuditLogReading {
    var reading = reading
    let size = try onPart(.auditLog) { () throws(SystemError) in try file.status() }.size
    var chain = AuditLogChain.empty
    if let part = reading.earlierPart {
      var partKey = key.shared()
      try cryptographic { () throws(SystemError) in try partKey.select(part.keyIdentity) }
      guard try checksum(ofFirst: part.chain.length, in: file, &partKey) == part.checksum else {
        reading.foundChangedEarlierPart()
        return reading
      }
      try readEarlierPart(part, in: file, &reading, body)
      chain = part.chain
    }
    var offset = chain.length
    var window: [UInt8] = []
    var used = 0
    while true {
      if window.count - used < AuditLogLine.longest, offset < size {
        window.removeFirst(used)
        used = 0
        let start = offset
        let count = Int(min(size - start, 65_536))
        let more = try onPart(.auditLog) { () throws(SystemError) in
          try file.read(count: count, at: start)
        }
        guard !more.isEmpty else { break }
        offset += Int64(more.count)
        window += more
      }
      guard used < window.count else { break }
      used += try reading.take(from: window, at: used, &chain, &key, body)
    }
    return reading.finished(chain)
  }

  /// Returns the checksum of the first bytes of the text, or of all bytes if there are fewer.
  private func checksum(
    ofFirst length: Int64, in file: borrowing File, _ key: inout SealingKey
  ) throws(FactorStoreError) -> [UInt8] {
    var digest = AuditLogEarlierPart.Digest()
    var offset: Int64 = 0
    while offset < length {
      let start = offset
      let count = Int(min(length - start, Int64(AuditLogEarlierPart.Digest.portion)))
      let bytes = try onPart(.auditLog) { () throws(SystemError) in
        try file.read(count: count, at: start)
      }
      guard !bytes.isEmpty else { break }
      try digest.add(bytes, &key)
      offset += Int64(bytes.count)
    }
    return digest.value
  }

  /// Calls `body` with each line of the part of an earlier key, which has been verified as a whole.
  private func readEarlierPart(
    _ part: AuditLogEarlierPart, in file: borrowing File, _ reading: inout AuditLogReading,
    _ body: (AuditLogReading.Line) -> Void
  ) throws(FactorStoreError) {
    var offset: Int64 = 0
    while offset < part.chain.length {
      let start = offset
      let count = Int(min(part.chain.length - start, 65_536))
      let bytes = try onPart(.auditLog) { () throws(SystemError) in
        try file.read(count: count, at: start)
      }
      guard let end = bytes.lastIndex(of: UInt8(ascii: "\n")) else { throw .damaged(.auditLog) }
      var line = start
      for text in bytes[..<end].split(
        separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      {
        reading.takeVerified(text, at: line, body)
        line += Int64(text.count) + 1
      }
      offset = line
    }
  }

  // MARK: Backups

  /// Returns the names and contents of the files that exist, at one moment.
  package func copy() throws(FactorStoreError) -> [(name: [UInt8], content: [UInt8])] {
    let locked = try present(head, length: AuditLogHead.length)
    var files: [(name: [UInt8], content: [UInt8])] = []
    for (name, part) in [
      (text.name, FactorStoreError.Part.auditLog), (index.name, .auditLogIndex),
      (head.name, .auditLogHead),
    ] {
      let content: [UInt8]? = try onPart(part) { () throws(SystemError) in
        do throws(SystemError) {
          let file = try directory.opened.fileForReading(name)
          return try file.read(count: Int(truncatingIfNeeded: try file.status().size))
        } catch {
          guard error.isNotFound else { throw error }
          return nil
        }
      }
      if let content { files.append((name.bytes, content)) }
    }
    // The lock ends with the head's file, which must stay open until here.
    withExtendedLifetime(locked) {}
    return files
  }

  /// Puts files that `copy` returned in the place of the present ones or, if `suffix` is given, beside
  /// them, with a full stop and the suffix appended to their names. The head is written last.
  package func put(
    _ files: [(name: [UInt8], content: [UInt8])], suffix: [UInt8]?
  ) throws(FactorStoreError) {
    // Other processes wait, and then find that the head was replaced.
    let locked = try head.lock(creating: true, length: AuditLogHead.length)
    for present in [text.name, index.name, head.name] {
      guard let file = files.first(where: { $0.name == present.bytes }) else { continue }
      let ending = suffix.map { [UInt8(ascii: ".")] + $0 } ?? []
      guard let name = FileName(present.bytes + ending) else { throw .nameTooLong }
      let target = OwnedFile(.auditLog, directory: directory, name: name, owner: head.owner)
      _ = try target.replace(with: file.content)
    }
    // The lock ends with the head's file, which must stay open until here.
    withExtendedLifetime(locked) {}
  }

  // MARK: Changing the key

  /// Ends the part of the log that was written with the present key, and enters `event` as the first
  /// entry of the next key. Returns nil if that has happened already.
  ///
  /// The log is verified first. The index is written again with the next key before the head is: a copy
  /// of a page that the head does not name is not trusted, so an interruption at any point leaves
  /// either the state before or the one after.
  ///
  /// - Throws: `.damaged` if the log is not intact.
  package func beginNextKey(
    entering event: AuditLogEvent, _ key: inout SealingKey
  ) throws(FactorStoreError) -> AuditLogCheckpoint? {
    var open = try open(patience: event.kind.patience, key)
    try adopt(&open)
    let identity = try cryptographic { () throws(SystemError) in try open.key.identity() }
    if let part = open.content.earlierPart, part.keyIdentity == identity { return nil }
    let reading = try inspect(open.text, open.content, &open.key) { _ in }
    guard reading.fault == nil else { throw .damaged(.auditLog) }
    let chain = open.content.chain
    open.content.earlierPart = AuditLogEarlierPart(
      chain: chain, checksum: try checksum(ofFirst: chain.length, in: open.text, &open.key),
      keyIdentity: identity)
    for number in 0..<AuditLogIndex.pageCount {
      let last = open.content.lastEntry(inPage: number)
      guard last > 0 else { continue }
      let page = try AuditLogIndex.Page(number, writtenFor: last, in: open.index, &open.key)
      try page.writeAgain(to: open.index, &open.key)
    }
    let entered = try append(event, AuditLogSubject(), to: &open)
    // The next key is made on this machine.
    try identify(&open, keyMachine: self.identity?.thisMachine)
    return entered.checkpoint
  }

  /// Returns whether the part of the log that the present key proves has an entry about a user. Takes
  /// the lock.
  package func hasEntry(
    of user: [UInt8], uid: UInt32, _ key: inout SealingKey
  ) throws(FactorStoreError) -> Bool {
    var open = try open(patience: OwnedFile.patience, key)
    let name = LogLine.escapedInFull(user)
    let place = AuditLogIndex.Slot(escapedName: name[...])
    let page = try AuditLogIndex.Page(
      place.page, writtenFor: open.content.lastEntry(inPage: place.page), in: open.index,
      &open.key)
    let start = open.content.earlierPart?.chain.length ?? 0
    return try fingerprint(
      name, uid, from: page.entry(at: place.position), behind: start, &open.key) != nil
  }

  /// Opens a file for reading, and locks it if `length` is given. Returns nil if the file is missing.
  private func present(
    _ file: borrowing OwnedFile, length: Int? = nil
  ) throws(FactorStoreError) -> PresentFile? {
    do throws(FactorStoreError) {
      guard let length else { return PresentFile(file: try file.openForReading()) }
      return PresentFile(file: try file.lockForReading(length: length))
    } catch {
      switch error {
      case .system(.auditLog, let cause), .system(.auditLogHead, let cause):
        guard cause.isNotFound else { throw error }
        return nil
      case .system, .damaged, .otherVersion, .otherKey, .belongsToAnother, .rolledBack,
        .busy, .nameTooLong, .engine, .foreign, .renamed:
        throw error
      }
    }
  }
}

/// An existing, open file.
private struct PresentFile: ~Copyable {
  let file: File
}
