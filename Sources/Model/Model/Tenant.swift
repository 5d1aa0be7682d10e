/// A section `[tenant NAME]`: settings for the sign-ins that match all of its selectors.
package struct Tenant: Equatable, Sendable {
  /// Whether a tenant matches a sign-in, in ascending order of certainty.
  package enum Match: UInt8, Sendable {
    /// The tenant does not match: at least one selector is known not to match.
    case no
    /// The tenant may match: a lookup that the result depends on failed. Only its stricter settings
    /// apply.
    case unknown
    /// The tenant matches.
    case yes
  }

  /// The maximum number of tenants.
  package static var maximumCount: Int { 64 }

  /// The maximum length of a name in bytes.
  package static var maximumNameLength: Int { 64 }

  /// The name: 1 to 64 ASCII letters and digits, dots, underscores and hyphens.
  package let name: [UInt8]
  /// The selectors and settings of the tenant. There is at least one selector.
  let values: KeyValues
  /// The line that set each key, in the order of the keys.
  let origins: [Configuration.Origin]

  /// Returns whether two tenants have the same settings, regardless of their source locations.
  package static func == (left: Tenant, right: Tenant) -> Bool {
    left.name == right.name && left.values == right.values
  }

  /// The sign-ins that the tenant applies to.
  var selectors: Selectors { Selectors(values) }

  /// Returns whether the tenant matches the sign-in of `subject`.
  package func match(_ subject: Subject) -> Match {
    selectors.match(subject)
  }

  /// Returns whether `name` is a valid name for a tenant.
  package static func isName(_ name: Span<UInt8>) -> Bool {
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
}
