import MFABase
/// A user's name as the account database spells it: 1 to 255 bytes, without NUL and `/`.
package struct UserName: Equatable, Sendable {
  /// The name.
  package let bytes: [UInt8]

  /// The maximum length of a name in bytes (Linux's LOGIN_NAME_MAX less the terminator).
  package static let maximumLength = 255

  /// A name that stands for one that is read next.
  package static var placeholder: UserName { UserName(unchecked: [UInt8(ascii: "-")]) }

  private init(unchecked bytes: [UInt8]) { self.bytes = bytes }

  /// Creates a name. Returns nil if it is empty, too long, or contains NUL or `/`, which no account
  /// name contains.
  package init?(_ bytes: [UInt8]) {
    guard !bytes.isEmpty, bytes.count <= Self.maximumLength,
      !bytes.contains(0), !bytes.contains(UInt8(ascii: "/"))
    else { return nil }
    self.bytes = bytes
  }
}
