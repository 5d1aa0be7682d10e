import MFAAdmin
import MFABase
import MFAModel

/// Checks that codes can be sent to phones where policy says so, and that no test number is left.
enum PhoneGateway: Examination {
  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    snapshot.validConfigurations.flatMap { configuration in
      gateway(configuration, snapshot) + missing(configuration)
        + testNumbers(configuration, snapshot)
    }
  }

  /// Returns whether any section allows factors of the type phone.
  private static func allowsPhones(_ configuration: Configuration) -> Bool {
    let phone = Configuration.FactorType.phone.name
    let values =
      [configuration.value(of: .factors)]
      + configuration.tenants.map { configuration.value(of: .factors, in: $0) }
    return values.contains { value in
      value.map { String(decoding: $0, as: UTF8.self).contains(phone) } ?? false
    }
  }

  private static func gateway(
    _ configuration: Configuration, _ snapshot: HostSnapshot
  ) -> [Finding] {
    guard let path = configuration.project.gateway, allowsPhones(configuration) else { return [] }
    let state = snapshot.host.gatewayState(of: path)
    var findings: [Finding] = []
    if let refusal = state.refusal {
      let name = VisibleText.escaping(path)
      findings.append(
        Finding(
          severity: .error, code: "gateway-unusable", place: name,
          message: "no code is sent to phones: \(GatewayState.reason(refusal))",
          hint: "the file and all directories above it must belong to root, without write "
            + "permission for other users; the file must be executable: chmod 0755 \(name)"))
    }
    findings += service(state.service, snapshot)
    return findings
  }

  private static func service(
    _ service: GatewayState.Service, _ snapshot: HostSnapshot
  ) -> [Finding] {
    let place = "\(InstalledPath.gatewaySocket)"
    switch service {
    case .listens: return []
    case .stopped:
      return [
        Finding(
          severity: .error, code: "gateway-service-stopped", place: place,
          message: "no code is sent to phones: the gateway service does not run",
          hint: "systemctl enable --now mfa-gateway.socket; without systemd, start "
            + "\(InstalledPath.resident) --gateway --listen \(InstalledPath.residentFolder)")
      ]
    case .untrusted(let owner):
      return [
        Finding(
          severity: .error, code: "gateway-service-untrusted", place: place,
          message: "no code is sent to phones: uid \(owner) listens on the socket",
          hint: "find the program: ss --listening --packet --processes; then remove \(place) and: "
            + "systemctl restart mfa-gateway.socket")
      ]
    case .unknown(let reason):
      return [.unchecked("whether the gateway service runs", at: place, reason)]
    }
  }

  /// Finds sections in which users can only use codes that cannot be sent.
  private static func missing(_ configuration: Configuration) -> [Finding] {
    guard configuration.project.gateway == nil else { return [] }
    let only = Array(Configuration.FactorType.phone.name.utf8)
    return ([nil] + configuration.tenants.map { $0 }).compactMap { tenant in
      guard configuration.value(of: .factors, in: tenant) == only else { return nil }
      return Finding(
        severity: .error, code: "phone-without-gateway",
        place: place(of: .factors, in: tenant, configuration),
        message: "only codes that are sent to phones are accepted, but no gateway is configured",
        hint: "set gateway and regions, or allow totp: mfa.conf(5)")
    }
  }

  private static func testNumbers(
    _ configuration: Configuration, _ snapshot: HostSnapshot
  ) -> [Finding] {
    guard !configuration.project.phoneTestNumbers.isEmpty else { return [] }
    let place = place(of: .phoneTestNumbers, in: nil, configuration)
    return enrolled(configuration, snapshot, place) + [
      Finding(
        severity: .warning, code: "phone-test-numbers", place: place,
        message: "test numbers accept codes that every user of this host can read",
        hint: "remove the line when the tests are done")
    ]
  }

  /// Finds users whose phone became a test number after they enrolled it. No code is accepted for it.
  private static func enrolled(
    _ configuration: Configuration, _ snapshot: HostSnapshot, _ place: String
  ) -> [Finding] {
    let numbers = configuration.project.phoneTestNumbers.map { entry in
      Array(entry.prefix { $0 != UInt8(ascii: "=") })
    }
    let users: [String]
    do throws(AdminError) { users = try snapshot.host.users(withPhones: numbers) } catch {
      return [.unchecked("whether a user has enrolled a test number", at: place, error.message)]
    }
    guard !users.isEmpty else { return [] }
    return [
      Finding(
        severity: .error, code: "phone-test-number-enrolled", place: place,
        message:
          "a test number is the phone of \(NameList.text(users, most: 10)): it gets no code, and "
          + "the code of the test number is not accepted for it",
        hint: "remove the number from the line, or the phone: mfa-admin revoke USER FACTOR")
    ]
  }

  private static func place(
    of key: Configuration.Key, in tenant: Tenant?, _ configuration: Configuration
  ) -> String {
    let origin = configuration.origin(of: key, in: tenant)
    return VisibleText.escaping(
      origin.map { configuration.place(of: $0) } ?? InstalledPath.configuration.bytes)
  }
}
