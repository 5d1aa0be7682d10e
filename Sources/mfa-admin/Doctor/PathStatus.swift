/// What stands at a path.
struct PathStatus: Equatable {
  /// What it is.
  enum Kind: String {
    case file, folder, link, other
  }

  /// What it is.
  var kind: Kind
  /// Its owner's numeric identity.
  var owner: UInt32
  /// The lower twelve bits of its mode.
  var permissions: UInt32
  /// How many names it has.
  var links: UInt64 = 1
  /// Its size in bytes.
  var size: Int64 = 0

  /// The permissions as `chmod` takes them: four octal digits.
  static func text(_ permissions: UInt32) -> String {
    let digits = String(permissions, radix: 8)
    return String(repeating: "0", count: max(4 - digits.count, 0)) + digits
  }
}
