import MFAAdmin
import MFABase
import MFAModel

/// The effective settings of the host's sshd for different connections.
package enum SSHDView {
  /// The stack of sshd does not use the module.
  case notConcerned
  /// The settings cannot be determined.
  case unknown(Finding)
  /// The settings for different connections, the general settings first, and findings about
  /// settings that could not be determined.
  case known([Case], SSHDFile, [Finding])

  /// The settings for some connections.
  package struct Case {
    /// The connections concerned, in words, or nil for connections that no `Match` line matches.
    package let description: String?
    /// The indices of the `Match` lines that apply.
    package let matches: Set<Int>
    package let settings: SSHDSettings
    /// Whether the settings are for root alone.
    package var isRoot = false
    /// Whether no account has a name to which the settings apply now.
    var isHypothetical = false
    /// The users who have these settings if they connect from an address that no line names.
    var users: [String] = []
  }

  /// The paths of sshd: on most systems, and on systems with a single folder for all programs.
  package static let programs = ["/usr/sbin/sshd", "/usr/bin/sshd"]

  /// The maximum number of connections for which sshd is started.
  private static let mostCases = 64

  /// Runs the sshd of a host to read its settings.
  ///
  /// The settings are read for a connection that no `Match` line is about, for root, for `users`, and
  /// for each way in which `Match` lines can determine them.
  init(
    of host: any ExaminedHost, users: [UserName],
    accounts: Result<[KnownAccount], SystemError>, server: RunningServer
  ) {
    let query = Query(host: host, options: server.settings, file: server.file ?? SSHDFile.path)
    let general: SSHDSettings
    switch query.settings(SSHDConnection()) {
    case .success(let settings?): general = settings
    case .success(nil):
      self = .unknown(
        .unchecked(
          "sshd's settings", at: Self.programs[0], "the program does not exist", severity: .note))
      return
    case .failure(let failure):
      self = .unknown(Self.finding(failure))
      return
    }
    let file = SSHDFile(of: host, at: server.file ?? SSHDFile.path)
    // The option replaces the ports in the file. With the main file, other servers may run without it.
    let ports =
      !server.hasMainConfiguration && !server.ports.isEmpty
      ? server.ports : general.ports + server.ports.filter { !general.ports.contains($0) }
    let connections = SSHDConnections(
      SSHDConnections.Server(file: file, ports: ports), users: users, accounts: accounts, on: host)
    var cases: [Case] = []
    var findings = file.unread.map {
      Finding.unchecked("part of sshd's configuration", at: $0.place, $0.reason)
    }
    findings += connections.findings
    for choice in connections.choices.prefix(Self.mostCases) {
      let settings =
        choice.connection == SSHDConnection()
        ? .success(general) : query.settings(choice.connection)
      switch settings {
      case .success(let settings?): cases.append(Case(choice, settings))
      case .success(nil): continue
      case .failure(let failure):
        findings.append(
          .unchecked(
            "sshd's settings for \(choice.description ?? "all other users")", at: Self.programs[0],
            failure.text))
      }
    }
    let rest = connections.choices.count - Self.mostCases
    if rest > 0 {
      findings.append(
        .unchecked(
          "sshd's settings for \(rest) more kinds of connections", at: file.mainPlace,
          "only \(Self.mostCases) are checked"))
    }
    self = .known(cases, file, findings)
  }

  /// Reads the settings for a connection of one user, to whom these `Match` lines of a file apply.
  init(
    _ connection: SSHDConnection, under matches: Set<Int>, of file: SSHDFile,
    on host: any ExaminedHost
  ) {
    switch Query(host: host).settings(connection) {
    case .success(let settings?):
      let isRoot = connection.user == "root"
      self = .known(
        [Case(description: nil, matches: matches, settings: settings, isRoot: isRoot)], file, [])
    case .success(nil): self = .notConcerned
    case .failure(let failure): self = .unknown(Self.finding(failure))
    }
  }

  /// The reason why sshd did not print its settings.
  private enum Failure: Error {
    case refused(ProgramComplaint)
    case other(String)

    var text: String {
      switch self {
      case .refused(let complaint): complaint.text
      case .other(let reason): reason
      }
    }
  }

  /// Returns the general settings of sshd, or nil if they cannot be determined.
  package static func generalSettings(on host: any ExaminedHost) -> SSHDSettings? {
    guard case .success(let settings) = Query(host: host).settings(SSHDConnection())
    else { return nil }
    return settings
  }

  /// Returns the settings for a user, or nil if they cannot be determined.
  package static func settings(ofUser name: String, on host: any ExaminedHost) -> SSHDSettings? {
    let query = Query(host: host)
    guard case .success(let settings) = query.settings(SSHDConnection(user: name)) else {
      return nil
    }
    return settings
  }

  /// Returns the finding that sshd does not print its settings: with the line, if sshd refuses one.
  private static func finding(_ failure: Failure) -> Finding {
    guard case .refused(let complaint) = failure, !complaint.isOfStoppedServer else {
      return .unchecked("sshd's settings", at: Self.programs[0], "sshd -T: \(failure.text)")
    }
    guard let place = complaint.place else {
      return Finding(
        severity: .error, code: "sshd-refuses", place: SSHDFile.path,
        message: "sshd refuses its configuration and does not start or reload: \(complaint.reason)",
        hint:
          "correct sshd's files until sshd -t prints nothing; sshd uses the first value of a setting "
          + "that it reads")
    }
    return Finding(
      severity: .error, code: "sshd-refuses", place: place,
      message: "sshd refuses this line and does not start or reload: \(complaint.reason)",
      hint: "correct the line; sshd -t prints nothing when all is well")
  }

  /// An sshd with some options, which prints its settings.
  private struct Query {
    let host: any ExaminedHost
    var options: [String] = []
    /// The file that sshd reads first.
    var file = SSHDFile.path

    func settings(_ connection: SSHDConnection) -> Result<SSHDSettings?, Failure> {
      guard let specification = connection.specification else {
        return .failure(.other("sshd -C does not accept this name"))
      }
      let output: ProgramOutput
      switch self.output(options + ["-T", "-C", specification]) {
      case .success(let found?): output = found
      case .success(nil): return .success(nil)
      case .failure(let failure): return .failure(failure)
      }
      guard output.status == 0 else {
        return .failure(.refused(ProgramComplaint(ofSSHD: output, at: file, on: host)))
      }
      let settings = SSHDSettings(output.output)
      guard settings.value(of: "usepam") != nil else {
        return .failure(.other("the output does not contain UsePAM"))
      }
      return .success(settings)
    }

    /// Returns the output of the first sshd that can be started, or nil if sshd is not installed.
    private func output(_ arguments: [String]) -> Result<ProgramOutput?, Failure> {
      var failure: Failure?
      for program in programs {
        do throws(ProgramOutput.Failure) {
          if let output = try host.output(of: program, arguments) { return .success(output) }
        } catch {
          failure = failure ?? .other(error.text)
        }
      }
      return failure.map { .failure($0) } ?? .success(nil)
    }
  }
}

extension SSHDView.Case {
  fileprivate init(_ choice: SSHDConnections.Choice, _ settings: SSHDSettings) {
    description = choice.description
    matches = choice.matches
    self.settings = settings
    isRoot = choice.isRoot
    isHypothetical = choice.isHypothetical
    users = choice.users
  }
}

extension SSHDView {
  /// Returns the findings of `body`, which is called once for each distinct set of settings.
  package func findings(
    _ body: (_ settings: SSHDSettings, _ description: String, _ place: ([String]) -> String) ->
      [Finding]
  ) -> [Finding] {
    guard case .known(let cases, let file, _) = self else { return [] }
    var findings: [Finding] = []
    var seen: [SSHDSettings] = []
    for item in cases where !seen.contains(where: { $0.hasSameExaminedSettings(as: item.settings) })
    {
      // Root cannot sign in, but other users can have the same settings.
      if item.isRoot, item.settings.value(of: "permitrootlogin") == "no" { continue }
      seen.append(item.settings)
      var new = body(item.settings, item.description.map { " (\($0))" } ?? "") { keywords in
        file.place(of: keywords, saying: item.settings, under: item.matches)
      }
      if item.isHypothetical { new = new.map { $0.ifAccountExists() } }
      // A finding for all connections is not repeated for individual connections.
      findings += new.filter { finding in
        !findings.contains { $0.code == finding.code && $0.place == finding.place }
      }
    }
    return findings
  }

  /// The findings about settings that could not be determined.
  var unchecked: [Finding] {
    switch self {
    case .notConcerned: []
    case .unknown(let finding): [finding]
    case .known(_, _, let findings): findings
    }
  }

  /// Returns the settings for a user who connects from an address that no line names, or nil if they
  /// were not read.
  func settings(ofUser name: String) -> SSHDSettings? {
    guard case .known(let cases, _, _) = self else { return nil }
    return cases.first { $0.users.contains(name) }?.settings
  }

  /// The reason why sign-ins that no `Match` line is about do not all use PAM, or nil if they do or if
  /// sshd is not installed.
  package var generalWayWithoutPAM: String? {
    switch self {
    case .notConcerned: nil
    case .unknown(let finding): finding.severity == .note ? nil : finding.message
    case .known(let cases, _, _): cases.first?.settings.wayWithoutPAM
    }
  }

  /// The settings for root.
  package var root: SSHDSettings? {
    guard case .known(let cases, _, _) = self else { return nil }
    return cases.first { $0.isRoot }?.settings
  }
}
