/// A path whose every directory but the last belongs to root and can be changed by nobody else, so
/// that what stands at its end is there because root put it there.
public struct TrustedPath: Sendable {
  /// The components, from the root directory on.
  public let components: [FileName]

  /// Reads an absolute path. Nil when it is none, or has an empty component, `.` or `..`.
  public init?(_ path: [UInt8]) {
    guard path.first == UInt8(ascii: "/") else { return nil }
    var components: [FileName] = []
    for part in path.dropFirst().split(
      separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    {
      guard let name = FileName(Array(part)) else { return nil }
      components.append(name)
    }
    guard !components.isEmpty else { return nil }
    self.components = components
  }

  /// Reads a literal path, as `init(_:)` does.
  public init?(_ path: StaticString) {
    // SAFETY: the buffer covers exactly the literal's bytes.
    self.init(path.withUTF8Buffer { unsafe Array($0) })
  }

  /// What stood in the way.
  public enum Refusal: Error, Equatable, Sendable {
    case system(SystemError)
    case untrusted(Distrust)
  }

  /// Opens the directory that holds the last component, and names that component.
  public func parent() throws(Refusal) -> Directory {
    try open(components.dropLast())
  }

  /// The last component.
  public var last: FileName { components[components.count - 1] }

  private func open(_ names: ArraySlice<FileName>) throws(Refusal) -> Directory {
    var directory = try Self.translating { () throws(SystemError) in try Directory.root() }
    try Self.check(directory)
    for name in names { directory = try Self.directory(name, in: directory) }
    return directory
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
