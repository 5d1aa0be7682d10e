import MFAAdmin
import MFABase

/// The correction of owners and permissions in the store and in the configuration, for `mfa-admin repair`.
///
/// MUST 1: no symbolic link is followed, and nothing outside of the two folders is changed.
/// (`EndToEnd.Repairing.foreign`)
/// MUST 2: a file with several hard links is not changed: it could be a file of another folder.
/// (`EndToEnd.Repairing.foreign`)
/// MUST 3: what is changed is what was examined, through its descriptor. A folder is corrected before its files, so
/// that its former owner cannot exchange them meanwhile. (`EndToEnd.Repairing.wrongOwner`)
package struct Repair {
  /// Whether nothing is changed.
  private let isDryRun: Bool
  private let owners: FileOwners
  /// The changes, in the order in which they are made.
  package private(set) var changes: [Change] = []
  /// What cannot be repaired.
  package private(set) var obstacles: [Finding] = []
  /// What else to do, because others could read or write a file.
  package private(set) var warnings: [Finding] = []
  /// The paths that were found.
  private var found: Set<String> = []

  /// Examines the store and the configuration of this host, and corrects them unless `isDryRun` is set.
  package init(isDryRun: Bool) throws(AdminError) {
    self.isDryRun = isDryRun
    owners = try FileOwners.ofThisHost()
    let all = InstalledFile.configuration + InstalledFile.store
    for folder in all.prefix(1) + InstalledFile.store.prefix(1) { examine(folder) }
    for required in all where !required.isOptional && !found.contains(required.path) {
      obstacles.append(required.finding("is missing"))
    }
    let host = LocalExaminedHost()
    for program in InstalledFile.programs {
      guard let status = try host.status(of: program.path) else {
        if !program.isOptional { obstacles.append(program.finding("is missing")) }
        continue
      }
      if let reason = program.violation(status, owners) {
        obstacles.append(program.finding(reason))
      }
    }
  }

  // MARK: Files

  /// Examines and corrects one of the two folders, and what is in it.
  private mutating func examine(_ required: InstalledFile) {
    guard let path = TrustedPath(Array(required.path.utf8)) else { return }
    do throws(SystemError) {
      try examine(path.last, in: try path.parent(), required)
    } catch {
      refuse(required, error)
    }
  }

  /// Examines and corrects a file or folder, and what is in it.
  private mutating func examine(
    _ name: FileName, in directory: borrowing Directory, _ required: InstalledFile
  ) throws(SystemError) {
    do throws(SystemError) {
      // Opening a device could have an effect.
      switch try directory.status(of: name).kind {
      case .directory where required.kind == .folder:
        try correct(try directory.directory(name), required)
      case .regular where required.kind == .file:
        try correct(try directory.fileForReading(name), required)
      case let kind:
        found.insert(required.path)
        let kind = kind == .regular ? "file" : kind == .directory ? "folder" : "link or device"
        let expected = required.kind.rawValue
        obstacles.append(
          Finding(
            required, "is a \(kind), not a \(expected), and was not changed: \(required.harm)",
            hint:
              "put the \(expected) itself in its place: ls -ld \(VisibleText.escaping(required.path))"
          ))
      }
    } catch {
      // The file may have been removed since its folder was read.
      guard !error.isNotFound else { return }
      refuse(required, error)
    }
  }

  private mutating func correct(
    _ folder: consuming Directory, _ required: InstalledFile
  ) throws(SystemError) {
    let status = PathStatus(try folder.status())
    if let new = correction(of: status, required) {
      if !isDryRun {
        try folder.change(owner: new.owner, group: new.group, permissions: new.permissions)
      }
      note(required, status, new)
    }
    var names: [FileName] = []
    try folder.forEachEntry { name in
      names.append(name)
      return true
    }
    for name in names.sorted(by: { $0.bytes.lexicographicallyPrecedes($1.bytes) }) {
      let text = String(decoding: name.bytes, as: UTF8.self)
      let path = "\(required.path)/\(text)"
      let known = InstalledFile.configuration + InstalledFile.store
      if let file = known.first(where: { $0.path == path }) ?? required.file(named: text) {
        try examine(name, in: folder, file)
      } else {
        leave(path, PathStatus(try folder.status(of: name)))
      }
    }
  }

  private mutating func correct(
    _ file: consuming File, _ required: InstalledFile
  ) throws(SystemError) {
    let status = PathStatus(try file.status())
    guard status.links == 1 else {
      found.insert(required.path)
      obstacles.append(
        required.finding("has \(status.links) hard links, and was not changed"))
      return
    }
    if let new = correction(of: status, required) {
      if !isDryRun {
        // In this order, because a change of the owner can clear bits of the mode.
        try file.changeOwner(to: new.owner)
        try file.changeGroup(to: new.group)
        try file.changeMode(to: new.permissions)
      }
      note(required, status, new)
    }
    if let size = required.size, status.size != size {
      obstacles.append(required.finding("has \(status.size) bytes, expected \(size)"))
    }
  }

  /// Returns what a file or folder has to become, or nil if there is nothing to change.
  private mutating func correction(
    of status: PathStatus, _ required: InstalledFile
  ) -> PathStatus? {
    found.insert(required.path)
    guard let new = required.corrected(status, owners) else {
      obstacles.append(
        required.finding(
          "was not changed, because the user \(required.owner.rawValue) does not exist"))
      return nil
    }
    return new == status ? nil : new
  }

  /// Notes a change that was made.
  private mutating func note(_ required: InstalledFile, _ old: PathStatus, _ new: PathStatus) {
    changes.append(Change(path: required.path, old: old, new: new))
    if let warning = required.warning(old, new) { warnings.append(warning) }
  }

  // MARK: Obstacles

  private mutating func refuse(_ required: InstalledFile, _ error: SystemError) {
    found.insert(required.path)
    let failure = AdminError.unwritable(required.path, error)
    obstacles.append(
      Finding(required, "was not changed: \(error.text); \(required.harm)", hint: failure.hint))
  }

  /// Leaves a file that is not one of mfa. It is reported if it belongs to neither root nor mfa.
  private mutating func leave(_ path: String, _ status: PathStatus) {
    guard status.owner != 0, status.owner != owners.mfa.user else { return }
    let path = VisibleText.escaping(path)
    obstacles.append(
      Finding(
        severity: .warning, code: "ownership", place: path,
        message:
          "is not a file of mfa, belongs to the user \(Change.name(ofUser: status.owner)), and was not changed",
        hint: "move it away, or give it the owner that it had: ls -ld \(path)"))
  }
}

extension Finding {
  /// Creates an error about a file of the installation.
  fileprivate init(_ required: InstalledFile, _ message: String, hint: String) {
    self.init(
      severity: .error, code: "ownership", place: VisibleText.escaping(required.path),
      message: message, hint: hint)
  }
}

extension PathStatus {
  fileprivate init(_ status: FileStatus) {
    let kind: Kind =
      switch status.kind {
      case .regular: .file
      case .directory: .folder
      case .other: .other
      }
    self.init(
      kind: kind, owner: status.owner, permissions: status.permissions, links: status.links,
      size: status.size, group: status.group)
  }
}

extension FileOwners {
  /// Looks the accounts up. Throws if the user mfa does not exist.
  fileprivate static func ofThisHost() throws(AdminError) -> FileOwners {
    func identity(_ owner: InstalledFile.Owner) throws(SystemError) -> (UInt32?, UInt32?) {
      let name = Array(owner.rawValue.utf8)
      return (try Account.named(name)?.uid, try Account.primaryGroup(ofAccount: name))
    }
    let owners: FileOwners
    do throws(SystemError) {
      owners = FileOwners(mfa: try identity(.mfa), gateway: try identity(.gateway))
    } catch {
      throw .accounts(error)
    }
    guard let user = owners.mfa.user, user != 0, owners.mfa.group != nil else {
      throw .noSystemUser
    }
    return owners
  }
}
