import MFABytes
import MFAStoreFiles
import MFASystem

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

  /// Replaces the stored record with `record` in one durable step.
  func replace(with record: SealedRecord) throws(FactorStoreError) {
    let draft = try draftName()
    try onPart(.record) { () throws(SystemError) in
      // Remove a temporary file left behind by a killed process. The caller holds the user's lock.
      do throws(SystemError) { try directory.opened.unlink(draft) } catch  where error.isNotFound {}
    }
    do throws(FactorStoreError) {
      try onPart(.record) { () throws(SystemError) in
        let file = try directory.opened.create(draft)
        try file.changeMode(to: 0o600)
        let created = try file.status()
        if created.owner != owner { try file.changeOwner(to: owner) }
        try file.write(record.bytes)
        try file.sync()
        try directory.opened.rename(draft, to: name)
        try directory.opened.sync()
      }
    } catch {
      // Remove the temporary file. A failure to do so is harmless.
      do throws(SystemError) { try directory.opened.unlink(draft) } catch {}
      throw error
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
