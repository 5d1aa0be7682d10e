import Policy

/// One requirement of a standard, and how this host stands to it.
struct ReportItem: Equatable {
  /// How the host stands to it.
  enum Status: String, Equatable, Sendable {
    /// It is met.
    case met = "met"
    /// The present settings, or what is stored, do not meet it.
    case notMet = "not met"
    /// Something else than this software decides on it.
    case outside = "outside"
  }

  /// A setting that the answer rests on.
  struct Setting: Equatable {
    /// The tenant that it is of; nil for `[project]`.
    let tenant: String?
    /// The key and its value, as a file would have it.
    let text: String
    /// The file and the line, or `default`.
    let place: String

    /// Of a configuration: what holds in a tenant, or in `[project]` where it is nil.
    init(_ key: Configuration.Key, in tenant: Tenant?, of configuration: Configuration) {
      let own = tenant.flatMap { configuration.value(of: key, in: $0) }
      let value = own ?? configuration.value(of: key) ?? []
      let origin = configuration.origin(of: key, in: own == nil ? nil : tenant)
      self.tenant = tenant.map { VisibleText.escaping($0.name) }
      text = "\(key.name) = \(VisibleText.escaping(value))"
      place = origin.map { VisibleText.escaping(configuration.place(of: $0)) } ?? "default"
    }
  }

  /// The standard and its section, as `NIST SP 800-63B-4 3.1.4`.
  let section: String
  /// What it asks for, in a few words.
  let requirement: String
  /// How the host stands to it.
  let status: Status
  /// The settings that the answer rests on.
  let settings: [Setting]
  /// What was found.
  let evidence: [String]

  init(
    _ section: String, _ requirement: String, _ status: Status, settings: [Setting] = [],
    _ evidence: [String]
  ) {
    self.section = section
    self.requirement = requirement
    self.status = status
    self.settings = settings
    self.evidence = evidence
  }

  /// The item for programs. Names of members stay the same from version to version.
  var json: JSON {
    .object([
      ("section", .string(section)), ("requirement", .string(requirement)),
      ("status", .string(status.rawValue)),
      (
        "settings",
        .array(
          settings.map {
            .object([
              ("tenant", JSON($0.tenant)), ("setting", .string($0.text)),
              ("place", .string($0.place)),
            ])
          })
      ),
      ("evidence", .array(evidence.map { .string($0) })),
    ])
  }
}
