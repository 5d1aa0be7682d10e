import MFAAdmin
import MFABase
import MFAModel
import MFAPAMStack

/// Finds users whose accounts were renamed, and whose records are stored under the earlier name.
enum RenamedUsers: OwnDecision {
  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    do throws(AdminError) {
      return try snapshot.host.renamedUsers().map { renamed in
        let earlier = "\(VisibleText(renamed.earlier))"
        let name = VisibleText.escaping(renamed.account.name)
        return Finding(
          severity: .warning, code: "renamed-user", place: "\(InstalledPath.store)",
          message:
            "the user ID of \(name) has factors under the name \(earlier), which no account has now: "
            + "\(name) cannot sign in where the module decides",
          hint:
            "if it is the same user: mfa-admin rename-user \(earlier) \(name); if not: mfa-admin revoke "
            + "\(earlier) --all")
      }
    } catch {
      // Another examination reports a store that cannot be used.
      return []
    }
  }

  /// Returns the earlier names, whose records another examination does not report as left behind.
  static func earlierNames(on snapshot: HostSnapshot) -> [[UInt8]] {
    do throws(AdminError) {
      return try snapshot.host.renamedUsers().map(\.earlier.bytes)
    } catch {
      return []
    }
  }
}

/// Finds several account names with one uid, which the kernel treats as one user.
enum SharedIdentity: OwnDecision {
  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    // Another examination reports that the accounts cannot be listed.
    guard case .success(let accounts) = snapshot.accounts else { return [] }
    let shared = Dictionary(grouping: accounts) { $0.account.uid }
      .filter { $0.value.count > 1 && $0.value.contains { $0.isPersonal } }
    return shared.sorted { $0.key < $1.key }.map { uid, accounts in
      let names = accounts.map { VisibleText.escaping($0.account.name) }
      return Finding(
        severity: .warning, code: "shared-uid", place: "/etc/passwd",
        message:
          "\(NameList.text(names)) share uid \(uid): a name without its own factors signs in with the "
          + "codes of the first name that has factors",
        hint: "give each account its own uid, or remove the names that are not needed")
    }
  }
}

/// Finds tenants that apply to no user, and tenants that switch a service off for every user.
enum TenantReach: OwnDecision {
  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    snapshot.validConfigurations.flatMap { configuration in
      configuration.tenants.flatMap { withoutSignIns($0, configuration, snapshot) }
    } + switchedOff(on: snapshot)
  }

  /// A name that no user has.
  private static let unknownUser = Array("mfa-admin-doctor".utf8)

  // MARK: Tenants that apply to no user

  private static func withoutSignIns(
    _ tenant: Tenant, _ configuration: Configuration, _ snapshot: HostSnapshot
  ) -> [Finding] {
    let subject = Subject(user: unknownUser, service: [], address: nil) { _ in false }
    return tenant.reasons(for: subject).compactMap { reason in
      let names = reason.value.split(separator: UInt8(ascii: ","))
        .map { Array($0.drop { $0 == UInt8(ascii: " ") }) }
      let place = VisibleText.escaping(configuration.place(of: reason.origin))
      let tenant = VisibleText.escaping(tenant.name)
      do throws(AdminError) {
        return try missing(reason.key, names, snapshot.host).map { what in
          Finding(
            severity: .warning, code: "tenant-without-users", place: place,
            message: "tenant \(tenant) applies to no sign-in: there is no \(what)",
            hint: "correct the name, or remove the tenant")
        }
      } catch {
        return .unchecked("whether tenant \(tenant) applies to anybody", at: place, error.reason)
      }
    }
  }

  /// Returns what was looked for if nothing has any of the names, or nil if a selector can match.
  private static func missing(
    _ key: Configuration.Key, _ names: [[UInt8]], _ host: any ExaminedHost
  ) throws(AdminError) -> String? {
    let kind: String
    switch key {
    case .users:
      kind = "user"
      for name in names where try host.account(named: name) != nil { return nil }
    case .groups:
      kind = "group"
      for name in names where host.hasGroup(name) { return nil }
    case .services:
      kind = "service"
      do throws(StackRefusal) {
        let services = try host.services()
        for name in names where services.contains(name) { return nil }
      } catch {
        throw AdminError(at: "\(InstalledPath.services)", error.sentence)
      }
    case _: return nil
    }
    return "\(kind) \(NameList.text(names.map { VisibleText.escaping($0) }))"
  }

  // MARK: Tenants that switch a service off

  /// Returns whether policy is enforced at a service for users whom no tenant names.
  static func isEnforced(
    at service: ServiceWithModule, _ configuration: Configuration
  ) -> Bool {
    configuration.project.state == .enabled
      && configuration.settings(for: anyUser(of: service)).state == .enabled
  }

  /// Returns a sign-in at a service of a user whom no tenant names.
  static func anyUser(of service: ServiceWithModule) -> Subject {
    Subject(user: unknownUser, service: service.name, address: nil) { _ in false }
  }

  /// Returns the findings about services that ask no user for a code.
  static func switchedOff(on snapshot: HostSnapshot) -> [Finding] {
    snapshot.servicesWithModule.compactMap { switchedOff($0, snapshot) }
  }

  private static func switchedOff(
    _ service: ServiceWithModule, _ snapshot: HostSnapshot
  ) -> Finding? {
    guard let configuration = snapshot.configuration(of: service),
      configuration.project.state == .enabled
    else { return nil }
    let subject = anyUser(of: service)
    let state = configuration.settings(for: subject).state
    guard state != .enabled,
      let tenant = configuration.tenants.last(where: {
        $0.match(subject) == .yes && configuration.origin(of: .state, in: $0) != nil
      }), let origin = configuration.origin(of: .state, in: tenant)
    else { return nil }
    let effect = state == .observe ? "are admitted with any answer" : "are not asked for a code"
    return Finding(
      severity: .warning, code: "service-switched-off", services: [service.name],
      place: VisibleText.escaping(configuration.place(of: origin)),
      message: "tenant \(VisibleText.escaping(tenant.name)) applies to every user of "
        + "\(service.visibleName): they \(effect)",
      hint:
        "name the users or groups that are exempt; or, if this is intended, disable the service: "
        + "mfa-admin disable \(service.visibleName)")
  }
}

/// Finds an invalid configuration or invalid module arguments, which cause every sign-in to be
/// denied.
enum UnusableConfiguration: Examination {
  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    let failures = snapshot.configurationFailures.map { failure in
      Finding(
        severity: snapshot.servicesWithModule.isEmpty || !snapshot.decides ? .warning : .error,
        code: "configuration", place: VisibleText.escaping(failure.path),
        message: (snapshot.decides ? "" : "while the relay does not run, ")
          + "sign-ins that require a code are denied: \(AdminError.message(failure))",
        hint: AdminError.remedy(failure) ?? "correct it, then: mfa-admin config check")
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
    case .programPasswordWithCode:
      "program_password cannot be combined with an argument about the password or the code"
    }
  }
}

/// Finds settings that have no effect, because another key that they need is not set.
enum UnusedSettings: Examination {
  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    snapshot.validConfigurations.flatMap { configuration in
      configuration.unusedSettings.map { setting in
        Finding(
          severity: .note, code: "unused-setting",
          place: VisibleText.escaping(configuration.place(of: setting.origin)),
          message: setting.message, hint: "set \(setting.needed), or remove the line")
      }
    }
  }
}
