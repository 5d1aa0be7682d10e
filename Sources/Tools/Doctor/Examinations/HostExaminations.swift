import MFAAdmin
import MFABase
import MFAModel
import MFARealm
import MFAWire

/// Finds a break-glass code that cannot be used or can be read by other users, and reports one that is
/// prepared.
package enum BreakGlass: SingleExamination {
  package static let subject = "the break-glass code"

  private static let path = "\(InstalledPath.breakGlass)"

  /// Returns the credential of a host, or nil if it is missing or cannot be used.
  package static func credential(on host: any ExaminedHost) -> BreakGlassCredential? {
    do throws(AdminError) {
      return try host.text(of: path).flatMap { BreakGlassCredential($0) }
    } catch {
      return nil
    }
  }

  package static func finding(on snapshot: HostSnapshot) throws(AdminError) -> Finding? {
    guard let status = try snapshot.host.status(of: path) else { return nil }
    guard status.owner == 0, status.permissions & 0o037 == 0 else {
      return Finding(
        severity: .error, code: "break-glass-exposed", place: path,
        message:
          "has the hash of the break-glass code, and other users may read or change the file",
        hint: "mfa-admin repair; then make a new code: mfa-admin break-glass USER")
    }
    guard snapshot.decides else {
      return Finding(
        severity: .warning, code: "break-glass-unusable", place: path,
        message: "has a break-glass code, which is refused on a host of a realm",
        hint:
          "the realm can let users in during an outage: see offline in mfa-verifier.conf(5); remove this code: "
          + "mfa-admin break-glass --remove")
    }
    guard let credential = credential(on: snapshot.host) else {
      return Finding(
        severity: .error, code: "break-glass-unusable", place: path,
        message: "has no valid break-glass code, so the code of its users is refused",
        hint: "make a new code: mfa-admin break-glass USER")
    }
    let users = credential.users.map { VisibleText.escaping($0) }.joined(separator: ", ")
    return Finding(
      severity: .note, code: "break-glass-prepared", place: path,
      message:
        "while the store cannot be used, these users sign in with the break-glass code in place "
        + "of a second factor: \(users)",
      hint: "keep the code where only they find it; to end this: mfa-admin break-glass --remove")
  }
}

/// Checks that a host of a realm reaches a verifier, how long its certificate is valid, what the verifier says about
/// the database, whether the host can decide during an outage, and that it has no policy of its own.
enum RealmConnectionOfHost: Examination {
  /// How long before its end a certificate is reported, in seconds. The relay renews it ten days before its end.
  private static let shortTime: Int64 = 5 * 86_400

  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    guard !snapshot.decides else { return [] }
    let relay = RelayReport.read(on: snapshot.host)
    return connection(snapshot.rules.realm, relay) + outage(relay) + ownPolicies(snapshot)
      + [unchecked]
  }

  private static func connection(_ status: RealmStatus, _ relay: RelayReport?) -> [Finding] {
    switch status {
    case .noRealm: []
    case .fails(let problem): [failure(problem, relay)]
    case .answers(let inspection, let time):
      [certificate(inspection.certificateEnd, time)].compactMap { $0 }
        + database(inspection.findings)
    }
  }

  /// The finding that the checks of hosts that decide themselves were not made.
  private static let unchecked = Finding(
    severity: .note, code: "realm-decides", place: "\(InstalledPath.realm)",
    message: "the realm decides from its own policy and store, which are not checked here",
    hint: "on a verifier: runuser -u mfa -- mfa-verifier check")

  /// Returns the findings about policies of the host's own: the file of a service, which the realm refuses, and the
  /// file of the host, which decides while the relay does not run.
  private static func ownPolicies(_ snapshot: HostSnapshot) -> [Finding] {
    let refused = snapshot.servicesWithModule.compactMap { service in
      service.configuration.map { path in
        Finding(
          severity: .error, code: "realm-refuses-configuration", services: [service.name],
          place: service.place,
          message:
            "every sign-in that needs a code is denied: the realm refuses the policy in "
            + VisibleText.escaping(path),
          hint:
            "take config= out of this line; the realm's policy can have a tenant for this service"
        )
      }
    }
    let open = snapshot.validConfigurations.flatMap { configuration in
      ([nil] + configuration.tenants).compactMap { unenforced(configuration, $0) }
    }
    return refused + open
  }

  /// Returns the finding about a section of the host's policy that requires no code, or nil if it requires one.
  private static func unenforced(_ configuration: Configuration, _ tenant: Tenant?) -> Finding? {
    let key = Configuration.Key.state
    guard let origin = configuration.origin(of: key, in: tenant),
      let state = configuration.value(of: key, in: tenant),
      state != Array(Configuration.State.enabled.name.utf8)
    else { return nil }
    return Finding(
      severity: .warning, code: "open-without-relay",
      place: VisibleText.escaping(configuration.place(of: origin)),
      message:
        "state = \(VisibleText.escaping(state)): while the relay does not run, users sign in without a code",
      hint: "remove the line: the realm's policy decides while the relay runs")
  }

  private static func failure(_ problem: AdminError, _ relay: RelayReport?) -> Finding {
    let code =
      switch problem {
      case .noRelay, .silentRelay, .untrustedRelay: "relay-stopped"
      case .refused(.hostRefused, _): "host-refused"
      default: "no-verifier"
      }
    var reason = problem.message
    if case .refused(.noVerifier, "") = problem { reason = "no verifier of the realm answers" }
    return Finding(
      severity: .error, code: code, place: "\(InstalledPath.residentRootSocket)",
      message: "\(consequence(relay)): \(reason)",
      hint: hint(problem))
  }

  /// What a problem means for users.
  private static func consequence(_ relay: RelayReport?) -> String {
    guard let relay, relay.isOffline, relay.isQueueSound, relay.permits > 0 else {
      return "every sign-in that needs a code is denied"
    }
    let users = relay.permits == 1 ? "1 user" : "\(relay.permits) users"
    return "sign-ins that need a code are denied, except what the realm permits \(users) during "
      + "an outage"
  }

  /// Whether the files for an outage can be used. The relay replaces them when a verifier answers.
  private static func outage(_ relay: RelayReport?) -> [Finding] {
    guard let relay else { return [] }
    let files = [
      (
        relay.isQueueSound, "offline-queue-damaged",
        "the record of sign-ins during an outage was changed: all of them are denied"
      ),
      (
        relay.arePermitsSound, "offline-permits-damaged",
        "the permits for an outage cannot be read: all sign-ins are denied then"
      ),
    ]
    return files.filter { !$0.0 }.map { _, code, message in
      Finding(
        severity: .error, code: code, place: place, message: message,
        hint:
          "the relay begins anew when a verifier answers; see who changed the file: mfa-fleet(8), OUTAGES"
      )
    }
  }

  /// The file that names the folder with what the host keeps for an outage.
  private static let place = "/etc/mfa/fleet.conf"

  private static func hint(_ problem: AdminError) -> String {
    // The hint of this problem names mfa-admin doctor.
    guard case .refused(.noVerifier, _) = problem else { return problem.hint }
    return "see which verifier fails and why: journalctl -t mfa-fleet; check that the verifiers run"
  }

  private static func certificate(_ end: Int64, _ time: Int64) -> Finding? {
    guard end > 0 else { return nil }
    let (left, overflow) = end.subtractingReportingOverflow(time)
    guard !overflow, left < shortTime else { return nil }
    return Finding(
      severity: .warning, code: "certificate-ends", place: place,
      message:
        "the certificate of this host ends \(Timestamp(end)?.full ?? "soon"), and was not renewed",
      hint: "see why: journalctl -t mfa-fleet; or join again with a new ticket: mfa-fleet(8)")
  }

  private static func database(_ sentences: [[UInt8]]) -> [Finding] {
    sentences.map { sentence in
      Finding(
        severity: .warning, code: "realm-database", place: "the database of the realm",
        message: VisibleText.escaping(sentence),
        hint:
          "mfa-verifier(8), SETTING UP POSTGRESQL; on a verifier: runuser -u mfa -- mfa-verifier check"
      )
    }
  }
}

/// Checks that the resident service answers, on a host where it is installed as a unit.
enum ResidentService: SingleExamination, OwnDecision {
  static let subject = "whether the resident service answers"

  private static let unit = "/usr/lib/systemd/system/mfad.socket"
  private static let manager = "/run/systemd/system"
  private static let start = "systemctl enable --now mfad.socket mfad-users.socket"

  static func finding(on snapshot: HostSnapshot) throws(AdminError) -> Finding? {
    let place = "\(InstalledPath.residentRootSocket)"
    switch snapshot.rules.resident {
    case .answers(nil): return nil
    case .answers(let probe?): return try finding(probe, snapshot.host)
    case .stopped:
      guard exists(unit, snapshot), exists(manager, snapshot) else { return nil }
      return Finding(
        severity: .note, code: "resident-service-stopped", place: place,
        message:
          "the resident service does not run: mfa-helper is started for each request, which takes "
          + "longer, and applications in a sandbox with no_new_privs deny every sign-in",
        hint: "to start it: \(start)")
    case .silent:
      return Finding(
        severity: .warning, code: "resident-service-silent", place: place,
        message:
          "the resident service does not answer: each sign-in waits a minute and is then denied",
        hint: "see why: systemctl status mfad.service; then: systemctl restart mfad.service")
    case .untrusted(let owner):
      return Finding(
        severity: .warning, code: "resident-service-untrusted", place: place,
        message:
          "uid \(owner) listens on the socket of the resident service: sign-ins are denied",
        hint: "find the program: ss --listening --packet --processes; then remove \(place) and: "
          + start)
    case .unknown(let reason):
      return .unchecked("whether the resident service answers", at: place, reason)
    }
  }

  /// Returns the finding about a service that cannot use what root can, or uses something else.
  private static func finding(
    _ probe: ProbeReply, _ host: any ExaminedHost
  ) throws(AdminError) -> Finding? {
    let own = host.ownProbe()
    let problems = [
      (probe.configurationProblem, own.configurationProblem, "the configuration", configuration),
      (probe.storeProblem, own.storeProblem, "the store and its key", "\(InstalledPath.store)"),
    ]
    // What root cannot use either is found by other examinations.
    for (problem, same, what, path) in problems where !problem.isEmpty && problem != same {
      let cause = try cause(of: path, host)
      return Finding(
        severity: .error, code: "decider-without-access", place: cause.place,
        message:
          "mfad, which runs as uid \(probe.user), cannot use \(what) "
          + "(\(VisibleText.escaping(problem)))\(cause.setting): every sign-in that requires a code is "
          + "denied",
        hint: "see what limits it: systemctl cat \(service); remove the line, then: systemctl "
          + "daemon-reload && systemctl restart \(service)")
    }
    let values = [
      (probe.configuration == own.configuration, configuration),
      (probe.folder == own.folder, "\(InstalledPath.store)"),
      (probe.key == own.key, "\(InstalledPath.key)"),
    ]
    guard problems.allSatisfy({ $0.0.isEmpty && $0.1.isEmpty }),
      let (_, path) = values.first(where: { !$0.0 })
    else { return nil }
    return Finding(
      severity: .error, code: "decider-elsewhere", place: try cause(of: path, host).place,
      message:
        "mfad uses another \(path) than the one on this host: what mfa-admin shows and changes is not "
        + "what decides",
      hint:
        "see what shows it another file: systemctl cat \(service); remove the line, then: systemctl "
        + "daemon-reload && systemctl restart \(service)")
  }

  private static let configuration = "\(InstalledPath.configurationFolder)"
  private static let service = "mfad.service"

  /// Returns the line of the unit that limits the access to a path or names another user, or the unit, and the
  /// setting for a message.
  private static func cause(
    of path: String, _ host: any ExaminedHost
  ) throws(AdminError) -> (place: String, setting: String) {
    let sandbox = try UnitSandbox(of: service, on: host)
    let needed = path == "\(InstalledPath.store)" ? UnitSandbox.Access.written : .read
    let user = sandbox.user.flatMap { $0.setting == "User=\(DecidingUser.name)" ? nil : $0 }
    if let rule = sandbox.rule(for: path, beyond: needed) {
      return (rule.place, " because of \(VisibleText.escaping(rule.setting))")
    }
    if let user { return (user.place, " because of \(VisibleText.escaping(user.setting))") }
    if let place = sandbox.otherRoot { return (place, " because of another root directory") }
    return (service, "")
  }

  private static func exists(_ path: String, _ snapshot: HostSnapshot) -> Bool {
    do throws(AdminError) { return try snapshot.host.status(of: path) != nil } catch {
      return false
    }
  }
}

/// Finds services whose systemd sandbox blocks access to the resident service or, where that is not reached, to
/// the store or its key.
enum SandboxedService: Examination {
  private static let harm = "sign-ins that require a code are denied"

  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    var residentAnswers = false
    if case .answers = snapshot.rules.resident { residentAnswers = true }
    return snapshot.servicesWithModule.flatMap { service in
      UnitFiles.units(of: service).compactMap {
        finding($0, service, residentAnswers, snapshot.host)
      }
    }
  }

  private static func finding(
    _ unit: String, _ service: ServiceWithModule, _ residentAnswers: Bool, _ host: any ExaminedHost
  ) -> Finding? {
    let sandbox: UnitSandbox
    do throws(AdminError) { sandbox = try UnitSandbox(of: unit, on: host) } catch {
      return .unchecked("whether \(unit) can access the store", error)
    }
    let obstacle = sandbox.obstacle(toSocketsIn: "\(InstalledPath.residentFolder)")
    if residentAnswers, sandbox.otherRoot == nil {
      guard let obstacle else { return nil }
      if let line = sandbox.noNewPrivileges {
        return Finding(
          severity: .error, code: "service-sandboxed", services: [service.name],
          place: obstacle.place,
          message:
            "\(unit) cannot reach mfad because of \(VisibleText.escaping(obstacle.setting)), and cannot "
            + "start mfa-helper in its place because of \(VisibleText.escaping(line.setting)): \(harm)",
          hint: "remove one of the two, then: systemctl daemon-reload && systemctl restart \(unit)")
      }
    }
    if let place = sandbox.otherRoot {
      return .unchecked(
        "whether \(unit) can access the store", at: place,
        "the unit sets a different root directory")
    }
    if let rule = sandbox.rule(for: "\(InstalledPath.store)"), rule.access != .written {
      return finding(rule, of: unit, service, path: "\(InstalledPath.store)")
    }
    guard let rule = sandbox.rule(for: "\(InstalledPath.configurationFolder)"),
      rule.access == .hidden
    else { return nil }
    return finding(rule, of: unit, service, path: "\(InstalledPath.configurationFolder)")
  }

  /// Returns the finding about a rule that blocks access to `path`.
  private static func finding(
    _ rule: UnitSandbox.Rule, of unit: String, _ service: ServiceWithModule, path: String
  ) -> Finding {
    let setting = VisibleText.escaping(rule.setting)
    let isHidden = rule.access == .hidden
    let what = isHidden ? "cannot see" : "cannot write to"
    return Finding(
      severity: .error, code: "service-sandboxed", services: [service.name], place: rule.place,
      message: "\(unit) \(what) \(path) because of \(setting): \(harm)",
      hint: isHidden
        ? "remove the path from that line, then: systemctl daemon-reload && systemctl restart \(unit)"
        : "add \"ReadWritePaths=\(path)\" under [Service]: systemctl edit \(unit); then: systemctl restart \(unit)"
    )
  }
}

/// Checks the system user `mfa`, which owns the store and the helper.
enum SystemUser: SingleExamination {
  static let subject = "the system user mfa"

  /// The program that makes the users of packages. dpkg replaces no file of a user who does not exist.
  private static let sysusers = "/usr/bin/systemd-sysusers"

  static func finding(on snapshot: HostSnapshot) throws(AdminError) -> Finding? {
    guard let account = try snapshot.owner.get() else {
      return Finding(
        severity: .error, code: "no-system-user", place: "/etc/passwd",
        message: "the user mfa does not exist: no factor can be used and no user can enrol",
        hint: "make it: "
          + (try snapshot.host.status(of: sysusers) != nil
            ? "systemd-sysusers mfa.conf"
            : "useradd --system --user-group --home-dir \(InstalledPath.store) --no-create-home --shell "
              + "/usr/sbin/nologin mfa")
          + "; give it its files: mfa-admin repair; then install mfa again: \(Installation.command)"
      )
    }
    guard account.uid != 0 else {
      return Finding(
        severity: .error, code: "system-user-is-root", place: "/etc/passwd",
        message: "the user mfa has uid 0: the helper would be setuid root",
        hint: "rename the account: vipw; then: \(Installation.command)")
    }
    guard case .success(let accounts) = snapshot.accounts,
      let listed = accounts.first(where: { $0.account.name == account.name }), listed.isPersonal
    else { return nil }
    return Finding(
      severity: .warning, code: "system-user-signs-in", place: "/etc/passwd",
      message:
        "the user mfa looks like a personal account: anyone who signs in as mfa can change every "
        + "factor",
      hint:
        "close it: usermod --lock --shell /usr/sbin/nologin mfa; if the account belongs to a person, "
        + "rename it instead")
  }
}

/// Finds a system clock that is not synchronised. Codes depend on the time.
enum UnsynchronizedClock: SingleExamination, OwnDecision {
  static let subject = "whether the clock is synchronised"

  static func finding(on snapshot: HostSnapshot) throws(AdminError) -> Finding? {
    guard let isSynchronized = try snapshot.host.clockIsSynchronized() else {
      return .unchecked(
        subject, at: "adjtimex(2)", "the host of this container does not tell", severity: .note)
    }
    guard !isSynchronized else { return nil }
    return Finding(
      severity: .warning, code: "clock-not-synchronized", place: "adjtimex(2)",
      message:
        "the system clock is not synchronised: once it is off by more than adjacent_intervals "
        + "allows, every code is rejected",
      hint:
        "synchronise it: timedatectl set-ntp true; or make sure that chrony has \"rtcsync\"; this can be "
        + "expected in a virtual machine whose host keeps the time")
  }
}

/// Checks that codes can be sent to phones where policy says so, and that no test number is left.
enum PhoneGateway: OwnDecision {
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
    return findings + [service(state.service)].compactMap { $0 }
  }

  private static func service(_ service: GatewayState.Service) -> Finding? {
    let place = "\(InstalledPath.gatewaySocket)"
    switch service {
    case .listens: return nil
    case .stopped:
      return Finding(
        severity: .error, code: "gateway-service-stopped", place: place,
        message: "no code is sent to phones: the gateway service does not run",
        hint: "start it: systemctl enable --now mfa-gateway.socket; without systemd: "
          + "\(InstalledPath.resident) --gateway --listen \(InstalledPath.residentFolder)")
    case .untrusted(let owner):
      return Finding(
        severity: .error, code: "gateway-service-untrusted", place: place,
        message: "no code is sent to phones: uid \(owner) listens on the socket",
        hint: "find the program: ss --listening --packet --processes; then remove \(place) and: "
          + "systemctl restart mfa-gateway.socket")
    case .unknown(let reason):
      return .unchecked("whether the gateway service runs", at: place, reason)
    }
  }

  /// Finds sections that allow phones to which nothing is sent.
  private static func missing(_ configuration: Configuration) -> [Finding] {
    configuration.unsentCodes.map { codes in
      Finding(
        severity: codes.isOnlyType ? .error : .warning,
        code: codes.missing.contains(.gateway) ? "phone-without-gateway" : "phone-without-regions",
        place: VisibleText.escaping(configuration.place(of: codes.origin)), message: codes.message,
        hint: "set \(codes.missing.map(\.name).joined(separator: " and ")), or \"factors = totp\": "
          + "mfa-gateway(7)")
    }
  }

  private static func testNumbers(
    _ configuration: Configuration, _ snapshot: HostSnapshot
  ) -> [Finding] {
    guard !configuration.project.phoneTestNumbers.isEmpty else { return [] }
    let place = place(of: .phoneTestNumbers, in: nil, configuration)
    return [enrolled(configuration, snapshot, place)].compactMap { $0 } + [
      Finding(
        severity: .warning, code: "phone-test-numbers", place: place,
        message: "test numbers accept codes that every user of this host can read",
        hint: "remove the line when the tests are done")
    ]
  }

  /// Finds users whose phone became a test number after they enrolled it. No code is accepted for it.
  private static func enrolled(
    _ configuration: Configuration, _ snapshot: HostSnapshot, _ place: String
  ) -> Finding? {
    let numbers = configuration.project.phoneTestNumbers.map { entry in
      Array(entry.prefix { $0 != UInt8(ascii: "=") })
    }
    let users: [String]
    do throws(AdminError) { users = try snapshot.host.users(withPhones: numbers) } catch {
      return .unchecked("whether a user has enrolled a test number", at: place, error.message)
    }
    guard !users.isEmpty else { return nil }
    return Finding(
      severity: .error, code: "phone-test-number-enrolled", place: place,
      message:
        "a test number is the phone of \(NameList.text(users, most: 10)): it gets no code, and "
        + "the code of the test number is not accepted for it",
      hint: "remove the number from the line; or the phone: mfa-admin revoke USER FACTOR")
  }

  private static func place(
    of key: Configuration.Key, in tenant: Tenant?, _ configuration: Configuration
  ) -> String {
    let origin = configuration.origin(of: key, in: tenant)
    return VisibleText.escaping(
      origin.map { configuration.place(of: $0) } ?? InstalledPath.configuration.bytes)
  }
}
