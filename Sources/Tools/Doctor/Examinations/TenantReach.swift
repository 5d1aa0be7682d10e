import MFAAdmin
import MFABase
import MFAPAMStack
import MFAModel

/// Finds tenants that apply to no user, and tenants that switch a service off for every user.
enum TenantReach: Examination {
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
      guard let missing = missing(reason.key, names, snapshot.host) else { return nil }
      let place = VisibleText.escaping(configuration.place(of: reason.origin))
      let tenant = VisibleText.escaping(tenant.name)
      switch missing {
      case .all(let what):
        return Finding(
          severity: .warning, code: "tenant-without-users", place: place,
          message: "tenant \(tenant) applies to no sign-in: there is no \(what)",
          hint: "correct the name, or remove the tenant")
      case .unknown(let reason):
        return .unchecked("whether tenant \(tenant) applies to anybody", at: place, reason)
      }
    }
  }

  /// Why a selector matches nothing, or why that is not known.
  private enum Missing {
    /// Nothing has any of the names. The value is what was looked for.
    case all(String)
    case unknown(String)
  }

  /// Returns nil if a selector can match.
  private static func missing(
    _ key: Configuration.Key, _ names: [[UInt8]], _ host: any ExaminedHost
  ) -> Missing? {
    let kind: String
    do throws(SystemError) {
      switch key {
      case .users:
        kind = "user"
        for name in names where try host.account(named: name) != nil { return nil }
      case .groups:
        kind = "group"
        for name in names where try host.hasGroup(name) { return nil }
      case .services:
        kind = "service"
        do throws(StackRefusal) {
          let services = try host.services()
          for name in names where services.contains(name) { return nil }
        } catch {
          return .unknown(StackFinding.reason(error))
        }
      case _: return nil
      }
    } catch {
      return .unknown(error.text)
    }
    return .all("\(kind) \(NameList.text(names.map { VisibleText.escaping($0) }))")
  }

  // MARK: Tenants that switch a service off

  /// Returns whether policy is enforced at a service for users whom no tenant names.
  static func isEnforced(
    at service: ServiceWithModule, _ configuration: Configuration
  ) -> Bool {
    configuration.project.state == .enabled
      && configuration.settings(for: anyUser(of: service)).state == .enabled
  }

  private static func anyUser(of service: ServiceWithModule) -> Subject {
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
