import MFABase

/// A user's file in `factors/`.
struct RecordFile: ~Copyable {
  private let directory: StoreDirectory
  private let name: FileName
  private let owner: UInt32

  init(directory: StoreDirectory, name: FileName, owner: UInt32) {
    self.directory = directory
    self.name = name
    self.owner = owner
  }

  /// Returns the content of the file, or nil if it does not exist.
  func read() throws(FactorStoreError) -> SealedRecord? {
    try Self.read(name, in: directory, owner: owner)
  }

  /// Returns the content of the file `name` in `factors/`, or nil if it does not exist.
  static func read(
    _ name: FileName, in directory: StoreDirectory, owner: UInt32
  ) throws(FactorStoreError) -> SealedRecord? {
    guard let file = try open(name, in: directory, owner: owner) else { return nil }
    let status = try onPart(.record) { () throws(SystemError) in try file.status() }
    // A file that was replaced after it was opened has the record of a moment ago.
    if let distrust = status.distrust(
      owners: (owner, owner), permissions: 0o600, mayBeReplaced: true)
    {
      throw .untrusted(.record, distrust)
    }
    guard status.size > 0 else { throw .untrusted(.record, .empty) }
    guard status.size <= Int64(SealedRecord.maximumLength) else {
      throw .untrusted(.record, .tooLarge)
    }
    return SealedRecord(
      bytes: try onPart(.record) { () throws(SystemError) in try file.read(count: Int(status.size))
      })
  }

  private static func open(
    _ name: FileName, in directory: StoreDirectory, owner: UInt32
  ) throws(FactorStoreError) -> File? {
    do throws(SystemError) {
      return try directory.opened.fileForReading(name)
    } catch {
      if error.isNotFound { return nil }
      throw refusal(error, of: .record, name, in: directory.opened, owner: owner)
    }
  }

  /// A change of the record that is prepared, so that it needs no more space.
  struct Draft: ~Copyable {
    /// Whether the record is removed.
    fileprivate let isRemoval: Bool
    /// The reserve, locked, if it has the new record because the file system is full. Otherwise, a
    /// file with a temporary name has it.
    fileprivate let reserve: Reserve?
  }

  /// The reserve with a new record, and the record that takes its place. Both are locked: another
  /// process must not use either as the reserve meanwhile.
  fileprivate struct Reserve: ~Copyable {
    let file: File
    let record: File
  }

  /// Writes a new record under another name, durably, or prepares the removal if `record` is nil.
  ///
  /// A full file system does not prevent the change of a record that exists: the reserve has space
  /// for it.
  func draft(_ record: SealedRecord?) throws(FactorStoreError) -> Draft {
    guard let record else { return Draft(isRemoval: true, reserve: nil) }
    let draft = try draftName()
    // Remove a temporary file left behind by a killed process. The caller holds the user's lock.
    try onPart(.record) { () throws(SystemError) in try removeIfPresent(draft) }
    do throws(SystemError) {
      let file = try create(draft)
      try file.write(record.bytes)
      try file.sync()
      return Draft(isRemoval: false, reserve: nil)
    } catch {
      discard(draft)
      guard error.hasNoSpace, try hasRecord() else { throw .system(.record, error) }
      guard let reserve = withReserve(record) else { throw .system(.record, error) }
      return Draft(isRemoval: false, reserve: reserve)
    }
  }

  /// Makes the change in one durable step. If the draft is the reserve, the replaced record becomes
  /// the new reserve.
  func take(_ draft: consuming Draft) throws(FactorStoreError) {
    if draft.isRemoval { return try remove() }
    let name = try draftName()
    switch draft.reserve {
    case .some(let reserve):
      guard let reserveName = Self.reserveName else { throw .nameTooLong }
      try onPart(.record) { () throws(SystemError) in
        try directory.opened.exchange(reserveName, self.name)
        try directory.opened.sync()
      }
      Self.clear(reserve.record)
      // The locks end with the open files, which must stay open until here.
      withExtendedLifetime(reserve) {}
    case .none:
      do throws(FactorStoreError) {
        try onPart(.record) { () throws(SystemError) in
          try directory.opened.rename(name, to: self.name)
          try directory.opened.sync()
        }
      } catch {
        discard(name)
        throw error
      }
      keepReserve()
    }
  }

  /// Removes the draft of a change that does not happen.
  func abandon(_ draft: consuming Draft) {
    guard !draft.isRemoval else { return }
    switch draft.reserve {
    // The content of the reserve has no meaning.
    case .some: return
    case .none:
      do throws(FactorStoreError) { discard(try draftName()) } catch {}
    }
  }

  private func hasRecord() throws(FactorStoreError) -> Bool {
    try onPart(.record) { () throws(SystemError) in
      try directory.opened.identity(of: name) != nil
    }
  }

  private func create(_ name: FileName) throws(SystemError) -> File {
    let file = try directory.opened.create(name)
    try file.changeMode(to: 0o600)
    if try file.status().owner != owner { try file.changeOwner(to: owner) }
    return file
  }

  private func removeIfPresent(_ name: FileName) throws(SystemError) {
    do throws(SystemError) { try directory.opened.unlink(name) } catch  where error.isNotFound {}
  }

  /// Removes a temporary file. A failure to do so is harmless.
  private func discard(_ name: FileName) {
    do throws(SystemError) { try removeIfPresent(name) } catch {}
  }

  // MARK: The reserve

  /// Whether a file in `factors/` is the reserve: a file with allocated space for one record, which
  /// belongs to no user. It changes places with the record that it replaces, because a directory
  /// entry for another name would need space too.
  static func isReserve(_ name: FileName) -> Bool { name == reserveName }

  /// No encoded user name and no draft of one begins with two full stops.
  private static var reserveName: FileName? { FileName("..reserve") }

  /// The number of bytes in the reserve.
  private static var reserveLength: Int64 { Int64(SealedRecord.maximumLength) }

  /// Creates the reserve if it is missing, and allocates its space again in a copy of the store, which
  /// may have a hole instead. Without space, the next change tries again.
  private func keepReserve() {
    guard let name = Self.reserveName else { return }
    do throws(SystemError) {
      guard let present = try directory.opened.identity(of: name) else {
        let file = try create(name)
        do throws(SystemError) {
          try Self.allocate(file)
        } catch {
          discard(name)
        }
        return
      }
      let file = try directory.opened.fileForUpdating(name)
      guard try file.status().allocated < Self.reserveLength, try file.lock(seconds: 0),
        // Another process may have made a record of the file meanwhile.
        try file.identity() == present, try directory.opened.identity(of: name) == present
      else { return }
      try Self.allocate(file)
    } catch {}
  }

  private static func allocate(_ file: borrowing File) throws(SystemError) {
    do throws(SystemError) {
      try file.allocate(reserveLength, at: 0)
    } catch {
      guard error.isNotSupported else { throw error }
      try file.write([UInt8](repeating: 0, count: Int(reserveLength)))
    }
  }

  /// Returns the reserve with this content, or nil if it has no space for the record.
  private func withReserve(_ record: SealedRecord) -> Reserve? {
    guard let reserveName = Self.reserveName else { return nil }
    do throws(SystemError) {
      let file = try directory.opened.fileForUpdating(reserveName)
      let present = try directory.opened.fileForUpdating(name)
      let status = try file.status()
      guard status.distrust(owners: (owner, owner), permissions: 0o600) == nil,
        try file.lock(seconds: OwnedFile.patience), try present.lock(seconds: OwnedFile.patience),
        // Another process may have made a record of the file meanwhile.
        try directory.opened.identity(of: reserveName) == file.identity()
      else { return nil }
      try file.write(record.bytes)
      try file.setLength(Int64(record.bytes.count))
      try file.sync()
      return Reserve(file: file, record: present)
    } catch {
      return nil
    }
  }

  /// Overwrites a record that has become the reserve. Without space for a longer one, the reserve
  /// has the length of this record.
  private static func clear(_ record: borrowing File) {
    do throws(SystemError) {
      let length = Int(truncatingIfNeeded: try record.status().size)
      try record.write([UInt8](repeating: 0, count: min(length, SealedRecord.maximumLength)))
      try record.allocate(reserveLength, at: 0)
    } catch {
      // It is a reserve nevertheless.
    }
  }

  /// Removes the record durably.
  func remove() throws(FactorStoreError) {
    try onPart(.record) { () throws(SystemError) in
      do throws(SystemError) { try directory.opened.unlink(name) } catch  where error.isNotFound {}
      try directory.opened.sync()
    }
  }

  /// Removes the record as `remove` does, and a temporary file left behind by a killed process.
  func removeEverything() throws(FactorStoreError) {
    let draft = try draftName()
    try onPart(.record) { () throws(SystemError) in
      do throws(SystemError) { try directory.opened.unlink(draft) } catch  where error.isNotFound {}
    }
    try remove()
  }

  private func draftName() throws(FactorStoreError) -> FileName {
    guard let draft = FileName([UInt8(ascii: ".")] + name.bytes) else { throw .nameTooLong }
    return draft
  }
}
