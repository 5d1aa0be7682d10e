/// Looks for what keeps people out who have done nothing wrong, and for what lets them in without a
/// code.
enum Doctor {
  /// All that is looked for, in the order in which what is equally grave is told.
  static var examinations: [any Examination.Type] {
    [
      UnusedModule.self, UnreadableStack.self, UnusableConfiguration.self, BypassedModule.self,
      WeakAuthLine.self, CodeBeforePassword.self, MissingAccountLine.self,
      SilencedKeyboard.self, PasswordAsCode.self, MethodsWithoutCode.self, RootWithoutFactor.self,
      SystemUser.self, Ownership.self, UnwritableStore.self, SandboxedService.self,
      UnusableRecords.self, UnsynchronizedClock.self, LeftoverFiles.self, WeakSecrets.self,
    ]
  }

  /// What is found, the gravest first.
  static func findings(on chart: Chart) -> [Finding] {
    var findings: [Finding] = []
    for examination in examinations {
      // The same may be found at several services.
      for finding in examination.findings(on: chart) where !findings.contains(finding) {
        findings.append(finding)
      }
    }
    return Finding.Severity.allCases.flatMap { severity in
      findings.filter { $0.severity == severity }
    }
  }
}
