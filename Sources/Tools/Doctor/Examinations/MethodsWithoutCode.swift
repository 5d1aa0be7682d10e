import MFAAdminOutput

/// Finds ssh authentication methods that bypass PAM and therefore never ask for a code.
enum MethodsWithoutCode: Examination {
  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    guard let service = snapshot.sshdService else { return [] }
    return snapshot.sshd.findings { settings, description, place in
      // `DisabledPrompts` reports that PAM is off, in which case no user is asked for a code.
      guard settings.isOn("usepam") else { return [] }
      guard settings.methodLists != nil else {
        let methods = settings.sufficientMethods
        guard !methods.isEmpty else { return [] }
        return [
          finding(
            service, place(["authenticationmethods"]),
            "users who sign in by ssh with \(methods.joined(separator: " or "))\(description) are never "
              + "asked for a code: AuthenticationMethods does not require another method")
        ]
      }
      let open = settings.listsWithoutPAM
      guard !open.isEmpty else { return [] }
      let shown = open.map { $0.joined(separator: ",") }.joined(separator: " ")
      let line = place(["authenticationmethods"])
      let message =
        "users who sign in by ssh with \(VisibleText.escaping(shown))\(description) are never asked for "
        + "a code: these methods do not use PAM"
      guard !isEnabledExemption(line, snapshot) else {
        return [
          Finding(
            severity: .note, code: "exempt-group", services: [service.name], place: line,
            message: message, hint: "mfa-admin enable --except-group set this up")
        ]
      }
      return [finding(service, line, message)]
    }
  }

  /// Returns whether a line is in a file that `mfa-admin enable` wrote and that has not been edited since:
  /// it then contains no exemption but those that were asked for.
  private static func isEnabledExemption(_ place: String, _ snapshot: HostSnapshot) -> Bool {
    guard case .success(let services) = snapshot.host.recordedServices() else { return false }
    let path = Acceptance.Subject.split(place).path
    return services.contains { service in
      service.files.contains {
        VisibleText.escaping($0.path) == path && $0.isUnchanged
      }
    }
  }

  private static func finding(
    _ service: ServiceWithModule, _ place: String, _ message: String
  ) -> Finding {
    Finding(
      severity: .error, code: "methods-without-code", services: [service.name], place: place,
      message: message,
      hint: "set \"AuthenticationMethods keyboard-interactive\" or, for a key and then a code, "
        + "\"AuthenticationMethods publickey,keyboard-interactive\"; then reload sshd")
  }
}
