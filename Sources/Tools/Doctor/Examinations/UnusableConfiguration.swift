import MFAAdmin
import MFAPAMStack

/// Finds an invalid configuration or invalid module arguments, which cause every sign-in to be
/// denied.
enum UnusableConfiguration: Examination {
  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    let failures = snapshot.configurationFailures.map { failure in
      Finding(
        severity: snapshot.servicesWithModule.isEmpty ? .warning : .error, code: "configuration",
        place: VisibleText.escaping(failure.path),
        message: "sign-ins that require a code are denied: \(AdminError.message(failure))",
        hint: AdminError.remedy(failure) ?? "correct it, then run mfa-admin config check")
    }
    return failures + snapshot.servicesWithModule.compactMap { arguments($0) }
  }

  private static func arguments(_ service: ServiceWithModule) -> Finding? {
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
      "the argument \"\(VisibleText.escaping(argument))\" is given twice"
    case .contradictory: "try_first_pass and use_first_pass cannot be combined"
    case .keyWithPassword: "after_key cannot be combined with an argument about the password"
    }
  }
}
