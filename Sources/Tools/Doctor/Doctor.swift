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
      DisabledPrompts.self, PasswordAsCode.self, MethodsWithoutCode.self, RootWithoutFactor.self,
      SessionNotFollowed.self, SharedIdentity.self, SystemUser.self, Ownership.self,
      UnwritableStore.self, BreakGlass.self, VolatileStore.self, SandboxedService.self,
      SiblingServices.self, OtherServers.self, IgnoredDropIns.self, TenantReach.self,
      RefusedKeys.self, ReplacedFiles.self,
      UnusableRecords.self, RenamedUsers.self, UnsynchronizedClock.self, LeftoverFiles.self,
      WeakSecrets.self,
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
      DisabledPrompts.self, MethodsWithoutCode.self, OtherServers.self, TenantReach.self,
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
    (EnrollmentService.gap(in: snapshot.host.stacks).map { ["\($0.place): \($0.message)"] } ?? [])
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
    for examination in examinations {
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
