import MFAAdmin
import MFABase

/// The mounted file systems that /proc/self/mountinfo lists (proc(5)).
struct MountTable {
  static let path = "/proc/self/mountinfo"

  /// The types of file systems on which a lookup can hang, because they are remote or because the
  /// lookup mounts them.
  private static let distant = [
    "nfs", "nfs4", "cifs", "smb3", "smbfs", "ncpfs", "afs", "autofs", "9p", "lustre", "ceph",
    "gfs2",
    "ocfs2", "beegfs", "coda", "glusterfs", "virtiofs",
  ]

  private let mounts: [(point: [UInt8], kind: String)]

  /// Parses the contents of /proc/self/mountinfo.
  init(_ text: [UInt8]) {
    mounts = text.split(separator: UInt8(ascii: "\n")).compactMap { line in
      let words = line.split(separator: UInt8(ascii: " "))
      guard words.count > 5, let separator = words.firstIndex(of: [UInt8(ascii: "-")]),
        separator + 1 < words.count
      else { return nil }
      return (Self.unescaped(words[4]), String(decoding: words[separator + 1], as: UTF8.self))
    }
  }

  /// Returns the type of the file system that contains an absolute path if a lookup there can hang,
  /// or nil.
  func distantKind(of path: [UInt8]) -> String? {
    guard let kind = kind(of: path), Self.distant.contains(kind) || kind.hasPrefix("fuse") else {
      return nil
    }
    return kind
  }

  /// Returns the type of the file system that contains an absolute path, or nil if it is not listed.
  func kind(of path: [UInt8]) -> String? {
    var best: (length: Int, kind: String)?
    for mount in mounts where Self.holds(mount.point, path) {
      // The last of several mounts at one mount point hides the others.
      if mount.point.count >= best?.length ?? 0 { best = (mount.point.count, mount.kind) }
    }
    return best?.kind
  }

  private static func holds(_ point: [UInt8], _ path: [UInt8]) -> Bool {
    if point == [UInt8(ascii: "/")] { return true }
    guard path.starts(with: point) else { return false }
    return path.count == point.count || path[point.count] == UInt8(ascii: "/")
  }

  /// Decodes the octal escapes (a backslash and three digits) for space, tab, line feed and
  /// backslash.
  private static func unescaped(_ word: ArraySlice<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = word
    while let byte = rest.popFirst() {
      let digits = rest.prefix(3)
      guard byte == UInt8(ascii: "\\"), digits.count == 3,
        let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 8)
      else {
        bytes.append(byte)
        continue
      }
      rest = rest.dropFirst(3)
      bytes.append(value)
    }
    return bytes
  }
}

/// The free space on a file system for unprivileged users, and its mount flags (statvfs(3)).
package struct FileSystemSpace: Equatable {
  /// The number of bytes that can be written.
  package var bytes: UInt64
  /// The number of files that can be created, or nil if the file system has no limit.
  package var files: UInt64?
  /// Whether the file system is mounted read-only.
  package var isReadOnly = false
  /// Whether there is no space for another record.
  package var isUsedUp: Bool { bytes < 65_536 || files == 0 }

  /// Whether the file system is mounted nosuid.
  package var ignoresSetuid = false
}

/// The type, owner, permissions and size of the file at a path.
package struct PathStatus: Equatable {
  /// A file type.
  package enum Kind: String {
    case file, folder, link, other
  }

  /// The file type.
  package var kind: Kind
  /// The owner's uid.
  package var owner: UInt32
  /// The lower twelve bits of the mode.
  package var permissions: UInt32
  /// The number of hard links.
  package var links: UInt64 = 1
  /// The size in bytes.
  package var size: Int64 = 0
  /// The group's gid.
  package var group: UInt32 = 0
  /// The file itself: its device, and its number there.
  package var identity: Identity?
  /// When the content, the name or the status last changed, in nanoseconds since the epoch.
  package var changedAt: Int64 = 0

  /// What tells a file from every other file that exists.
  package struct Identity: Equatable {
    let device: UInt64
    let number: UInt64
  }

  /// Returns permissions as `chmod` accepts them: at least four octal digits.
  package static func text(_ permissions: UInt32) -> String {
    let digits = String(permissions, radix: 8)
    return String(repeating: "0", count: max(4 - digits.count, 0)) + digits
  }
}

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
  /// Why the last part of the path that was looked at is not known.
  private(set) var failure: AdminError?

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
    add(status(of: "/", on: host))
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
      guard let status = status(of: path, on: host) else {
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

  private mutating func status(of path: String, on host: any ExaminedHost) -> PathStatus? {
    failure = nil
    do throws(AdminError) { return try host.status(of: path) } catch {
      failure = error
      return nil
    }
  }

  /// Whether the path could not be followed to its end.
  var isBlocked: Bool { obstacle != nil }

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
