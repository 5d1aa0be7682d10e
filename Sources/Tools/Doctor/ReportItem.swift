import MFAAdmin
import MFAModel

/// One requirement of a standard, and whether this host meets it.
package struct ReportItem: Equatable {
  /// Whether the host meets the requirement.
  ///
  /// The raw values are stable across versions.
  package enum Status: String, Equatable, Sendable {
    /// The requirement is met, according to what was read on this host.
    case met = "met"
    /// The host does not meet the requirement, or the evidence is missing or cannot be read.
    case notMet = "not-met"
    /// Every host meets the requirement, because of how this software works. Tests show it.
    case byDesign = "by-design"
    /// This software cannot decide whether the requirement is met.
    case outside = "outside"

    /// The status in words.
    var text: String {
      switch self {
      case .met: "met"
      case .notMet: "not met"
      case .byDesign: "by design"
      case .outside: "outside"
      }
    }
  }

  /// A setting that the status depends on.
  package struct Setting: Equatable {
    /// The tenant that the setting applies to, or nil for `[project]`.
    package let tenant: String?
    /// The key and its value, as in a configuration file.
    package let text: String
    /// The file and the line, or `default`.
    package let place: String

    /// Creates the setting that a key has for a tenant, or for `[project]` if `tenant` is nil.
    init(_ key: Configuration.Key, in tenant: Tenant?, of configuration: Configuration) {
      let own = tenant.flatMap { configuration.value(of: key, in: $0) }
      let value = own ?? configuration.value(of: key) ?? []
      let origin = configuration.origin(of: key, in: own == nil ? nil : tenant)
      self.tenant = tenant.map { VisibleText.escaping($0.name) }
      text = "\(key.name) = \(VisibleText.escaping(value))"
      place = origin.map { VisibleText.escaping(configuration.place(of: $0)) } ?? "default"
    }
  }

  /// The standard and its section, such as `NIST SP 800-63B-4 3.1.4`.
  package let section: String
  /// The requirement in a few words.
  package let requirement: String
  /// Whether the host meets the requirement.
  package let status: Status
  /// The settings that the status depends on.
  package let settings: [Setting]
  /// The evidence for the status.
  package let evidence: [String]
  /// The tests that show what does not depend on the host, as `Suite.function`.
  package let tests: [String]

  init(
    _ section: String, _ requirement: String, _ status: Status, settings: [Setting] = [],
    _ evidence: [String], tests: [String] = []
  ) {
    self.section = section
    self.requirement = requirement
    self.status = status
    self.settings = settings
    self.evidence = evidence
    self.tests = tests
  }

  /// The item as JSON. Member names are stable across versions.
  package var json: JSON {
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
      ("tests", .array(tests.map { .string($0) })),
    ])
  }
}
