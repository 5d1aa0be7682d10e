import MFAAdmin

// MFADoctor: the checks of `mfa-admin doctor`.
//
// `HostSnapshot` is what was read from an `ExaminedHost`. An `Examination` derives `Finding`s from
// the snapshot. `Doctor` runs all examinations. A new check is a type in Examinations/ that
// conforms to `Examination`, and an element of `Doctor.examinations`.
//
// MUST 1: an examination reads and never changes the host. (Only `ExaminedHost.tryWriting` writes,
// to a file of its own.)
// MUST 2: what cannot be read is a finding or an error, never a passed check.

/// The checks of `mfa-admin doctor`, which find problems that lock out legitimate users or let
/// users sign in without a code.
package enum Doctor {
  /// All examinations, in the order in which findings of equal severity are shown.
  static var examinations: [any Examination.Type] {
    [
      UnusedModule.self, LostLines.self, StrayModuleLines.self, UnloadableModule.self,
      UnreadableStack.self, UnusableConfiguration.self,
      UnusedSettings.self,
      BypassedModule.self, WeakAuthLine.self, UnprovenFirstFactor.self, SudoWithoutCode.self,
      ClosedStack.self,
      FaultyLine.self,
      CodeBeforePassword.self,
      MissingAccountLine.self, UnprovenEnrollment.self, BlockedEnrollment.self,
      UnprovenPassword.self, MissingSessionLine.self, ShortGraceTime.self,
      DisabledPrompts.self, OtherPAMService.self, StaleServer.self, SourcePenalties.self,
      PasswordAsCode.self, MethodsWithoutCode.self,
      UnsuitablePrograms.self, ProgramPasswordServices.self, LoneAccountLines.self,
      PasswordAfterRefusal.self, CachedAnswers.self, OpenVPNServers.self, UnrunAccountLine.self,
      RootWithoutFactor.self,
      SessionNotFollowed.self, SharedIdentity.self, SystemUser.self, Ownership.self,
      UnwritableStore.self, BreakGlass.self, VolatileStore.self, SandboxedService.self,
      SiblingServices.self, OtherServers.self, IgnoredDropIns.self, TenantReach.self,
      RefusedKeys.self, ReplacedFiles.self,
      UnusableRecords.self, RenamedUsers.self, UnsynchronizedClock.self, LeftoverFiles.self,
      WeakSecrets.self, ClosedFactors.self,
      UnrecordedChanges.self, UnfinishedKeyChange.self, StoppedLockHolder.self,
      ForeignStoreOfHost.self,
      DamagedAuditLog.self, ResidentService.self, RealmConnectionOfHost.self, PhoneGateway.self,
    ]
  }

  /// Returns the findings, most severe first.
  package static func findings(on snapshot: HostSnapshot) -> [Finding] {
    findings(of: examinations, on: snapshot)
  }

  /// Returns the findings that let users sign in without a code, or might, and the checks for such
  /// problems that failed.
  package static func bypassFindings(on snapshot: HostSnapshot) -> [Finding] {
    let examinations: [any Examination.Type] = [
      LostLines.self, StrayModuleLines.self, UnreadableStack.self, BypassedModule.self,
      WeakAuthLine.self, UnprovenFirstFactor.self, SudoWithoutCode.self,
      DisabledPrompts.self, OtherPAMService.self, MethodsWithoutCode.self,
      PasswordAfterRefusal.self, CachedAnswers.self, UnrunAccountLine.self, OtherServers.self,
      StaleServer.self, TenantReach.self,
      UnloadableModule.self, RootWithoutFactor.self,
    ]
    return findings(of: examinations, on: snapshot).filter { finding in
      finding.code == "exempt-group"
        || finding.severity != .note && !isDenial(finding, on: snapshot)
    }
  }

  /// Returns the ways into services on which no first factor is proven, each with its place.
  package static func waysWithoutFirstFactor(on snapshot: HostSnapshot) -> [String] {
    findings(of: [UnprovenFirstFactor.self], on: snapshot).filter { $0.severity == .error }
      .map { finding in
        let names = NameList.text(finding.services.map { VisibleText.escaping($0) })
        return "\(names): \(finding.place): \(finding.message)"
      }
  }

  /// Returns whether a finding is about sign-ins that are denied, or about a tenant without an effect.
  private static func isDenial(_ finding: Finding, on snapshot: HostSnapshot) -> Bool {
    switch finding.code {
    case "module-not-loaded": !UnloadableModule.letsUsersIn(finding, on: snapshot)
    case "keyboard-interactive-off", "tenant-without-users", "root-locked-out", "root-not-enrolled",
      "root-keys-refused":
      true
    case _: false
    }
  }

  /// Returns the findings about files and accounts through which users other than mfa and root can
  /// read or change the keys of factors, and the checks for such problems that failed.
  package static func keyExposureFindings(on snapshot: HostSnapshot) -> [Finding] {
    // The key of an imported factor is also in the file that it was imported from.
    installationFindings(on: snapshot)
      + (mayHaveImported(snapshot) ? LeftoverFiles.findings(on: snapshot) : [])
  }

  /// Returns the reasons why a user might enrol without the password of the account.
  package static func enrollmentGaps(on snapshot: HostSnapshot) -> [String] {
    (EnrollmentService.gap(in: snapshot.host.stacks).map { ["\($0.place): \($0.reason)"] } ?? [])
      + installationFindings(on: snapshot).map { "\($0.place): \($0.message)" }
  }

  private static func installationFindings(on snapshot: HostSnapshot) -> [Finding] {
    SystemUser.findings(on: snapshot) + Ownership.findings(on: snapshot)
  }

  private static func mayHaveImported(_ snapshot: HostSnapshot) -> Bool {
    guard case .success(let users) = snapshot.stored else { return true }
    return users.contains { user in
      switch user.content {
      case .notEnrolled: false
      case .unusable: true
      case .usable(let stored): stored.factors.contains { $0.origin == .imported }
      }
    }
  }

  private static func findings(
    of examinations: [any Examination.Type], on snapshot: HostSnapshot
  ) -> [Finding] {
    var findings: [Finding] = []
    for examination in examinations where snapshot.decides || !(examination is any OwnDecision.Type)
    {
      for finding in examination.findings(on: snapshot) {
        // One line can cause the same finding for several services.
        guard let index = findings.firstIndex(where: { $0.differsOnlyInServices(from: finding) })
        else {
          findings.append(finding)
          continue
        }
        findings[index].services += finding.services.filter {
          !findings[index].services.contains($0)
        }
      }
    }
    let all = findings
    findings.removeAll { isContained($0, in: all) }
    return Finding.Severity.allCases.flatMap { severity in
      findings.filter { $0.severity == severity }
    }
  }

  /// Returns whether a finding about a service that might be left out of use says less than one about
  /// the users who can use it.
  private static func isContained(_ finding: Finding, in findings: [Finding]) -> Bool {
    finding.code == "sibling-without-code"
      && findings.contains { $0.code == "sudo-other-service" && $0.place == finding.place }
  }
}

/// One check of `mfa-admin doctor`.
///
/// MUST 1: a check that cannot be made results in a finding and is never skipped silently.
/// (`Finding.unchecked`, and `ExaminationTests.unreadable`)
package protocol Examination {
  /// Returns the findings, or an empty array if there is no problem.
  static func findings(on snapshot: HostSnapshot) -> [Finding]
}

/// A check that makes sense only on a host that decides itself: of its store, its clock, or the users of its policy.
/// (`RealmConnectionOfHost` reports that these checks are not made in a realm.)
protocol OwnDecision: Examination {}

/// A check with at most one finding.
package protocol SingleExamination: Examination {
  /// What is checked, to follow "cannot check".
  static var subject: String { get }

  /// Returns the finding, or nil if there is no problem.
  static func finding(on snapshot: HostSnapshot) throws(AdminError) -> Finding?
}

extension SingleExamination {
  package static var subject: String { "this host" }

  package static func findings(on snapshot: HostSnapshot) -> [Finding] {
    Finding.checking(subject) { () throws(AdminError) in
      try [finding(on: snapshot)].compactMap { $0 }
    }
  }
}

/// The findings on a host, divided into those to act on and those that an administrator accepted.
package struct Diagnosis {
  /// The findings to act on, most severe first.
  package private(set) var findings: [Finding] = []
  /// The accepted findings, most severe first.
  package private(set) var accepted: [(finding: Finding, acceptance: Acceptance)] = []

  /// Examines a host. If the list of accepted findings cannot be read, nothing is accepted, and that
  /// is a finding too.
  package init(_ snapshot: HostSnapshot, at time: Int64) {
    let list: AcceptedFindings
    switch snapshot.host.acceptedFindings() {
    case .success(let known): list = known
    case .failure(let failure):
      list = AcceptedFindings()
      findings.append(.unchecked("which findings are accepted", failure))
    }
    for finding in Doctor.findings(on: snapshot) {
      if let acceptance = Self.acceptance(of: finding, in: list, snapshot, at: time) {
        accepted.append((finding, acceptance))
      } else {
        findings.append(finding)
      }
    }
    findings = Finding.Severity.allCases.flatMap { severity in
      findings.filter { $0.severity == severity }
    }
  }

  private static func acceptance(
    of finding: Finding, in list: AcceptedFindings, _ snapshot: HostSnapshot, at time: Int64
  ) -> Acceptance? {
    guard !list.all.isEmpty, let subject = Acceptance.Subject(finding, on: snapshot.host),
      let acceptance = list.acceptance(of: subject), acceptance.holds(at: time)
    else { return nil }
    return acceptance
  }

  /// Everything on a host that lets users sign in without a code, or might, accepted or not, most severe first.
  package func exemptions(on snapshot: HostSnapshot) -> [(
    finding: Finding, acceptance: Acceptance?
  )] {
    Doctor.bypassFindings(on: snapshot).map { finding in
      (finding, accepted.first { $0.finding == finding }?.acceptance)
    }
  }

  /// The number of errors to act on.
  package var errors: Int { findings.count { $0.severity == .error } }
  /// The number of warnings to act on.
  package var warnings: Int { findings.count { $0.severity == .warning } }
}

/// A problem or fact that `mfa-admin doctor` reports.
package struct Finding: Equatable {
  /// The severity of a finding, from highest to lowest.
  package enum Severity: String, CaseIterable {
    /// Users are locked out or can sign in without a code.
    case error
    /// Users might be locked out or sign in without a code, an attack is easier, or a check failed.
    case warning
    /// A fact that may be intended.
    case note
  }

  /// The severity.
  package private(set) var severity: Severity
  /// A stable identifier for programs.
  package let code: String
  /// The PAM services concerned, or an empty array if the finding is not about a service.
  package var services: [[UInt8]] = []
  /// The file and line, or the path, to look at first.
  package let place: String
  /// The effect, and the users concerned.
  package private(set) var message: String
  /// The remedy.
  package let hint: String

  /// Returns whether another finding differs only in its services.
  func differsOnlyInServices(from other: Finding) -> Bool {
    var same = other
    same.services = services
    return self == same
  }

  /// The severity, the place, the services and the message on one line, without a line feed.
  package var headline: String {
    let names = services.map { VisibleText.escaping($0) }
    let whose = names.isEmpty ? "" : NameList.text(names) + ": "
    return "\(severity.rawValue): \(place): \(whose)\(message) [\(code)]"
  }

  /// The finding as lines of text, each with a line feed.
  package var text: String { "\(headline)\n  \(hint)\n" }

  /// The finding as JSON. Member names are stable.
  package var json: JSON {
    .object([
      ("severity", .string(severity.rawValue)), ("finding", .string(code)),
      ("services", .array(services.map { .string(VisibleText.escaping($0)) })),
      ("place", .string(place)),
      ("message", .string(message)), ("hint", .string(hint)),
    ])
  }

  /// Returns the finding about users who do not exist now: it is no error yet.
  func ifAccountExists() -> Finding {
    limited(severity == .error ? .warning : severity, "no account has such a name now")
  }

  /// Returns the finding with another severity, for a reason that follows the message.
  func limited(_ severity: Severity, _ reason: String) -> Finding {
    var finding = self
    finding.severity = severity
    finding.message += "; \(reason)"
    return finding
  }

  /// Returns the findings of `body`, or the finding that `what` could not be checked.
  static func checking(
    _ what: String, _ body: () throws(AdminError) -> [Finding]
  ) -> [Finding] {
    do throws(AdminError) { return try body() } catch { return [.unchecked(what, error)] }
  }

  /// Returns the finding that `what` could not be checked, because something cannot be read.
  static func unchecked(_ what: String, _ failure: AdminError) -> Finding {
    unchecked(what, at: VisibleText.escaping(failure.place), failure.reason)
  }

  /// Returns the finding that `what` could not be checked.
  static func unchecked(
    _ what: String, at place: String, _ reason: String, severity: Severity = .warning
  ) -> Finding {
    Finding(
      severity: severity, code: "could-not-be-checked", place: place,
      message: "cannot check \(what): \(reason)",
      hint: "correct this, then: mfa-admin doctor")
  }
}
