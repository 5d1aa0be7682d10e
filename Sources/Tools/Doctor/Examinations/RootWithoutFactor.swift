import MFAModel
import MFAPAMStack
import MFABase

/// Finds services at which root can be asked for a code but has no factor.
enum RootWithoutFactor: Examination {
  private static let root = Array("root".utf8)
  private static let keys = "/root/.ssh/authorized_keys"

  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    var findings = snapshot.servicesWithModule.flatMap { finding($0, snapshot) }
    if let finding = keysAlone(snapshot) { findings.append(finding) }
    return findings
  }

  /// Returns whether root can be asked for a code at a service.
  private static func mayBeAsked(_ service: ServiceWithModule, _ snapshot: HostSnapshot) -> Bool {
    if service.isNamed("sshd") {
      return snapshot.sshd.root?.value(of: "permitrootlogin") == "yes"
    }
    return service.isNamed("login", "su", "su-l", "remote")
  }

  private static func finding(_ service: ServiceWithModule, _ snapshot: HostSnapshot) -> [Finding] {
    guard mayBeAsked(service, snapshot), let configuration = snapshot.configuration(of: service)
    else {
      return []
    }
    let account = Account(name: root, uid: 0)
    let settings = configuration.settings(
      for: Subject(user: root, service: service.name, address: nil) { group in
        snapshot.host.isMember(account, of: group)
      })
    // In the other states root is admitted without a code.
    guard settings.state == .enabled else { return [] }
    guard case .success(let stored) = snapshot.stored else { return [] }
    let hasFactor = stored.contains { $0.name == root }
    let isConsole = service.isNamed("login")
    guard !hasFactor else {
      guard isConsole else { return [] }
      return [
        Finding(
          severity: .note, code: "root-console", services: [service.name], place: service.place,
          message:
            "root is asked for a code at the console too: if the store or the clock fails, the "
            + "boot menu is the only way in",
          hint: "keep one of root's recovery codes at hand, or leave pam_mfa.so out of this file")
      ]
    }
    guard mustHaveFactor(settings, snapshot) else {
      guard service.isNamed("sshd") else { return [] }
      return [
        Finding(
          severity: .warning, code: "root-without-code", services: [service.name],
          place: service.place,
          message:
            "root signs in by ssh without a code: PermitRootLogin is \"yes\", and root has no "
            + "factor",
          hint: "set \"PermitRootLogin no\", or enrol root: sudo mfa-enroll --name phone")
      ]
    }
    let console = isConsole ? ", and the console is the last way in" : ""
    if case .certain = snapshot.accountLine(of: service) {
      return [
        Finding(
          severity: .warning, code: "root-not-enrolled", services: [service.name],
          place: service.place,
          message: "root has no factor and has to enrol at the next sign-in\(console)",
          hint: "enrol root now: sudo mfa-enroll --name phone")
      ]
    }
    return [
      Finding(
        severity: .error, code: "root-locked-out", services: [service.name], place: service.place,
        message: "root is denied: a factor is required, root has none and cannot enrol here"
          + console,
        hint: "enrol root now: sudo mfa-enroll --name phone; or add a tenant for root with "
          + "\"enrollment = self-service\"")
    ]
  }

  private static func mustHaveFactor(_ settings: Settings, _ snapshot: HostSnapshot) -> Bool {
    switch settings.enrollment {
    case .selfService: return false
    case .required: return true
    case .offered:
      do throws(SystemError) {
        return !settings.offer.allowsPostponing(afterSignIns: 0, now: try snapshot.host.now())
      } catch {
        return true
      }
    }
  }

  /// Returns a finding if PermitRootLogin admits root with a key only, while AuthenticationMethods
  /// also requires a prompt.
  private static func keysAlone(_ snapshot: HostSnapshot) -> Finding? {
    guard let service = snapshot.sshdService, case .known(_, let file, _) = snapshot.sshd,
      let settings = snapshot.sshd.root, let lists = settings.methodLists,
      ["prohibit-password", "without-password", "forced-commands-only"]
        .contains(settings.value(of: "permitrootlogin") ?? ""),
      lists.allSatisfy({ $0.contains("keyboard-interactive") || $0.contains("password") })
    else { return nil }
    do throws(SystemError) {
      guard let status = try snapshot.host.status(of: keys), status.size > 0 else {
        return settings.keySource.map { source in
          .unchecked(
            "whether root signs in by ssh",
            at: file.place(of: ["permitrootlogin"], saying: settings),
            "\(source), and AuthenticationMethods requires a prompt, which root is allowed only with "
              + "PermitRootLogin \"yes\"")
        }
      }
    } catch {
      return .unchecked("whether root has keys", at: keys, error.text)
    }
    return Finding(
      severity: .warning, code: "root-keys-refused", services: [service.name],
      place: file.place(of: ["permitrootlogin"], saying: settings),
      message: "root has keys in \(keys) but cannot sign in by ssh: AuthenticationMethods "
        + "requires a prompt, which root is allowed only with PermitRootLogin \"yes\"",
      hint: "set \"PermitRootLogin no\" if root must not sign in by ssh; otherwise set "
        + "\"PermitRootLogin yes\" and enrol root")
  }
}
