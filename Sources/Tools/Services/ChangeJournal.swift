import MFAAdmin
import MFABase

/// The records of pending and confirmed changes, one file for each change.
///
/// MUST 1: only root can write to the records, because their contents are written into service
/// files. MUST 2: the record exists before the first file is written and until the last file is
/// restored. (`ChangeFaults`)
package struct ChangeJournal {
  /// The folder for changes that are pending or in progress.
  static let pendingPath = "\(InstalledPath.pendingChanges)"
  /// The folder for confirmed changes, which are kept so that they can be undone exactly.
  static let confirmedPath = "\(InstalledPath.confirmedChanges)"

  /// A change record, or the error if the file is not a valid record.
  package typealias Entry = Result<ServiceChange, ChangeError>

  private init() {}

  /// The journal for reading, without the lock.
  package static var unlocked: ChangeJournal { ChangeJournal() }

  /// Runs `body` while no other process changes services. Waits at most `seconds` for the lock, and
  /// creates missing folders.
  package static func locking<Result>(
    seconds: Int64, _ body: (ChangeJournal) throws(ChangeError) -> Result
  ) throws(ChangeError) -> Result {
    for path in [pendingPath, confirmedPath] { try make(path) }
    let folder = try open(pendingPath)
    guard try isLocked(folder, seconds) else { throw .busy }
    let result = try body(ChangeJournal())
    // Closing the folder releases the lock, so the folder must stay open until here.
    withExtendedLifetime(folder) {}
    return result
  }

  private static func isLocked(
    _ folder: borrowing File, _ seconds: Int64
  ) throws(ChangeError) -> Bool {
    do throws(SystemError) { return try folder.lock(seconds: seconds) } catch {
      throw .file(pendingPath, .system(error))
    }
  }

  /// Whether no change is pending, or the folder cannot be read. Does not take the lock.
  package static var isEmpty: Bool {
    do throws(ChangeError) {
      let drafts = try SystemFile.names(in: pendingPath, hidden: true)
      let records = try SystemFile.names(in: pendingPath)
      return drafts.isEmpty && records.isEmpty
    } catch {
      return true
    }
  }

  private static func make(_ path: String) throws(ChangeError) {
    // Create nothing unless the folders above belong to root.
    guard let trusted = TrustedPath(Array(path.utf8)) else { return }
    do throws(TrustedPath.Refusal) {
      let parent = try trusted.parent()
      do throws(SystemError) {
        try ChangeFolder.make(path)
        try parent.sync()
      } catch {
        throw .system(error)
      }
    } catch {
      throw SystemFile.problem(path, error)
    }
  }

  /// Opens a folder that only root can access.
  private static func open(_ path: String) throws(ChangeError) -> File {
    guard let trusted = TrustedPath(Array(path.utf8)) else {
      throw .file(path, .untrusted(.notADirectory))
    }
    do throws(TrustedPath.Refusal) {
      let parent = try trusted.parent()
      return try open(trusted.last, in: parent)
    } catch {
      throw SystemFile.problem(path, error)
    }
  }

  private static func open(
    _ name: FileName, in parent: borrowing Directory
  ) throws(TrustedPath.Refusal) -> File {
    let file = try opened(name, in: parent)
    let status: FileStatus
    do throws(SystemError) { status = try file.status() } catch { throw .system(error) }
    guard status.kind == .directory else { throw .untrusted(.notADirectory) }
    guard status.owner == 0 else { throw .untrusted(.wrongOwner) }
    guard status.permissions & 0o077 == 0 else { throw .untrusted(.wrongPermissions) }
    return file
  }

  private static func opened(
    _ name: FileName, in parent: borrowing Directory
  ) throws(TrustedPath.Refusal) -> File {
    do throws(SystemError) { return try parent.fileForReading(name) } catch {
      throw error.isSymbolicLink ? .untrusted(.symbolicLink) : .system(error)
    }
  }

  /// Returns the pending changes.
  package func pending() throws(ChangeError) -> [Entry] { try Self.entries(in: Self.pendingPath) }

  /// Removes partly written records left behind by an interrupted process.
  func removeDrafts() throws(ChangeError) {
    for name in try SystemFile.names(in: Self.pendingPath, hidden: true) {
      try SystemFile.remove(Self.pendingPath + "/" + name)
    }
  }

  /// Returns the confirmed changes.
  package func confirmed() throws(ChangeError) -> [Entry] {
    try Self.entries(in: Self.confirmedPath)
  }

  /// Returns the names of the services with a record, sorted. The record of a service may be invalid.
  package func changedServices() throws(ChangeError) -> [[UInt8]] {
    let names = Set(
      try SystemFile.names(in: Self.pendingPath) + SystemFile.names(in: Self.confirmedPath))
    return names.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }
  }

  /// Throws the error of the first record of a service that is invalid.
  package func checkRecords(of service: [UInt8]) throws(ChangeError) {
    for path in [Self.pendingPath, Self.confirmedPath] {
      let record = path + "/" + String(decoding: service, as: UTF8.self)
      guard try PresentFile.at(record) != .absent else { continue }
      _ = try Self.entry(record).get()
    }
  }

  private static func entries(in path: String) throws(ChangeError) -> [Entry] {
    try SystemFile.names(in: path).map { entry(path + "/" + $0) }
  }

  private static func entry(_ path: String) -> Entry {
    do throws(ChangeError) {
      guard let file = try SystemFile.read(path) else { return .failure(.invalidRecord(path)) }
      guard let change = ServiceChange(file.contents),
        path.hasSuffix("/" + String(decoding: change.service, as: UTF8.self))
      else { return .failure(.invalidRecord(path)) }
      return .success(change)
    } catch {
      return .failure(error)
    }
  }

  /// Writes the record of a pending change and replaces its previous record.
  package func write(_ change: ServiceChange) throws(ChangeError) {
    try SystemFile.write(
      change.bytes, permissions: 0o600, group: 0, to: Self.path(change, Self.pendingPath))
  }

  /// Moves the record of a change to the confirmed changes.
  package func confirm(_ change: ServiceChange) throws(ChangeError) {
    let path = Self.path(change, Self.pendingPath)
    do throws(SystemError) {
      try ChangeFolder.move(path, to: Self.path(change, Self.confirmedPath))
    } catch {
      throw .file(path, .system(error))
    }
    // Write both folders to the disk. Otherwise the change could be rolled back at the next
    // restart.
    for folder in [Self.confirmedPath, Self.pendingPath] {
      try SystemFile.sync(folderOf: Self.path(change, folder))
    }
  }

  /// Removes the record of a change that has been undone.
  package func removeRecord(of change: ServiceChange) throws(ChangeError) {
    for folder in [Self.confirmedPath, Self.pendingPath] {
      try SystemFile.remove(Self.path(change, folder))
    }
  }

  private static func path(_ change: ServiceChange, _ folder: String) -> String {
    folder + "/" + String(decoding: change.service, as: UTF8.self)
  }
}
