import MFAAdmin
import MFABase
import MFADoctor

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
  package typealias Entry = Result<ServiceChange, AdminError>

  private init() {}

  /// The journal for reading, without the lock.
  package static var unlocked: ChangeJournal { ChangeJournal() }

  /// Runs `body` while no other process changes services. Waits at most `seconds` for the lock, and
  /// creates missing folders.
  package static func locking<Result>(
    seconds: Int64, _ body: (ChangeJournal) throws(AdminError) -> Result
  ) throws(AdminError) -> Result {
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
  ) throws(AdminError) -> Bool {
    do throws(SystemError) { return try folder.lock(seconds: seconds) } catch {
      throw .file(pendingPath, error)
    }
  }

  /// Whether no change is pending, or the folder cannot be read. Does not take the lock.
  package static var isEmpty: Bool {
    do throws(AdminError) {
      let drafts = try SystemFile.names(in: pendingPath, hidden: true)
      let records = try SystemFile.names(in: pendingPath)
      return drafts.isEmpty && records.isEmpty
    } catch {
      return true
    }
  }

  private static func make(_ path: String) throws(AdminError) {
    // Create nothing unless the folders above belong to root.
    guard let trusted = TrustedPath(Array(path.utf8)) else { return }
    do throws(SystemError) {
      try trusted.inParent { (parent, _) throws(SystemError) in
        try ChangeFolder.make(path)
        try parent.sync()
      }
    } catch {
      throw .file(path, error)
    }
  }

  /// Opens a folder that only root can access.
  private static func open(_ path: String) throws(AdminError) -> File {
    guard let trusted = TrustedPath(Array(path.utf8)) else {
      throw .file(path, .untrusted(.notADirectory))
    }
    do throws(SystemError) {
      let parent = try trusted.parent()
      let file = try parent.fileForReading(trusted.last)
      let status = try file.status()
      guard status.kind == .directory else { throw .untrusted(.notADirectory) }
      guard status.owner == 0 else { throw .untrusted(.wrongOwner) }
      guard status.permissions & 0o077 == 0 else { throw .untrusted(.wrongPermissions) }
      return file
    } catch {
      throw .file(path, error)
    }
  }

  /// Returns the pending changes.
  package func pending() throws(AdminError) -> [Entry] { try Self.entries(in: Self.pendingPath) }

  /// Removes partly written records left behind by an interrupted process.
  func removeDrafts() throws(AdminError) {
    for name in try SystemFile.names(in: Self.pendingPath, hidden: true) {
      try SystemFile.remove(Self.pendingPath + "/" + name)
    }
  }

  /// Returns the confirmed changes.
  package func confirmed() throws(AdminError) -> [Entry] {
    try Self.entries(in: Self.confirmedPath)
  }

  /// Returns the names of the services with a record, sorted. The record of a service may be invalid.
  package func changedServices() throws(AdminError) -> [[UInt8]] {
    let names = Set(
      try SystemFile.names(in: Self.pendingPath) + SystemFile.names(in: Self.confirmedPath))
    return names.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }
  }

  /// Throws the error of the first record of a service that is invalid.
  package func checkRecords(of service: [UInt8]) throws(AdminError) {
    for path in [Self.pendingPath, Self.confirmedPath] {
      let record = path + "/" + String(decoding: service, as: UTF8.self)
      guard try PresentFile.at(record) != .absent else { continue }
      _ = try Self.entry(record).get()
    }
  }

  /// Returns the pending change of a service, or nil if there is no valid record of one.
  func pending(_ service: [UInt8]) throws(AdminError) -> ServiceChange? {
    try Self.change(of: service, in: Self.pendingPath)
  }

  /// Returns the confirmed change of a service, or nil if there is no valid record of one.
  func confirmed(_ service: [UInt8]) throws(AdminError) -> ServiceChange? {
    try Self.change(of: service, in: Self.confirmedPath)
  }

  private static func change(
    of service: [UInt8], in path: String
  ) throws(AdminError) -> ServiceChange? {
    for case .success(let change) in try entries(in: path) where change.service == service {
      return change
    }
    return nil
  }

  private static func entries(in path: String) throws(AdminError) -> [Entry] {
    try SystemFile.names(in: path).map { entry(path + "/" + $0) }
  }

  private static func entry(_ path: String) -> Entry {
    do throws(AdminError) {
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
  package func write(_ change: ServiceChange) throws(AdminError) {
    try SystemFile(contents: change.bytes, permissions: 0o600, group: 0)
      .write(to: Self.path(change, Self.pendingPath))
  }

  /// Moves the record of a change to the confirmed changes.
  package func confirm(_ change: ServiceChange) throws(AdminError) {
    let path = Self.path(change, Self.pendingPath)
    do throws(SystemError) {
      try ChangeFolder.move(path, to: Self.path(change, Self.confirmedPath))
    } catch {
      throw .file(path, error)
    }
    // Write both folders to the disk. Otherwise the change could be rolled back at the next
    // restart.
    for folder in [Self.confirmedPath, Self.pendingPath] {
      try SystemFile.sync(folderOf: Self.path(change, folder))
    }
  }

  /// Removes the record of a change that has been undone.
  package func removeRecord(of change: ServiceChange) throws(AdminError) {
    for folder in [Self.confirmedPath, Self.pendingPath] {
      try SystemFile.remove(Self.path(change, folder))
    }
  }

  private static func path(_ change: ServiceChange, _ folder: String) -> String {
    folder + "/" + String(decoding: change.service, as: UTF8.self)
  }
}

extension RecordedService {
  /// Reads the records of confirmed changes, and what is left of the changes.
  package static func all() -> Result<[RecordedService], AdminError> {
    do throws(AdminError) {
      var services: [RecordedService] = []
      for entry in try ChangeJournal.unlocked.confirmed() {
        services.append(RecordedService(try entry.get()))
      }
      return .success(services)
    } catch {
      return .failure(AdminError(at: ChangeJournal.confirmedPath, error.message))
    }
  }

  private init(_ change: ServiceChange) {
    self.init(
      name: change.service,
      files: change.files.map { file in
        Self.file(file, change.service)
      })
  }

  private static func file(_ file: ChangedFile, _ service: [UInt8]) -> File {
    let present: SystemFile?
    do throws(AdminError) { present = try SystemFile.read(file.path) } catch {
      return File(path: file.path, state: .unreadable(error.message))
    }
    guard let present else { return File(path: file.path, state: .gone) }
    guard present.contents != file.new else {
      return File(path: file.path, state: .complete, isUnchanged: true)
    }
    return File(path: file.path, state: state(of: present, file, service))
  }

  private static func state(
    of present: SystemFile, _ file: ChangedFile, _ service: [UInt8]
  ) -> State {
    let marks = MarkedText(service: service)
    switch marks.removing(from: present.contents) {
    case .absent: return .withoutLines
    case .removed(_, let line?): return .edited(line: line)
    case .removed:
      // Edits outside the marks do not matter.
      return marks.ourLines(in: present.contents) == marks.ourLines(in: file.new)
        ? .complete : .withoutLines
    }
  }
}

/// A report in a file that another program reads, such as the textfile collector of node_exporter.
///
/// The folder may belong to the other program's user. Then the file is written with this user's rights,
/// so that the user gains nothing by exchanging the folder. MUST 1: no link is followed, and only a
/// regular file is replaced. (`EndToEnd.Doctor`)
package enum ReportFile {
  /// Writes the report and replaces the existing file at once.
  package static func write(_ contents: [UInt8], to path: String) throws(AdminError) {
    guard let place = TrustedPath(Array(path.utf8)),
      let draft = SystemFile.draft(of: place.last)
    else { throw .report(path, .untrusted(.notARegularFile)) }
    let folder = try folder(of: place, path)
    let owner = try owner(of: folder, String(path.dropLast(place.last.bytes.count)))
    do throws(SystemError) {
      var isTaken = false
      try EffectiveUser.acting(as: owner) { () throws(SystemError) in
        isTaken = try Self.isTaken(place.last, in: folder)
        guard !isTaken else { return }
        try folder.replace(place.last, by: draft, contents) { (file) throws(SystemError) in
          try file.changeMode(to: 0o644)
        }
      }
      guard isTaken else { return }
    } catch {
      throw .report(path, error)
    }
    throw .report(path, .untrusted(.notARegularFile))
  }

  /// Opens the folder, without following a link.
  private static func folder(
    of place: TrustedPath, _ path: String
  ) throws(AdminError) -> Directory {
    var reached = path
    do throws(SystemError) {
      var folder = try Directory.root()
      reached = ""
      for name in place.components.dropLast() {
        reached += "/" + String(decoding: name.bytes, as: UTF8.self)
        folder = try folder.directory(name)
      }
      return folder
    } catch {
      throw .report(reached, error)
    }
  }

  /// Returns the owner of the folder. Throws if other users can write to it.
  private static func owner(
    of folder: borrowing Directory, _ path: String
  ) throws(AdminError) -> UInt32 {
    let status: FileStatus
    do throws(SystemError) { status = try folder.status() } catch {
      throw .report(path, error)
    }
    guard !status.isWritableByOthers else { throw .report(path, .untrusted(.wrongPermissions)) }
    return status.owner
  }

  private static func isTaken(
    _ name: FileName, in folder: borrowing Directory
  ) throws(SystemError) -> Bool {
    do throws(SystemError) { return try folder.status(of: name).kind != .regular } catch
      where error.isNotFound
    { return false }
  }
}

/// The time that a change waits for confirmation. Its text form is a whole number followed by s, m
/// or h.
package struct ConfirmationTime: Equatable {
  /// The time in seconds.
  package let seconds: Int64

  /// The default of five minutes.
  package static let usual = ConfirmationTime(seconds: 300)

  /// The accepted range in seconds.
  static let range: ClosedRange<Int64> = 1...86_400

  private init(seconds: Int64) { self.seconds = seconds }

  /// Parses an option's argument. Nil if the text is not a time or is outside `range`.
  package init?(argument: String) {
    guard let seconds = GrantDuration.seconds(argument, units: "smh", in: Self.range) else {
      return nil
    }
    self.seconds = seconds
  }

  /// The time in its text form.
  package var text: String {
    if seconds % 3600 == 0 { return "\(seconds / 3600)h" }
    return seconds % 60 == 0 ? "\(seconds / 60)m" : "\(seconds)s"
  }
}
