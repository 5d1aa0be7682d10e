import MFAAdmin

/// Finds ssh authentication methods that bypass PAM and therefore never ask for a code.
enum MethodsWithoutCode: Examination {
  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    guard let service = snapshot.sshdService else { return [] }
    return findings(service, snapshot.sshd, on: snapshot.host)
  }

  /// Returns the findings about the connections that a view of sshd's settings describes.
  static func findings(
    _ service: ServiceWithModule, _ sshd: SSHDView, on host: any ExaminedHost
  ) -> [Finding] {
    sshd.findings { settings, description, place in
      // `DisabledPrompts` reports that PAM is off, in which case no user is asked for a code.
      guard settings.isOn("usepam") else { return [] }
      let methods = settings.waysWithoutPAM
      guard !methods.isEmpty else { return [] }
      guard settings.methodLists != nil else {
        return [
          finding(
            service, settings, place(["authenticationmethods"]),
            "users who sign in by ssh with \(methods.joined(separator: " or "))\(description) are never "
              + "asked for a code: AuthenticationMethods does not require another method")
        ]
      }
      let shown = methods.joined(separator: " ")
      let line = place(["authenticationmethods"])
      let message =
        "users who sign in by ssh with \(VisibleText.escaping(shown))\(description) are never asked for "
        + "a code: these methods do not use PAM"
      guard !isEnabledExemption(line, host) else {
        return [
          Finding(
            severity: .note, code: "exempt-group", services: [service.name], place: line,
            message: message, hint: "mfa-admin enable --except-group set this up")
        ]
      }
      return [finding(service, settings, line, message)]
    }
  }

  /// Returns whether a line is in a file that `mfa-admin enable` wrote and that has not been edited since:
  /// it then contains no exemption but those that were asked for.
  private static func isEnabledExemption(_ place: String, _ host: any ExaminedHost) -> Bool {
    guard case .success(let services) = host.recordedServices() else { return false }
    let path = Acceptance.Subject.split(place).path
    return services.contains { service in
      service.files.contains {
        VisibleText.escaping($0.path) == path && $0.isUnchanged
      }
    }
  }

  private static func finding(
    _ service: ServiceWithModule, _ settings: SSHDSettings, _ place: String, _ message: String
  ) -> Finding {
    Finding(
      severity: .error, code: "methods-without-code", services: [service.name], place: place,
      message: message,
      hint: SecureShellRemedy.hint(for: settings, service)
        ?? "correct the auth lines of \(service.visibleName) first: run mfa-admin doctor")
  }
}
