import MFABase

/// The administrator's configuration, read from files that each override the ones before
/// (`ConfigurationDraft`).
///
/// A file has lines of at most 1024 bytes, in UTF-8 and without control characters other than tabs.
/// It consists of blank lines, comments (which begin with `#`), sections (`[project]` once,
/// `[tenant NAME]` and `[daemon NAME]` up to 64 times each, with different names) and settings
/// (`key = value`). Blanks at either end of a line and around `=` are ignored. There is no quoting, no
/// comment after a value and no continuation line.
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
      project: .defaults, tenants: [], daemons: [], files: [], origins: [],
      fingerprint: ConfigurationFingerprint())
  }

  /// The section `[project]`, which applies if no tenant matches.
  package let project: Settings

  /// The sections `[tenant NAME]`, in the order of the files.
  package let tenants: [Tenant]

  /// The sections `[daemon NAME]`, in the order of the files.
  package let daemons: [Daemon]

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
      && left.daemons == right.daemons
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
  /// `enabled`, `enrollment` towards `required`, an offer that ends sooner, fewer intervals, tries
  /// and failures, longer waits, no hints, no remembered sign-ins. If two of the resulting settings
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
  /// `prompt` line if there is no text, the `offer_until` line if no day ends the offer, and the
  /// `remember_services` line if it names no service.
  package func printed() -> [UInt8] {
    var text = Section.project.printed([], project.values)
    for tenant in tenants {
      text += bytes(of: "\n") + Section.tenant.printed(tenant.name, tenant.values)
    }
    for daemon in daemons {
      text += bytes(of: "\n") + Section.daemon.printed(daemon.name, daemon.values)
    }
    return text
  }
}

extension Configuration {
  /// Whether a second factor is required.
  package enum State: Int64, CaseIterable, Sendable {
    /// A second factor is required.
    case enabled
    /// No second factor is required.
    case disabled
    /// No second factor is required, and the log shows what the decision would have been.
    case observe

    /// The value in the file.
    package var name: String {
      switch self {
      case .enabled: "enabled"
      case .disabled: "disabled"
      case .observe: "observe"
      }
    }
  }
}

extension Configuration {
  /// A type of factor that policy can allow or forbid.
  package enum FactorType: Int64, CaseIterable, Sendable {
    /// Codes of an authenticator app.
    case totp
    /// Codes that are sent to a phone.
    case phone

    /// All types, as a set of bits.
    static var all: Int64 { 0b11 }

    /// The bit of the type in a set.
    var bit: Int64 { 1 << rawValue }

    /// The word in the file.
    package var name: String {
      switch self {
      case .totp: "totp"
      case .phone: "phone"
      }
    }

    /// Returns the words for a set of bits. No file contains the empty set, which results only from
    /// combining tenants: its word is `none`.
    static func names(in bits: Int64) -> [[UInt8]] {
      var names: [[UInt8]] = []
      for type in allCases where bits & type.bit != 0 { names.append(bytes(of: type.name)) }
      return names.isEmpty ? [bytes(of: "none")] : names
    }
  }
}

extension Configuration {
  /// Whether and when users enrol a second factor, from the most lenient to the strictest.
  package enum Enrollment: Int64, CaseIterable, Sendable {
    /// Enrolment is optional. A user without a factor signs in without a code.
    case selfService
    /// A user without a factor can sign in without a code until `Settings.Offer` ends, and must
    /// enrol then.
    case offered
    /// A user without a factor must enrol one to sign in.
    case required

    /// The value in the file.
    package var name: String {
      switch self {
      case .selfService: "self-service"
      case .offered: "offered"
      case .required: "required"
      }
    }
  }
}

/// Whether a setting is on.
enum OnOrOff: Int64 {
  case on
  case off

  /// The value in the file.
  var name: String {
    switch self {
    case .on: "on"
    case .off: "off"
    }
  }
}

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

/// A section `[daemon NAME]`: a program that does not act as root, and signs in users of a service nevertheless.
package struct Daemon: Equatable, Sendable {
  /// The name, which follows the rules for names of tenants.
  package let name: [UInt8]
  /// The system user, the services, and whom the program signs in.
  let values: KeyValues
  /// The line with the header of the section.
  package let header: Configuration.Origin

  /// Returns whether two daemons have the same settings, regardless of their source locations.
  package static func == (left: Daemon, right: Daemon) -> Bool {
    left.name == right.name && left.values == right.values
  }

  /// The system user that the program runs as.
  package var user: [UInt8] { values.texts(.user).first ?? [] }

  /// The PAM services.
  package var services: [[UInt8]] { values.texts(.services) }

  /// Whether the section names a system user, services, and users or groups.
  var isComplete: Bool {
    !user.isEmpty && !services.isEmpty
      && !(values.texts(.users).isEmpty && values.texts(.groups).isEmpty)
  }

  /// Returns whether the section is about a program that runs as this user and asks PAM for this service.
  package func isRun(by user: [UInt8], at service: [UInt8]) -> Bool {
    self.user == user && services.contains(service)
  }

  /// Returns whether the program may sign in `subject`. If a lookup failed, it may not.
  package func signsIn(_ subject: Subject) -> Bool { Selectors(values).match(subject) == .yes }

  /// Returns the value of a key in canonical form, or nil if the section does not set it.
  package func value(of key: Configuration.Key) -> [UInt8]? { values.printed(key) }
}

/// The selectors of a tenant or a daemon. A sign-in matches if it matches every list that is not empty.
struct Selectors {
  let users: [[UInt8]]
  let groups: [[UInt8]]
  let services: [[UInt8]]
  let networks: [Network]

  /// Creates the selectors among the values of a section.
  @inline(never)
  init(_ values: KeyValues) {
    users = values.texts(.users)
    groups = values.texts(.groups)
    services = values.texts(.services)
    networks = values.networks(.networks)
  }

  /// Whether there is no selector.
  var isEmpty: Bool {
    users.isEmpty && groups.isEmpty && services.isEmpty && networks.isEmpty
  }

  /// Returns whether the selectors match `subject`. Groups are checked last, because only they need
  /// an expensive lookup.
  @inline(never)
  func match(_ subject: Subject) -> Tenant.Match {
    guard users.isEmpty || users.contains(subject.user),
      services.isEmpty || services.contains(subject.service)
    else { return .no }
    var match = Tenant.Match.yes
    if !networks.isEmpty {
      if let address = subject.address {
        guard networks.contains(where: { $0.contains(address) }) else { return .no }
      } else {
        match = .unknown
      }
    }
    guard !groups.isEmpty else { return match }
    var membership = Tenant.Match.no
    for group in groups {
      guard let isMember = subject.isMember(group) else {
        membership = .unknown
        continue
      }
      if isMember { return match }
    }
    return membership
  }
}

/// The user, service and address of a sign-in, which tenants are matched against.
package struct Subject {
  /// The user's name as the account database spells it.
  package let user: [UInt8]
  /// The PAM service, such as `sshd`.
  package let service: [UInt8]
  /// The client's address; nil if it is not known as a numeric address, or if no tenant names
  /// networks.
  package let address: IPAddress?
  /// Returns whether the user belongs to a group with this name, or nil if the lookup failed.
  package let isMember: (_ group: [UInt8]) -> Bool?

  /// Creates a subject. `isMember` is called only if the answer matters.
  package init(
    user: [UInt8], service: [UInt8], address: IPAddress?,
    isMember: @escaping (_ group: [UInt8]) -> Bool?
  ) {
    self.user = user
    self.service = service
    self.address = address
    self.isMember = isMember
  }
}

extension Configuration {
  /// Returns whether a file with this name is a drop-in. The name consists of ASCII letters,
  /// digits, dots, underscores and hyphens, does not begin with a dot, and ends in `.conf`. This
  /// excludes the files that editors and package managers leave beside a file.
  package static func isDropIn(_ name: [UInt8]) -> Bool {
    let ending: StaticString = ".conf"
    guard name.first != UInt8(ascii: "."), name.span.ends(with: ending.bytes) else { return false }
    return name.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "-"):
        true
      case _: false
      }
    }
  }
}
