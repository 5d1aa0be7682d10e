/// The mounted file systems that /proc/self/mountinfo lists (proc(5)).
struct MountTable {
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
