import CPOSIX
import Secrets

/// A path whose every directory but the last belongs to root and can be changed by nobody else, so
/// that what stands at its end is there because root put it there.
///
/// The directories are looked at by their paths, from the root directory on, and only the last one is
/// opened: what is named in a directory that root alone can change stays what it is while the next one
/// is looked at. MUST 1: none of them is a symbolic link. (`TrustedPathTests`)
public struct TrustedPath: Sendable {
  /// The path, as it was given.
  private let bytes: [UInt8]

  /// The last component.
  public let last: FileName

  /// The components, from the root directory on.
  public var components: [FileName] {
    bytes.split(separator: UInt8(ascii: "/")).compactMap { FileName(Array($0)) }
  }

  /// Reads an absolute path. Nil when it is none, or has an empty component, `.` or `..`.
  public init?(_ path: [UInt8]) {
    guard path.first == UInt8(ascii: "/") else { return nil }
    var start = 1
    for index in path.indices.dropFirst() where path[index] == UInt8(ascii: "/") {
      guard FileName.isName(path[start..<index]) else { return nil }
      start = index &+ 1
    }
    guard let last = FileName(Array(path[start...])) else { return nil }
    bytes = path
    self.last = last
  }

  /// Reads a literal path, as `init(_:)` does.
  public init?(_ path: StaticString) { self.init(path.bytes) }

  /// What stood in the way.
  public enum Refusal: Error, Equatable, Sendable {
    case system(SystemError)
    case untrusted(Distrust)
  }

  /// Opens the directory that holds the last component.
  public func parent() throws(Refusal) -> Directory {
    let end = bytes.count &- last.bytes.count &- 1
    try checkDirectories(above: end)
    let directory = try Self.translating { () throws(SystemError) in
      try Directory.at(path(upTo: end))
    }
    try Self.check(directory)
    return directory
  }

  /// Judges every directory but the last component, which may then be opened with `lastDirectory`.
  public func checkParents() throws(Refusal) { try checkDirectories(above: bytes.count) }

  /// Opens the last component, a directory, which is not judged.
  public func lastDirectory() throws(SystemError) -> Directory {
    try Directory.at(path(upTo: bytes.count))
  }

  /// Judges the directories above the one whose path takes so many bytes.
  private func checkDirectories(above end: Int) throws(Refusal) {
    for index in bytes.prefix(end).indices where bytes[index] == UInt8(ascii: "/") {
      let path = path(upTo: index)
      let status = try Self.translating { () throws(SystemError) in try Directory.status(at: path) }
      guard status.kind == .directory else {
        throw .system(SystemError(.open, number: ENOTDIR))
      }
      try Self.check(status)
    }
  }

  /// The beginning of the path, as C reads it; the root directory's own path where it is empty.
  private func path(upTo end: Int) -> [CChar] {
    var path: [CChar] = []
    path.reserveCapacity(max(end, 1) &+ 1)
    for byte in bytes.prefix(max(end, 1)) { path.append(CChar(bitPattern: byte)) }
    path.append(0)
    return path
  }

  /// Opens a directory that belongs to root and can be changed by nobody else, in one that is so too.
  public static func directory(
    _ name: FileName, in parent: borrowing Directory
  ) throws(Refusal) -> Directory {
    let directory = try translating { () throws(SystemError) in try parent.directory(name) }
    try check(directory)
    return directory
  }

  private static func check(_ directory: borrowing Directory) throws(Refusal) {
    let status: FileStatus
    do throws(SystemError) { status = try directory.status() } catch { throw .system(error) }
    try check(status)
  }

  private static func check(_ status: FileStatus) throws(Refusal) {
    guard status.owner == 0 else { throw .untrusted(.wrongOwner) }
    guard !status.isWritableByOthers else { throw .untrusted(.wrongPermissions) }
  }

  /// Opens something without following a link, and says of one that it is not trusted.
  public static func translating<Result: ~Copyable>(
    _ body: () throws(SystemError) -> Result
  ) throws(Refusal) -> Result {
    do throws(SystemError) {
      return try body()
    } catch {
      throw error.isSymbolicLink ? .untrusted(.symbolicLink) : .system(error)
    }
  }
}
