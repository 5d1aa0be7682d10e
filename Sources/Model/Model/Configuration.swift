import MFABase

/// The administrator's configuration, read from files that each override the ones before
/// (`ConfigurationDraft`).
///
/// A file has lines of at most 1024 bytes, in UTF-8 and without control characters other than tabs.
/// It consists of blank lines, comments (which begin with `#`), sections (`[project]` once,
/// `[tenant NAME]` up to 64 times with different names) and settings (`key = value`). Blanks at
/// either end of a line and around `=` are ignored. There is no quoting, no comment after a value
/// and no continuation line.
///
/// MUST 1: parsing ends for every input, with a value or with an error that names the line.
/// MUST 2: nothing is guessed: an unknown, repeated, contradictory or non-canonical part is an
/// error, so that a misspelt setting cannot silently leave a weaker default in force.
/// MUST 3: the output of `printed()` parses back equal.
/// MUST 4: after a failed lookup, no setting is weaker than with either possible result.
/// MUST 5: whichever tenants match, the settings in force do not contradict each other.
/// (`ConfigurationTests`, `TenantTests`)
package struct Configuration: Equatable, Sendable {
  /// The maximum length of a file in bytes.
  package static var maximumLength: Int { 65_536 }

  /// The maximum length of a line in bytes, without the line feed.
  package static var maximumLineLength: Int { 1024 }

  /// The configuration of an empty file.
  package static var defaults: Configuration {
    Configuration(
      project: .defaults, tenants: [], files: [], origins: [],
      fingerprint: ConfigurationFingerprint())
  }

  /// The section `[project]`, which applies if no tenant matches.
  package let project: Settings

  /// The sections `[tenant NAME]`, in the order of the files.
  package let tenants: [Tenant]

  /// The names of the configuration files, in order.
  package let files: [[UInt8]]

  /// The line that set each key of `[project]`, in the order of the keys; empty if there was no
  /// file.
  let origins: [Origin]

  /// The configuration fingerprint.
  package let fingerprint: ConfigurationFingerprint

  /// Returns whether two configurations have the same settings, regardless of their source
  /// locations.
  package static func == (left: Configuration, right: Configuration) -> Bool {
    left.project == right.project && left.tenants == right.tenants
  }

  /// Parses `text`. Throws the first error found.
  package static func parse(_ text: Span<UInt8>) throws(ConfigurationError) -> Configuration {
    var draft = ConfigurationDraft()
    try draft.add(text, from: [])
    return try draft.finish()
  }

  /// Whether the client's address matters to any tenant.
  package var namesNetworks: Bool {
    for tenant in tenants where tenant.values[.networks] != nil { return true }
    return false
  }

  /// Returns the settings in force for the sign-in of `subject`.
  ///
  /// Each tenant that matches overrides the section `[project]`, in the order of the files, so that
  /// for each key the last tenant that sets it counts. If it is unknown whether a tenant matches
  /// because a lookup failed, the tenant changes a key only to a stricter value: `state` towards
  /// `enabled`, `enrollment` towards `required`, an offer that ends sooner, fewer intervals and
  /// failures, longer waits, no hints, no remembered sign-ins. If two of the resulting settings
  /// contradict each other, the stricter one applies.
  package func settings(for subject: Subject) -> Settings {
    guard !tenants.isEmpty else { return project }
    var values = project.values
    for tenant in tenants {
      values.apply(tenant.values, tenant.match(subject))
    }
    return Settings(values)
  }

  /// The largest number of adjacent intervals of any section: 0 to 10.
  package var largestAdjacentIntervals: UInt8 {
    var largest = project.adjacentIntervals
    for tenant in tenants {
      var values = project.values
      values.apply(tenant.values, .yes)
      largest = max(largest, Settings(values).adjacentIntervals)
    }
    return largest
  }

  /// Whether the session of a sign-in matters: a section sets how fresh a code must be, or
  /// remembers sign-ins for a service other than sshd. Only sshd always reports the client's
  /// address.
  package var followsSessions: Bool {
    if project.freshFor > 0 || Self.needSessions(project.rememberServices) { return true }
    return tenants.contains { tenant in
      (tenant.values.number(.freshFor) ?? 0) > 0
        || Self.needSessions(tenant.values.texts(.rememberServices))
    }
  }

  private static func needSessions(_ services: [[UInt8]]) -> Bool {
    let sshd: StaticString = "sshd"
    return services.contains { $0 != sshd.bytes }
  }

  /// Returns the text of this configuration in canonical form, with every key of `[project]` and
  /// the keys that tenants set. The `issuer` line is left out if the host's name is the issuer, the
  /// `offer_until` line if no day ends the offer, and the `remember_services` line if it names no
  /// service.
  package func printed() -> [UInt8] {
    var text = Array("[project]\n".utf8)
    for key in Key.allCases { Self.print(key, project.values.printed(key), to: &text) }
    for tenant in tenants {
      text.append(contentsOf: "\n[tenant ".utf8)
      text.append(contentsOf: tenant.name)
      text.append(contentsOf: "]\n".utf8)
      for key in Key.allCases { Self.print(key, tenant.values.printed(key), to: &text) }
    }
    return text
  }

  private static func print(_ key: Key, _ value: [UInt8]?, to text: inout [UInt8]) {
    guard let value else { return }
    text.append(contentsOf: key.name.utf8)
    text.append(contentsOf: " = ".utf8)
    text.append(contentsOf: value)
    text.append(UInt8(ascii: "\n"))
  }
}
