import MFAAdmin
import MFABase

/// The result of `mfa-admin check`: the errors and warnings of all examinations, and which services
/// ask for a code.
package struct CheckReport {
  /// A service that has lines of the module, or that `mfa-admin enable` enabled.
  package struct Service: Equatable {
    /// The name, escaped for display.
    package let name: String
    /// Whether policy is enforced at the service, an enrolled user cannot pass its stack without a
    /// code, a code alone is not enough, and, for sshd, no sign-in bypasses PAM, except those of accepted
    /// exemptions.
    package let asksForCode: Bool
  }

  /// The errors and warnings, most severe first.
  package let findings: [Finding]
  /// The number of findings that an administrator accepted.
  package let accepted: Int
  /// The services, sorted by name.
  package let services: [Service]
  /// The time of the check, in seconds since the epoch.
  package let time: Int64

  /// Examines a host.
  package init(_ snapshot: HostSnapshot, at time: Int64) {
    let diagnosis = Diagnosis(snapshot, at: time)
    findings = diagnosis.findings.filter { $0.severity != .note }
    accepted = diagnosis.accepted.count
    var services = snapshot.servicesWithModule.map { service in
      let policy = snapshot.configuration(of: service)
      // A realm is there to enforce its policy.
      let isEnforced =
        policy.map { TenantReach.isEnforced(at: service, $0) } ?? !snapshot.decides
      return Service(
        name: service.visibleName,
        asksForCode: isEnforced && service.asksForCode
          && !Self.hasWayAround(service, snapshot, diagnosis))
    }
    if case .success(let recorded) = snapshot.host.recordedServices() {
      let names = recorded.map { VisibleText.escaping($0.name) }
      services += names.filter { name in !services.contains { $0.name == name } }
        .map { Service(name: $0, asksForCode: false) }
    }
    self.services = services.sorted { $0.name < $1.name }
    self.time = time
  }

  /// Returns whether a service lets users in without a first factor, or with the password alone, or sshd lets users in whose sign-ins do
  /// not use PAM. An exemption that was accepted, or that `mfa-admin enable` wrote, does not count.
  private static func hasWayAround(
    _ service: ServiceWithModule, _ snapshot: HostSnapshot, _ diagnosis: Diagnosis
  ) -> Bool {
    let isUnproven = diagnosis.findings.contains {
      $0.severity == .error && $0.code == UnprovenFirstFactor.code
        && $0.services.contains(service.name)
    }
    guard !isUnproven, snapshot.rules.passwordAlone(at: service.name) == nil else { return true }
    guard service.isNamed("sshd") else { return false }
    return snapshot.sshd.generalWayWithoutPAM != nil
      || diagnosis.findings.contains {
        $0.severity == .error
          && ["methods-without-code", "use-pam-off", "other-pam-service"].contains($0.code)
      }
  }

  /// The number of errors.
  package var errors: Int { findings.count { $0.severity == .error } }
  /// The number of warnings.
  package var warnings: Int { findings.count { $0.severity == .warning } }

  /// A line for each finding; empty if there is none.
  package var text: String {
    findings.map { $0.headline + "\n" }.joined()
  }

  /// The result as JSON. Member names are stable.
  package var json: JSON {
    .object([
      ("time", JSON(Timestamp(time)?.iso8601)), ("errors", .number(Int64(errors))),
      ("warnings", .number(Int64(warnings))), ("accepted", .number(Int64(accepted))),
      (
        "services",
        .array(
          services.map {
            .object([("service", .string($0.name)), ("asksForCode", .bool($0.asksForCode))])
          })
      ), ("findings", .array(findings.map(\.json))),
    ])
  }

  /// The result in the text format of Prometheus. The names of metrics and labels are stable.
  package var prometheus: String {
    var text = Self.heading("mfa_findings", "Problems that mfa-admin check found.")
    for (severity, count) in [("error", errors), ("warning", warnings)] {
      text += Self.sample("mfa_findings", [("severity", severity)], Int64(count))
    }
    text += Self.heading("mfa_findings_accepted", "Findings that an administrator accepted.")
    text += Self.sample("mfa_findings_accepted", [], Int64(accepted))
    text += Self.heading("mfa_finding", "One problem; its value is always 1.")
    for finding in findings {
      text += Self.sample(
        "mfa_finding",
        [
          ("severity", finding.severity.rawValue), ("finding", finding.code),
          ("services", finding.services.map { VisibleText.escaping($0) }.joined(separator: ",")),
          ("place", finding.place),
        ], 1)
    }
    text += Self.heading(
      "mfa_service_asks_for_code", "Whether enrolled users need a code at the service.")
    for service in services {
      text += Self.sample(
        "mfa_service_asks_for_code", [("service", service.name)], service.asksForCode ? 1 : 0)
    }
    text += Self.heading("mfa_check_time_seconds", "The time of the check since the epoch.")
    return text + Self.sample("mfa_check_time_seconds", [], time)
  }

  private static func heading(_ name: String, _ help: String) -> String {
    "# HELP \(name) \(help)\n# TYPE \(name) gauge\n"
  }

  private static func sample(
    _ name: String, _ labels: [(name: String, value: String)], _ value: Int64
  ) -> String {
    let text = labels.map { label in
      let value = label.value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        .replacing("\n", with: "\\n")
      return "\(label.name)=\"\(value)\""
    }
    return name + (text.isEmpty ? "" : "{\(text.joined(separator: ","))}") + " \(value)\n"
  }
}
