import PAMStack
import SignIn

/// A configuration, or arguments of the module, with which every sign-in is denied.
enum UnusableConfiguration: Examination {
  static func findings(on chart: Chart) -> [Finding] {
    let failures = chart.configurationFailures.map { failure in
      Finding(
        severity: chart.asked.isEmpty ? .warning : .error, code: "configuration",
        place: VisibleText.escaping(failure.path),
        message: "every sign-in that is asked for a code is denied: \(AdminError.message(failure))",
        hint: "correct it; mfa-admin config check tells when it is right")
    }
    return failures + chart.asked.compactMap { arguments($0) }
  }

  private static func arguments(_ service: AskedService) -> Finding? {
    guard case .failure(let refusal) = service.options else { return nil }
    return Finding(
      severity: .error, code: "arguments", services: [service.name], place: service.place,
      message: "every sign-in is denied: \(text(refusal))",
      hint: "correct the line: pam_mfa(8) lists the arguments")
  }

  private static func text(_ refusal: ModuleOptions.Refusal) -> String {
    switch refusal {
    case .unknown(let argument):
      "pam_mfa.so has no argument \"\(VisibleText.escaping(argument))\""
    case .repeated(let argument):
      "the argument \"\(VisibleText.escaping(argument))\" stands there twice"
    case .contradictory: "try_first_pass and use_first_pass contradict one another"
    }
  }
}
