/// The checks of `mfa-admin doctor`, which find problems that lock out legitimate users or let
/// users sign in without a code.
enum Doctor {
  /// All examinations, in the order in which findings of equal severity are shown.
  static var examinations: [any Examination.Type] {
    [
      UnusedModule.self, UnreadableStack.self, UnusableConfiguration.self, BypassedModule.self,
      WeakAuthLine.self, CodeBeforePassword.self, MissingAccountLine.self,
      DisabledPrompts.self, PasswordAsCode.self, MethodsWithoutCode.self, RootWithoutFactor.self,
      SessionNotFollowed.self, SharedIdentity.self, SystemUser.self, Ownership.self,
      UnwritableStore.self, SandboxedService.self,
      UnusableRecords.self, UnsynchronizedClock.self, LeftoverFiles.self, WeakSecrets.self,
      UnrecordedChanges.self, StoppedLockHolder.self, DamagedAuditLog.self,
    ]
  }

  /// Returns the findings, most severe first.
  static func findings(on chart: HostSnapshot) -> [Finding] {
    findings(of: examinations, on: chart)
  }

  /// Returns the findings that let users sign in without a code, or might, and the checks for such
  /// problems that failed.
  static func openings(on chart: HostSnapshot) -> [Finding] {
    let examinations: [any Examination.Type] = [
      UnreadableStack.self, BypassedModule.self, WeakAuthLine.self, DisabledPrompts.self,
      MethodsWithoutCode.self,
    ]
    return findings(of: examinations, on: chart).filter {
      $0.severity != .note && $0.code != "keyboard-interactive-off"
    }
  }

  private static func findings(
    of examinations: [any Examination.Type], on chart: HostSnapshot
  ) -> [Finding] {
    var findings: [Finding] = []
    for examination in examinations {
      for finding in examination.findings(on: chart) {
        // One line can cause the same finding for several services.
        guard let index = findings.firstIndex(where: { $0.isLike(finding) }) else {
          findings.append(finding)
          continue
        }
        findings[index].services += finding.services.filter {
          !findings[index].services.contains($0)
        }
      }
    }
    return Finding.Severity.allCases.flatMap { severity in
      findings.filter { $0.severity == severity }
    }
  }
}
