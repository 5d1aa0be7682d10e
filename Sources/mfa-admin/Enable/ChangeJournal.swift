import System

/// The changes that wait to be confirmed, and those that were: a file each.
///
/// MUST 1: it is nowhere that anybody but root can write to, for what it holds is written into service
/// files. MUST 2: a record is there before the first file is written, and until the last one is back.
/// (`ChangeFaults`)
struct ChangeJournal {
  /// Those that wait, or that somebody is at.
  static let pendingPath = "/etc/mfa/changes"
  /// Those that were confirmed, so that they can be undone exactly.
  static let confirmedPath = "/etc/mfa/enabled"

  /// A record, or a file that is none.
  typealias Entry = Result<ServiceChange, ChangeError>

  private init() {}

  /// The journal to be looked at alone.
  static var unlocked: ChangeJournal { ChangeJournal() }

  /// Does something while no other process switches services; waits for one that does, for at most
  /// `seconds`. Makes the folders where they are missing.
  static func locking<Result>(
    seconds: Int64, _ body: (ChangeJournal) throws(ChangeError) -> Result
  ) throws(ChangeError) -> Result {
    for path in [pendingPath, confirmedPath] { try make(path) }
    let folder = try open(pendingPath)
    guard try isLocked(folder, seconds) else { throw .busy }
    let result = try body(ChangeJournal())
    // The lock ends with the open folder, which has to live until here.
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

  /// Whether there is anything that waits, without a lock.
  static var isEmpty: Bool {
    do throws(ChangeError) {
      let drafts = try SystemFile.names(in: pendingPath, hidden: true)
      let records = try SystemFile.names(in: pendingPath)
      return drafts.isEmpty && records.isEmpty
    } catch {
      return true
    }
  }

  private static func make(_ path: String) throws(ChangeError) {
    // What stands above it is root's, or nothing is made.
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
      throw SystemFile.trouble(path, error)
    }
  }

  /// Opens a folder that nobody but root can look into.
  private static func open(_ path: String) throws(ChangeError) -> File {
    guard let trusted = TrustedPath(Array(path.utf8)) else {
      throw .file(path, .untrusted(.notADirectory))
    }
    do throws(TrustedPath.Refusal) {
      let parent = try trusted.parent()
      return try open(trusted.last, in: parent)
    } catch {
      throw SystemFile.trouble(path, error)
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

  /// The changes that wait.
  func pending() throws(ChangeError) -> [Entry] { try Self.entries(in: Self.pendingPath) }

  /// Removes what a process that was killed has left of a record.
  func removeDrafts() throws(ChangeError) {
    for name in try SystemFile.names(in: Self.pendingPath, hidden: true) {
      try SystemFile.remove(Self.pendingPath + "/" + name)
    }
  }

  /// The changes that were confirmed.
  func confirmed() throws(ChangeError) -> [Entry] { try Self.entries(in: Self.confirmedPath) }

  private static func entries(in path: String) throws(ChangeError) -> [Entry] {
    try SystemFile.names(in: path).map { entry(path + "/" + $0) }
  }

  private static func entry(_ path: String) -> Entry {
    do throws(ChangeError) {
      guard let file = try SystemFile.read(path) else { return .failure(.record(path)) }
      guard let change = ServiceChange(file.contents),
        path.hasSuffix("/" + String(decoding: change.service, as: UTF8.self))
      else { return .failure(.record(path)) }
      return .success(change)
    } catch {
      return .failure(error)
    }
  }

  /// Writes a change down, in the place of what was known of it.
  func write(_ change: ServiceChange) throws(ChangeError) {
    try SystemFile.write(
      change.bytes, permissions: 0o600, group: 0, to: Self.path(change, Self.pendingPath))
  }

  /// Keeps a change for good.
  func confirm(_ change: ServiceChange) throws(ChangeError) {
    let path = Self.path(change, Self.pendingPath)
    do throws(SystemError) {
      try ChangeFolder.move(path, to: Self.path(change, Self.confirmedPath))
    } catch {
      throw .file(path, .system(error))
    }
    // The names are on the disk: where they are not, it would be undone at the next start.
    for folder in [Self.confirmedPath, Self.pendingPath] {
      try SystemFile.sync(folderOf: Self.path(change, folder))
    }
  }

  /// Forgets a change that has been undone.
  func forget(_ change: ServiceChange) throws(ChangeError) {
    for folder in [Self.confirmedPath, Self.pendingPath] {
      try SystemFile.remove(Self.path(change, folder))
    }
  }

  private static func path(_ change: ServiceChange, _ folder: String) -> String {
    folder + "/" + String(decoding: change.service, as: UTF8.self)
  }
}
