import MFABase

/// A break-glass code that an administrator has prepared: the users who may use it, and a salted slow
/// hash of the code.
///
///     users = root, "anna maria"
///     cost = 14
///     salt = 32 hexadecimal digits
///     hash = 64 hexadecimal digits
///
/// MUST 1: a file that is not complete, or has anything else, names no user.
/// (`BreakGlassCredentialTests`)
package struct BreakGlassCredential: Equatable, Sendable {
  /// The names of the users.
  package let users: [[UInt8]]
  /// The binary logarithm of the cost of the hash.
  package let costLog2: UInt8
  /// The salt, `saltLength` bytes.
  package let salt: [UInt8]
  /// The hash, `hashLength` bytes.
  package let hash: [UInt8]

  /// The length of the salt in bytes.
  package static let saltLength = 16
  /// The length of the hash in bytes.
  package static let hashLength = 32
  /// The costs that are computed: 16 to 128 MiB of memory.
  package static let costs: ClosedRange<Int64> = 14...17
  /// The cost of a new hash.
  package static let standardCostLog2: UInt8 = 14

  /// Creates a credential.
  package init(users: [[UInt8]], costLog2: UInt8, salt: [UInt8], hash: [UInt8]) {
    self.users = users
    self.costLog2 = costLog2
    self.salt = salt
    self.hash = hash
  }

  /// Returns whether the code is for a user.
  package func names(_ user: [UInt8]) -> Bool { users.contains(user) }

  /// The content of the file.
  package var text: [UInt8] {
    var text = bytes(of: "# A break-glass code: mfa-admin break-glass, see mfa-admin(8).\nusers = ")
    for (index, user) in users.enumerated() {
      if index > 0 { text += bytes(of: ", ") }
      text += QuotedList.quoted(user)
    }
    text += bytes(of: "\ncost = ") + bytes(of: decimal(Int64(costLog2)))
    text += bytes(of: "\nsalt = ") + Hexadecimal.text(of: salt)
    text += bytes(of: "\nhash = ") + Hexadecimal.text(of: hash) + bytes(of: "\n")
    return text
  }

  /// Parses the content of a file. Returns nil if it is malformed.
  package init?(_ text: [UInt8]) {
    var users: [[UInt8]]?
    var cost: UInt8?
    var salt: [UInt8]?
    var hash: [UInt8]?
    for line in text.split(separator: UInt8(ascii: "\n")) {
      if line.first == UInt8(ascii: "#") { continue }
      guard let equals = line.firstIndex(of: UInt8(ascii: "=")) else { return nil }
      let (left, right) = (Array(line[..<equals]), Array(line[(equals &+ 1)...]))
      let key = left.span.trimmed()
      let value = right.span.trimmed()
      if key.equals("users"), users == nil {
        users = Self.names(value.copied())
      } else if key.equals("cost"), cost == nil {
        cost = ConfigurationValueType.wholeNumber(value, in: Self.costs).map {
          UInt8(truncatingIfNeeded: $0)
        }
      } else if key.equals("salt"), salt == nil {
        salt = Hexadecimal.bytes(of: value.copied(), count: Self.saltLength)
      } else if key.equals("hash"), hash == nil {
        hash = Hexadecimal.bytes(of: value.copied(), count: Self.hashLength)
      } else {
        return nil
      }
    }
    guard let users, let cost, let salt, let hash else { return nil }
    self.init(users: users, costLog2: cost, salt: salt, hash: hash)
  }

  private static func names(_ text: [UInt8]) -> [[UInt8]]? {
    guard let elements = QuotedList.elements(of: text, separatedBy: UInt8(ascii: ",")) else {
      return nil
    }
    let names = elements.map { $0.text }
    return names.isEmpty || names.contains([]) ? nil : names
  }
}
