import MFABase

/// The folders of a path, and what is at its end, after symbolic links.
///
/// MUST 1: what a program of root is told to read is at a path that root alone determines.
/// (`ResolvedPathTests`)
package struct ResolvedPath {
  /// The folders, from the root directory on, those of symbolic links included.
  private(set) var folders: [PathStatus] = []
  /// What is at the end of the path, or nil if it does not exist.
  private(set) var end: PathStatus?
  /// Why the path could not be followed.
  private var obstacle: TrustFailure?

  /// The maximum number of symbolic links, which is the same as in Linux.
  private static let mostLinks = 40

  /// Follows an absolute path on a host, as long as `mayLook` allows each part of it.
  package init(
    _ path: String, on host: any ExaminedHost, mayLook: (String) -> Bool = { _ in true }
  ) {
    guard path.hasPrefix("/") else {
      obstacle = .notARegularFile
      return
    }
    var waiting = path.split(separator: "/").map { String($0) }[...]
    var place = ""
    var links = 0
    add(Self.status(of: "/", on: host))
    while let name = waiting.popFirst() {
      guard name != "." else { continue }
      guard name != ".." else {
        place = String(place[..<(place.lastIndex(of: "/") ?? place.startIndex)])
        continue
      }
      let path = "\(place)/\(name)"
      guard mayLook(path) else {
        end = nil
        obstacle = .notARegularFile
        return
      }
      guard let status = Self.status(of: path, on: host) else {
        end = nil
        // A folder that is not known says nothing about the folders below it.
        place = path
        continue
      }
      if status.kind == .link {
        links += 1
        guard links <= Self.mostLinks, let target = host.target(ofLink: path) else {
          obstacle = .symbolicLink
          return
        }
        if target.hasPrefix("/") { place = "" }
        waiting = (target.split(separator: "/").map { String($0) } + waiting)[...]
        continue
      }
      place = path
      end = status
      if !waiting.isEmpty { add(status) }
    }
  }

  private mutating func add(_ folder: PathStatus?) {
    if let folder { folders.append(folder) }
    end = folder
  }

  private static func status(of path: String, on host: any ExaminedHost) -> PathStatus? {
    do throws(SystemError) { return try host.status(of: path) } catch { return nil }
  }

  /// Why a user other than root may determine what is at the path, or nil. A file that does not exist is
  /// no reason.
  package var distrust: TrustFailure? {
    if let obstacle { return obstacle }
    for status in folders + [end].compactMap({ $0 }) {
      guard status.owner == 0 else { return .wrongOwner }
      guard status.permissions & 0o022 == 0 else { return .wrongPermissions }
    }
    return nil
  }

  /// Whether every user can read the file, so that its text is no secret.
  package var isPublic: Bool {
    guard obstacle == nil, let end, end.kind == .file, end.owner == 0 else { return false }
    return end.permissions & 0o004 != 0 && folders.allSatisfy { $0.permissions & 0o001 != 0 }
  }
}
