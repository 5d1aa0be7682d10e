import MFAAdmin
import MFABase
import MFAMessages
import MFAModel
import MFAPAMStack

/// Finds services whose programs do not pass a question for a code on to the user.
enum UnsuitablePrograms: Examination {
  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    snapshot.servicesWithModule.compactMap { service in
      guard let program = PAMProgram.with(service: service.name) else { return nil }
      if let finding = unnamed(program, service, snapshot) { return finding }
      let name = service.visibleName
      switch program.behaviour {
      case .cannotAsk where service.acceptsProgramPasswords: return nil
      case .cannotAsk(let reason, _), .verifiesPasswords(let reason, _):
        return Finding(
          severity: .error, code: "program-cannot-ask", services: [service.name],
          place: service.place, message: "\(program.name) cannot ask for a code: \(reason)",
          hint:
            "take the lines of pam_mfa.so out of this file (mfa-admin disable \(name), if it wrote them)"
        )
      case .asks:
        do throws(AdminError) {
          guard try service.asksBeyondOneField(on: snapshot.host) else { return nil }
        } catch {
          return .unchecked("how \(program.name) asks", error)
        }
        return Finding(
          severity: .error, code: "one-field", services: [service.name], place: service.place,
          message:
            "\(name) has one field, and gives each question the same answer: users who have enrolled cannot "
            + "sign in",
          hint: service.hasOwnLine
            ? "take the lines of pam_mfa.so out of this file (mfa-admin disable \(name), if it wrote them), then: "
              + "mfa-admin enable --no-confirm \(name)" : OneField.hint(service.name))
      case .authenticatesNoUser: return nil
      }
    }
  }

  /// Returns the finding about a program that does not act as root and that policy does not name.
  private static func unnamed(
    _ program: PAMProgram, _ service: ServiceWithModule, _ snapshot: HostSnapshot
  ) -> Finding? {
    guard let policy = snapshot.configuration(of: service) else { return nil }
    do throws(AdminError) {
      guard
        let user = try program.unnamedUser(at: service.name, under: policy, on: snapshot.host)
      else { return nil }
      return Finding(
        severity: .error, code: "daemon-unnamed", services: [service.name], place: service.place,
        message: program.reason(unnamed: user) + ": no user can sign in",
        hint: PAMProgram.hint(unnamed: user, at: service.name))
    } catch {
      return .unchecked("which user runs \(program.name)", error)
    }
  }
}

/// Finds services in which policy accepts passwords for programs, and that cannot take one, or give users a shell.
enum ProgramPasswordServices: Examination {
  /// Programs that give users a shell, or the rights of another user.
  private static let shells = [
    "sshd", "login", "remote", "su", "su-l", "sudo", "sudo-i", "doas", "polkit-1", "cockpit",
    "gdm-password", "lightdm", "sddm", "xrdp-sesman", "rstudio",
  ]

  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    snapshot.servicesWithModule.compactMap { service in
      guard
        let policy = snapshot.configuration(of: service),
        policy.servicesForProgramPasswords.contains(service.name)
      else { return nil }
      let name = service.visibleName
      guard service.acceptsProgramPasswords else {
        return Finding(
          severity: .warning, code: "program-passwords-unused", services: [service.name],
          place: service.place,
          message: "no password for a program signs in: no line has program_password",
          hint: service.hasOwnLine
            ? "take the lines of pam_mfa.so out of this file (mfa-admin disable \(name), if it wrote them), then: "
              + "mfa-admin enable --no-confirm \(name)"
            : "add a line with program_password above it, see pam_mfa(8)")
      }
      guard shells.contains(name) else { return nil }
      return Finding(
        severity: .warning, code: "program-password-shell", services: [service.name],
        place: service.place,
        message:
          "\(name) gives users a shell, and a password for a program signs in without a code",
        hint: "take \(name) out of program_passwords in \(InstalledPath.configuration)")
    }
  }
}

/// Finds services in which nothing but pam_mfa.so decides in the `account` lines. Files of screen lockers have none, and
/// libpam uses those of the service `other` only for a file without any (pam.conf(5)).
enum LoneAccountLines: Examination {
  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    snapshot.servicesWithModule.compactMap { service in
      let stacks = ServiceStacks(
        of: service.name, from: snapshot.host.stacks, with: snapshot.rules)
      guard case .success(let account) = stacks.account,
        let line = account.entries.first(where: \.callsModule),
        account.entries.allSatisfy({ $0.callsModule || $0.asks(module: "pam_rootok.so") })
      else { return nil }
      return Finding(
        severity: .error, code: "account-alone", services: [service.name],
        place: VisibleText.escaping(line.position.text),
        message: "no other account line decides: users who have not enrolled are denied",
        hint: "add \"account include other\" below this line")
    }
  }
}

/// Programs with one field whose files include that of a program that asks each question.
package enum OneField {
  /// What to do for a service.
  package static func hint(_ service: [UInt8]) -> String {
    "in \(InstalledPath.services)/\(VisibleText.escaping(service)), replace the line that includes the other file by "
      + "\"auth required pam_mfa.so forward_pass\" and the lines that ask for the password"
  }
}

/// Finds programs with settings that let the password decide after PAM has refused a user.
enum PasswordAfterRefusal: SingleExamination {
  static func finding(on snapshot: HostSnapshot) throws(AdminError) -> Finding? {
    for service in snapshot.servicesWithModule {
      guard
        let alone = try PAMProgram.passwordAlone(at: service.name, on: snapshot.host),
        let settings = alone.settings
      else { continue }
      return Finding(
        severity: .error, code: "password-decides", services: [service.name], place: settings,
        message: "the password alone signs users in: \(alone.reason)", hint: alone.hint)
    }
    return nil
  }
}

/// Finds programs that verify passwords themselves, and do not run the `account` line that would deny users who have
/// enrolled.
enum UnrunAccountLine: Examination {
  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    snapshot.services.flatMap { service in
      guard let line = line(service, snapshot), let program = PAMProgram.with(service: service)
      else { return [Finding]() }
      return Finding.checking(program.name) { () throws(AdminError) in
        try program.obstacleToAccountLine(on: snapshot.host).map { obstacle in
          [
            Finding(
              severity: .error, code: "account-line-not-run", services: [service],
              place: VisibleText.escaping(line.position.text),
              message: "users who have enrolled are not denied: \(obstacle.reason)",
              hint: obstacle.hint)
          ]
        } ?? []
      }
    }
  }

  /// Returns whether a service is meant to have no `auth` line.
  static func isMeant(_ service: [UInt8], _ snapshot: HostSnapshot) -> Bool {
    line(service, snapshot) != nil
  }

  private static func line(_ service: [UInt8], _ snapshot: HostSnapshot) -> RequiredCodeLine? {
    guard PAMProgram.with(service: service)?.verifiesPasswords == true else { return nil }
    do throws(StackRefusal) {
      return try RequiredCodeLine(of: service, in: snapshot.host.stacks)
    } catch {
      return nil
    }
  }
}

/// Finds servers of OpenVPN that do not know the question for a code, or that have clients send a used code again.
enum OpenVPNServers: Examination {
  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    snapshot.servicesWithModule(of: OpenVPN.name).flatMap { service in
      Finding.checking(OpenVPN.name) { () throws(AdminError) in
        // Servers can include the same file.
        var places: Set<String> = []
        return try OpenVPN.servers(of: service.name, on: snapshot.host).flatMap { server in
          let isNew = places.insert(server.place).inserted
          return [isNew ? question(server, service, snapshot) : nil, token(server, service)]
            .compactMap { $0 }
        }
      }
    }
  }

  private static func question(
    _ server: OpenVPN.Server, _ service: ServiceWithModule, _ snapshot: HostSnapshot
  ) -> Finding? {
    guard server.asksForCode, !service.takesPassword,
      let settings = snapshot.configuration(of: service)?
        .settings(for: TenantReach.anyUser(of: service))
    else { return nil }
    var question = settings.prompt ?? SignInMessage.codePrompt.text(in: .english).utf8
    if case .success(let options) = service.options, let own = options.prompt { question = own }
    guard !server.givesCode(to: question) else { return nil }
    let start = question.split(separator: UInt8(ascii: " ")).first.map { Array($0) } ?? question
    return Finding(
      severity: .error, code: "openvpn-prompts", services: [service.name],
      place: server.place,
      message:
        "the plug-in does not answer \"\(VisibleText.escaping(question))\" with the code: users who have "
        + "enrolled cannot sign in",
      hint:
        "put \"\(VisibleText.escaping(start)) OTP\" before the other prompts of this line, and restart OpenVPN"
    )
  }

  private static func token(
    _ server: OpenVPN.Server, _ service: ServiceWithModule
  ) -> Finding? {
    guard !server.hasToken else { return nil }
    return Finding(
      severity: .warning, code: "openvpn-token", services: [service.name], place: server.path,
      message:
        "clients send the used code again after an hour (reneg-sec), and are disconnected",
      hint: "add \"auth-gen-token\" to this file, and restart OpenVPN")
  }
}

/// Finds programs that cache accepted answers, and so accept a used code again.
enum CachedAnswers: Examination {
  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    findings(of: Saslauthd.name, on: snapshot, saslauthd)
      + findings(of: Dovecot.name, on: snapshot, dovecot)
  }

  /// Returns findings about the services of a program, if it has any.
  private static func findings(
    of program: String, on snapshot: HostSnapshot,
    _ examine: ([[UInt8]], any ExaminedHost) throws(AdminError) -> [Finding]
  ) -> [Finding] {
    let services = snapshot.servicesWithModule(of: program).map(\.name)
    guard !services.isEmpty else { return [] }
    return Finding.checking(program) { () throws(AdminError) in
      try examine(services, snapshot.host)
    }
  }

  private static func saslauthd(
    _ services: [[UInt8]], _ host: any ExaminedHost
  ) throws(AdminError) -> [Finding] {
    var findings: [Finding] = []
    for kind in Saslauthd.all {
      findings += try kind.filesWithCache(on: host).map { path in
        Finding(
          severity: .error, code: "used-code-accepted", services: services, place: path,
          message:
            "with the option -c, saslauthd accepts a used code again for 8 hours (-t), also after mfa-admin revoke",
          hint: "take -c out of \(kind.removal), and restart saslauthd")
      }
    }
    return findings
  }

  private static func dovecot(
    _ services: [[UInt8]], _ host: any ExaminedHost
  ) throws(AdminError) -> [Finding] {
    guard try Dovecot.hasCache(on: host) else { return [] }
    return [
      Finding(
        severity: .error, code: "used-code-accepted", services: services, place: Dovecot.settings,
        message:
          "with auth_cache_size, Dovecot accepts a used code again for an hour (auth_cache_ttl), also after mfa-admin revoke",
        hint: "set \"auth_cache_size = 0\" in Dovecot's settings, and restart dovecot")
    ]
  }
}

/// How a distribution starts saslauthd (saslauthd-main.c of cyrus-sasl 2.1.28).
struct Saslauthd {
  static let name = "saslauthd"
  /// Debian's /etc/init.d/saslauthd, and Fedora's saslauthd.service.
  static let all = [
    Self(
      folder: "/etc/default", mechanisms: "MECHANISMS", options: "OPTIONS", addsCache: true,
      removal: "OPTIONS in this file (Debian adds it if OPTIONS is empty)"),
    Self(
      folder: "/etc/sysconfig", mechanisms: "MECH", options: "FLAGS", addsCache: false,
      removal: "FLAGS in this file"),
  ]

  /// The options with a value.
  private static let valued = "aOmnst"

  private let folder: String
  /// The names of two variables.
  private let mechanisms, options: String
  /// Whether saslauthd is started with `-c` if no options are set.
  private let addsCache: Bool
  /// Where administrators take `-c` out.
  let removal: String

  /// Returns the files of the instances that ask PAM and keep accepted answers.
  func filesWithCache(on host: any ExaminedHost) throws(AdminError) -> [String] {
    var paths: [String] = []
    for name in try host.names(in: folder).sorted()
    where name.wholeMatch(of: /saslauthd[-_A-Za-z0-9]*/) != nil {
      let path = "\(folder)/\(name)"
      guard let text = try host.text(of: path) else { continue }
      let script = String(decoding: text, as: UTF8.self)
      let (mechanisms, options) = (Self.values(mechanisms, script), Self.values(options, script))
      guard mechanisms.isEmpty || mechanisms.contains(["pam"]),
        options.isEmpty ? addsCache : options.contains(where: Self.hasCache)
      else { continue }
      paths.append(path)
    }
    return paths
  }

  /// Returns the words of each value that a shell script or a unit's environment file gives a variable, without
  /// empty values.
  private static func values(_ variable: String, _ script: String) -> [[Substring]] {
    script.matches(of: /(?m)^[ \t]*(\w+)=(?:"([^"]*)|'([^']*)|([^\n#]*))/).compactMap { match in
      guard match.1 == variable else { return nil }
      let words = (match.2 ?? match.3 ?? match.4 ?? "").split(whereSeparator: \.isWhitespace)
      return words.isEmpty ? nil : words
    }
  }

  /// Returns whether `-c` is among options, alone or after others in the same word.
  private static func hasCache(_ options: [Substring]) -> Bool {
    var rest = options[...]
    while let word = rest.popFirst() {
      guard word.hasPrefix("-") else { continue }
      let letters = word.dropFirst()
      let end = letters.firstIndex(where: valued.contains) ?? letters.endIndex
      if letters[..<end].contains("c") { return true }
      // The value is the rest of the word, or the next word.
      if letters[end...].count == 1 { rest = rest.dropFirst() }
    }
    return false
  }
}

extension HostSnapshot {
  /// The services with the module that a program uses.
  fileprivate func servicesWithModule(of program: String) -> [ServiceWithModule] {
    servicesWithModule.filter { PAMProgram.with(service: $0.name)?.name == program }
  }
}
