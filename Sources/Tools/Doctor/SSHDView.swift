import MFAAdmin
import MFABase
import MFAModel

/// The effective settings of the host's sshd for different connections.
enum SSHDView {
  /// The stack of sshd does not use the module.
  case notConcerned
  /// The settings cannot be determined.
  case unknown(Finding)
  /// The settings for different connections, the general settings first, and findings about
  /// settings that could not be determined.
  case known([Case], SSHDFile, [Finding])

  /// The settings for some connections.
  struct Case {
    let choice: SSHDConnections.Choice
    let settings: SSHDSettings
  }

  /// The paths of sshd: on most systems, and on systems with a single folder for all programs.
  static let programs = ["/usr/sbin/sshd", "/usr/bin/sshd"]

  /// The maximum number of connections for which sshd is started.
  private static let mostCases = 64

  /// Runs the sshd of a host to read its settings.
  ///
  /// The settings are read for a connection that no `Match` line is about, for root, for `users`, and
  /// for each way in which `Match` lines can determine them.
  init(
    of host: any ExaminedHost, users: [UserName],
    accounts: Result<[KnownAccount], AdminError>, server: RunningServer
  ) {
    let query = Query(host: host, options: server.settings, file: server.file ?? SSHDFile.path)
    let general: SSHDSettings
    do throws(AdminError) {
      guard let settings = try query.settings(SSHDConnection()) else {
        self = .unknown(
          .unchecked(
            "sshd's settings", at: Self.programs[0], "the program does not exist", severity: .note))
        return
      }
      general = settings
    } catch {
      self = .unknown(Self.finding(error))
      return
    }
    let file = SSHDFile(of: host, at: server.file ?? SSHDFile.path)
    // The option replaces the ports in the file. With the main file, other servers may run without it.
    let ports =
      !server.hasMainConfiguration && !server.ports.isEmpty
      ? server.ports : general.ports + server.ports.filter { !general.ports.contains($0) }
    let connections = SSHDConnections(
      SSHDConnections.Server(file: file, ports: ports, looksUpNames: general.isOn("usedns")),
      users: users, accounts: accounts, on: host)
    var cases: [Case] = []
    var findings = file.unread.map {
      Finding.unchecked("part of sshd's configuration", at: $0.place, $0.reason)
    }
    findings += connections.findings
    for choice in connections.choices.prefix(Self.mostCases) {
      do throws(AdminError) {
        let isGeneral = choice.connection == SSHDConnection()
        guard let settings = isGeneral ? general : try query.settings(choice.connection) else {
          continue
        }
        cases.append(Case(choice: choice, settings: settings))
      } catch {
        findings.append(
          .unchecked(
            "sshd's settings for \(choice.description ?? "all other users")", at: error.place,
            error.reason))
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
    do throws(AdminError) {
      guard let settings = try Query(host: host).settings(connection) else {
        self = .notConcerned
        return
      }
      let choice = SSHDConnections.Choice(
        matches: matches, connection: connection, isRoot: connection.user == "root")
      self = .known([Case(choice: choice, settings: settings)], file, [])
    } catch {
      self = .unknown(Self.finding(error))
    }
  }

  /// Returns the finding that sshd does not print its settings: with the line, if sshd refuses one.
  private static func finding(_ failure: AdminError) -> Finding {
    guard failure.place != programs[0] else {
      return .unchecked("sshd's settings", at: failure.place, "sshd -T: \(failure.reason)")
    }
    let (what, hint) =
      failure.place == SSHDFile.path
      ? (
        "its configuration",
        "correct sshd's files until sshd -t prints nothing; sshd uses the first value of a setting "
          + "that it reads"
      ) : ("this line", "correct the line; sshd -t prints nothing when all is well")
    return Finding(
      severity: .error, code: "sshd-refuses", place: failure.place,
      message: "sshd refuses \(what) and does not start or reload: \(failure.reason)", hint: hint)
  }

  /// An sshd with some options, which prints its settings.
  fileprivate struct Query {
    let host: any ExaminedHost
    var options: [String] = []
    /// The file that sshd reads first.
    var file = SSHDFile.path

    /// Returns the settings for a connection, or nil if sshd is not installed. The failure has the place
    /// of sshd itself, unless sshd refuses a file.
    func settings(_ connection: SSHDConnection) throws(AdminError) -> SSHDSettings? {
      guard let specification = connection.specification else {
        throw AdminError(at: programs[0], "sshd -C does not accept this name")
      }
      guard let output = try output(options + ["-T", "-C", specification]) else { return nil }
      guard output.status == 0 else {
        let complaint = ProgramComplaint(ofSSHD: output, at: file, on: host)
        throw AdminError(
          at: complaint.isOfStoppedServer ? programs[0] : complaint.place ?? SSHDFile.path,
          complaint.reason)
      }
      let settings = SSHDSettings(output.output)
      guard settings.value(of: "usepam") != nil else {
        throw AdminError(at: programs[0], "the output does not contain UsePAM")
      }
      return settings
    }

    /// Returns the output of the first sshd that can be started, or nil if sshd is not installed.
    private func output(_ arguments: [String]) throws(AdminError) -> ProgramOutput? {
      var failure: AdminError?
      for program in programs {
        do throws(AdminError) {
          if let output = try host.output(of: program, arguments) { return output }
        } catch {
          failure = failure ?? error
        }
      }
      if let failure { throw AdminError(at: programs[0], failure.reason) }
      return nil
    }
  }
}

extension SSHDSettings {
  /// The arguments with which sshd prints the settings that no `Match` line is about. Without a connection, sshd
  /// prints nothing if there is a `Match LocalPort`.
  package static var ofNoMatch: [String] {
    ["-T"] + (SSHDConnection().specification.map { ["-C", $0] } ?? [])
  }

  /// Returns the settings for a user, or those that no `Match` line is about, or nil if they cannot be
  /// determined. `ends` is SSH_CONNECTION of a session: the address and port of the client, and those of the server.
  package static func inForce(
    for user: String? = nil, at ends: String? = nil, on host: any ExaminedHost
  ) -> SSHDSettings? {
    var connection = user.map { SSHDConnection(user: $0) } ?? SSHDConnection()
    // Over a socket in the file system, the addresses are UNKNOWN.
    if let ends = ends?.split(separator: " ").map({ String($0) }), ends.count == 4,
      IPAddress(Array(ends[0].utf8).span) != nil
    {
      (connection[.address], connection[.localAddress]) = (ends[0], ends[2])
      connection[.localPort] = ends[3]
    }
    do throws(AdminError) {
      return try SSHDView.Query(host: host).settings(connection)
    } catch {
      return nil
    }
  }
}

extension SSHDView {
  /// Calls `body` for each connection, and returns one finding for each line. Lines with the same settings are
  /// different findings, because an administrator may intend only one of them. A finding about a line below a `Match`
  /// line quotes the `Match` line. If this changes, the finding is a new one.
  func findings(
    _ body: (_ settings: SSHDSettings, _ description: String, _ place: ([String]) -> String) ->
      [Finding]
  ) -> [Finding] {
    guard case .known(let cases, let file, _) = self else { return [] }
    var findings: [Finding] = []
    for item in cases {
      // Root cannot sign in, but other users can have the same settings.
      if item.choice.isRoot, item.settings.value(of: "permitrootlogin") == "no" { continue }
      var new = body(item.settings, item.choice.description.map { " (\($0))" } ?? "") { keywords in
        file.place(of: keywords, saying: item.settings, under: item.choice.matches)
      }
      if item.choice.isHypothetical { new = new.map { $0.ifAccountExists() } }
      // A finding for all connections is not repeated for individual connections.
      findings += new.filter { finding in
        !findings.contains { $0.code == finding.code && $0.place == finding.place }
      }.map { finding in
        guard let match = file.match(ofLineAt: finding.place) else { return finding }
        return finding.limited(finding.severity, "the line is under \"\(match)\"")
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
    return cases.first { $0.choice.users.contains(name) }?.settings
  }

  /// The reason why sign-ins that no `Match` line is about do not all use PAM, or nil if they do or if
  /// sshd is not installed.
  var generalWayWithoutPAM: String? {
    switch self {
    case .notConcerned: nil
    case .unknown(let finding): finding.severity == .note ? nil : finding.message
    case .known(let cases, _, _): cases.first?.settings.wayWithoutPAM
    }
  }

  /// The general settings, or those of the one connection that the view is about.
  var general: SSHDSettings? {
    guard case .known(let cases, _, _) = self else { return nil }
    return cases.first?.settings
  }

  /// The settings for root.
  var root: SSHDSettings? {
    guard case .known(let cases, _, _) = self else { return nil }
    return cases.first { $0.choice.isRoot }?.settings
  }
}
