import MFACPOSIX

/// A path whose directories all belong to root and can be changed by no other user, so that only
/// root can have created the file at its end.
///
/// The directories are checked by path, from the root directory down, and only the last one is
/// opened. This is safe because an entry of a directory that only root can change cannot be
/// replaced while the next one is checked. MUST 1: none of the directories is a symbolic link.
/// (`TrustedPathTests`)
package struct TrustedPath: Sendable {
  /// The path as given.
  package let bytes: [UInt8]

  /// The last component.
  package let last: FileName

  /// The components, from the root directory down.
  package var components: [FileName] {
    bytes.split(separator: UInt8(ascii: "/")).compactMap { FileName(Array($0)) }
  }

  /// Parses an absolute path. Returns nil if the path is not absolute or has an empty component,
  /// `.` or `..`.
  package init?(_ path: [UInt8]) {
    guard path.first == UInt8(ascii: "/") else { return nil }
    var rest = path.span.extracting(droppingFirst: 1)
    var end = rest.firstIndex(of: UInt8(ascii: "/"))
    while end < rest.count {
      guard FileName.isName(rest.part(from: 0, count: end)) else { return nil }
      rest = rest.part(from: end &+ 1, count: rest.count)
      end = rest.firstIndex(of: UInt8(ascii: "/"))
    }
    guard let last = FileName(rest.copied()) else { return nil }
    bytes = path
    self.last = last
  }

  /// Parses a literal path; see `init(_:)`.
  package init?(_ path: StaticString) { self.init(path.bytes) }

  /// Checks all directories of the path, and opens the one that contains the last component.
  package func parent() throws(SystemError) -> Directory {
    let end = bytes.count &- last.bytes.count &- 1
    try checkDirectories(above: end)
    let directory = try Directory.at(path(upTo: end))
    try Self.check(directory)
    return directory
  }

  /// Checks all directories except the last component, which can then be opened with
  /// `lastDirectory`.
  package func checkParents() throws(SystemError) { try checkDirectories(above: bytes.count) }

  /// Opens the last component, a directory, without checking it.
  package func lastDirectory() throws(SystemError) -> Directory {
    try Directory.at(path(upTo: bytes.count))
  }

  /// Whether every user may search all directories of the path, so that the mode of the file alone decides
  /// who can read it.
  package func isReachableByEveryUser() throws(SystemError) -> Bool {
    for index in bytes.indices where bytes[index] == UInt8(ascii: "/") {
      let path = path(upTo: index)
      let status = try Directory.status(at: path)
      guard status.permissions & 0o001 != 0 else { return false }
    }
    return true
  }

  /// Checks the directories above the one whose path is `end` bytes long.
  private func checkDirectories(above end: Int) throws(SystemError) {
    for index in bytes.indices where index < end && bytes[index] == UInt8(ascii: "/") {
      let path = path(upTo: index)
      let status = try Directory.status(at: path)
      guard status.kind == .directory else { throw SystemError(.open, number: ENOTDIR) }
      try Self.check(status)
    }
  }

  /// Returns the first `end` bytes of the path as a C string, or the path of the root directory if
  /// `end` is 0.
  private func path(upTo end: Int) -> [CChar] {
    var path: [CChar] = []
    path.reserveCapacity(max(end, 1) &+ 1)
    let part = bytes.span.part(from: 0, count: max(end, 1))
    for index in part.indices { path.append(CChar(bitPattern: part[index])) }
    path.append(0)
    return path
  }

  /// Opens a directory that belongs to root and can be changed by no other user. `parent` must have
  /// passed the same check.
  package static func directory(
    _ name: FileName, in parent: borrowing Directory
  ) throws(SystemError) -> Directory {
    let directory = try parent.directory(name)
    try check(directory)
    return directory
  }

  /// Reads the file at the end of the path. Refuses a file that a user other than root could have
  /// written, and one of more than `longest` bytes.
  package func contents(longest: Int) throws(SystemError) -> (bytes: [UInt8], status: FileStatus) {
    let directory = try parent()
    let file = try directory.fileForReading(last)
    let status = try file.status()
    if let distrust = status.distrust { throw .untrusted(distrust) }
    guard status.size <= Int64(longest) else { throw .untrusted(.tooLarge) }
    let bytes = try file.read(count: Int(clamping: status.size))
    return (bytes, status)
  }

  /// Returns the names in the directory at the end of the path, which is checked too.
  package func names() throws(SystemError) -> [[UInt8]] {
    // `parent` opens the directory above the last component. The component added here is never used.
    guard let inside = TrustedPath(bytes + [UInt8(ascii: "/"), UInt8(ascii: "-")]) else {
      return []
    }
    let directory = try inside.parent()
    var names: [[UInt8]] = []
    try directory.forEachEntry { name in
      names.append(name.bytes)
      return true
    }
    return names
  }

  private static func check(_ directory: borrowing Directory) throws(SystemError) {
    try check(try directory.status())
  }

  private static func check(_ status: FileStatus) throws(SystemError) {
    guard status.owner == 0 else { throw .untrusted(.wrongOwner) }
    guard !status.isWritableByOthers else { throw .untrusted(.wrongPermissions) }
  }
}
