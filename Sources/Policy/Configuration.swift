import Factors
import Secrets

/// What the administrator decided, as the files of the configuration say it, each over those before
/// it (`ConfigurationDraft`).
///
/// A file's text has lines of at most 1024 bytes, in UTF-8 and without control characters other than
/// tabs: blank lines, comments (`#` comes first), sections (`[project]` once, `[tenant NAME]` up to
/// 64 times with different names) and settings (`key = value`). Blanks at either end of a line and
/// around `=` are skipped. There is no quoting, no comment behind a value and no continuation.
///
/// MUST 1: parsing ends for every input, in a value or in an error that names the line.
/// MUST 2: nothing is guessed: an unknown, repeated, contradictory or non-canonical part is an
/// error, so that a misspelt setting cannot leave a weaker default in force unnoticed.
/// MUST 3: what `printed()` writes parses back equal.
/// MUST 4: a look-up that failed makes no setting weaker than it would be with either answer.
/// MUST 5: whatever tenants match, the settings in force do not contradict one another.
/// (`ConfigurationTests`, `TenantTests`)
public struct Configuration: Equatable, Sendable {
  /// The longest text that is read, in bytes.
  public static var maximumLength: Int { 65_536 }

  /// The longest line that is read, in bytes, without the line feed.
  public static var maximumLineLength: Int { 1024 }

  /// The configuration of an empty file.
  public static var defaults: Configuration {
    Configuration(project: .defaults, tenants: [], files: [], origins: [], edition: Edition())
  }

  /// The section `[project]`: what holds where no tenant matches.
  public let project: Settings

  /// The sections `[tenant NAME]`, in the order of the files.
  public let tenants: [Tenant]

  /// The names of the files that it was read from, in order.
  public let files: [[UInt8]]

  /// The line that set each key of `[project]`, in the order of the keys; none where there was no
  /// file.
  let origins: [Origin]

  /// The text that it was read from.
  public let edition: Edition

  /// Whether two are the same, wherever that is said.
  public static func == (left: Configuration, right: Configuration) -> Bool {
    left.project == right.project && left.tenants == right.tenants
  }

  /// The configuration that `text` describes. Throws the first error in it.
  public static func parse(_ text: Span<UInt8>) throws(ConfigurationError) -> Configuration {
    var draft = ConfigurationDraft()
    try draft.add(text, from: [])
    return try draft.finish()
  }

  /// Whether it matters from which address somebody signs in.
  public var namesNetworks: Bool {
    for tenant in tenants where !tenant.selectors.networks.isEmpty { return true }
    return false
  }

  /// The settings in force for the sign-in of `subject`.
  ///
  /// Each tenant that matches is laid over the section `[project]` in the order of the files, so that
  /// for each key the last one that sets it counts. A tenant of which it is not known whether it
  /// matches, for a look-up failed, changes a key only where that is stricter: `state` towards
  /// `enabled`, `enrollment` towards `required`, an offer that ends sooner, fewer intervals and
  /// failures, longer waits, no hints. Settings that contradict one another in the end are brought
  /// together at the stricter one.
  public func settings(for subject: Subject) -> Settings {
    guard !tenants.isEmpty else { return project }
    var values = SettingValues(Overrides(project))
    for tenant in tenants {
      values.apply(tenant.overrides, tenant.match(subject))
    }
    return values.settings
  }

  /// Whether there are sign-ins for which it matters in which session of a person's they are made: some
  /// section says how fresh a code has to be, or remembers one for another service than sshd, which
  /// alone is always told where people come from.
  public var followsSessions: Bool {
    if project.freshFor > 0 || Self.needSessions(project.rememberServices) { return true }
    return tenants.contains { tenant in
      (tenant.overrides.freshFor ?? 0) > 0
        || Self.needSessions(tenant.overrides.rememberServices ?? [])
    }
  }

  private static func needSessions(_ services: [[UInt8]]) -> Bool {
    let sshd: StaticString = "sshd"
    return services.contains { $0 != sshd.bytes }
  }

  /// The text of this configuration, with every key of `[project]` and those that the tenants set,
  /// in their canonical form. It has no `issuer` line where the host's name is the issuer, and no
  /// `offer_until` line where no day ends the offer.
  public func printed() -> [UInt8] {
    let project = Overrides(project)
    var text = Array("[project]\n".utf8)
    for key in Key.allCases { Self.print(key, project.printed(key), to: &text) }
    for tenant in tenants {
      text.append(contentsOf: "\n[tenant ".utf8)
      text.append(contentsOf: tenant.name)
      text.append(contentsOf: "]\n".utf8)
      for key in Key.allCases { Self.print(key, tenant.printed(key), to: &text) }
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
