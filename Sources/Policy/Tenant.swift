/// A section `[tenant NAME]`: what changes for the sign-ins that all of its selectors match.
public struct Tenant: Equatable, Sendable {
  /// Whether a tenant matches a sign-in, in ascending order of how much it does.
  public enum Match: UInt8, Sendable {
    /// It does not: a selector is known not to match.
    case no
    /// It may: a look-up failed on which it depends. It counts only as far as it is stricter.
    case unknown
    /// It does.
    case yes
  }

  /// How many there may be.
  public static var maximumCount: Int { 64 }

  /// The longest name in bytes.
  public static var maximumNameLength: Int { 64 }

  /// Its name: 1 to 64 letters and digits of ASCII, dots, underscores and hyphens.
  public let name: [UInt8]
  /// Which sign-ins it is for; there is one selector at least.
  let selectors: Selectors
  /// What it changes.
  let overrides: Overrides
  /// The line that set each key, in the order of the keys.
  let origins: [Configuration.Origin]

  /// Whether two are the same, wherever that is said.
  public static func == (left: Tenant, right: Tenant) -> Bool {
    left.name == right.name && left.selectors == right.selectors
      && left.overrides == right.overrides
  }

  /// Whether it matches the sign-in of `subject`.
  public func match(_ subject: Subject) -> Match {
    selectors.match(subject)
  }

  /// Whether `name` may be the name of a tenant.
  public static func isName(_ name: Span<UInt8>) -> Bool {
    guard (1...maximumNameLength).contains(name.count) else { return false }
    for index in name.indices {
      switch name[index] {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "-"):
        continue
      default:
        return false
      }
    }
    return true
  }

  /// The value of `key` in its canonical form; nil when it is not set.
  func printed(_ key: Configuration.Key) -> [UInt8]? {
    key.isSelector ? selectors.printed(key) : overrides.printed(key)
  }
}
