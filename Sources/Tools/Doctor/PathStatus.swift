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
