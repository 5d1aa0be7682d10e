/// A user's name in the account's own spelling, as bytes: 1 to 255, without NUL and `/`.
public struct UserName: Equatable, Sendable {
  /// The name.
  public let bytes: [UInt8]

  /// The longest name in bytes (Linux's LOGIN_NAME_MAX less the terminator).
  public static let maximumLength = 255

  /// Nil when it is empty, too long, or holds NUL or `/`, which no account name does.
  public init?(_ bytes: [UInt8]) {
    guard !bytes.isEmpty, bytes.count <= Self.maximumLength,
      !bytes.contains(0), !bytes.contains(UInt8(ascii: "/"))
    else { return nil }
    self.bytes = bytes
  }
}
