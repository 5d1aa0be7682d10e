import MFAAdminCore
import MFAAdminOutput
import MFABytes
import MFAFactors
import MFASystem

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
  }

  /// The paths of sshd: on most systems, and on systems with a single folder for all programs.
  package static let programs = ["/usr/sbin/sshd", "/usr/bin/sshd"]

  /// The maximum number of connections for which sshd is started.
  private static let mostCases = 64

  /// Runs the sshd of a host to read its settings.
  ///
  /// The settings are read for a connection that no `Match` line matches, for root, for `users`, and
  /// for each set of `Match` lines that apply to a user.
  init(
    of host: any ExaminedHost, users: [UserName],
    accounts: Result<[KnownAccount], SystemError>
  ) {
    let general: SSHDSettings
    switch Self.settings(Connection(), on: host) {
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
    let file = SSHDFile(of: host)
    var cases = [Case(description: nil, matches: [], settings: general)]
    var findings = file.unread.map {
      Finding.unchecked("part of sshd's configuration", at: $0.place, $0.reason)
    }
    let connections = SSHDConnections(file, users: users, accounts: accounts, on: host)
    findings += connections.unmatched.map { match in
      .unchecked(
        "sshd's settings under this Match line", at: match.place,
        "no user or connection that matches is known", severity: .note)
    }
    for choice in connections.choices.prefix(Self.mostCases) {
      let description = choice.description ?? "all other users"
      switch Self.settings(choice.connection, on: host) {
      case .success(let settings?):
        cases.append(
          Case(
            description: choice.description, matches: choice.matches, settings: settings,
            isRoot: choice.isRoot))
      case .success(nil): continue
      case .failure(let failure):
        findings.append(
          .unchecked("sshd's settings for \(description)", at: Self.programs[0], failure.reason))
      }
    }
    let rest = connections.choices.count - Self.mostCases
    if rest > 0 {
      findings.append(
        .unchecked(
          "sshd's settings for \(rest) more kinds of connections", at: SSHDFile.path,
          "only \(Self.mostCases) are checked"))
    }
    self = .known(cases, file, findings)
  }

  /// Reads the settings for a connection of one user, to whom these `Match` lines of a file apply.
  init(
    _ connection: Connection, under matches: Set<Int>, of file: SSHDFile, on host: any ExaminedHost
  ) {
    switch Self.settings(connection, on: host) {
    case .success(let settings?):
      let isRoot = connection.user == "root"
      self = .known(
        [Case(description: nil, matches: matches, settings: settings, isRoot: isRoot)], file, [])
    case .success(nil): self = .notConcerned
    case .failure(let failure): self = .unknown(Self.finding(failure))
    }
  }

  /// The reason why sshd did not print its settings.
  private struct Failure: Error { let reason: String }

  /// Returns the general settings of an sshd with these options, or nil if they cannot be determined.
  package static func settings(options: [String], on host: any ExaminedHost) -> SSHDSettings? {
    guard let specification = Connection().specification,
      case .success(let output?) = output(options + ["-T", "-C", specification], host),
      output.isSuccess
    else { return nil }
    return SSHDSettings(output.output)
  }

  /// Returns the settings for a user, or nil if they cannot be determined.
  package static func settings(ofUser name: String, on host: any ExaminedHost) -> SSHDSettings? {
    guard case .success(let settings) = settings(Connection(user: name), on: host) else {
      return nil
    }
    return settings
  }

  /// Returns the finding that sshd does not print its settings: with the line, if sshd refuses one.
  private static func finding(_ failure: Failure) -> Finding {
    // Such as `/etc/ssh/sshd_config: line 7: Bad configuration option: Foo`, also without the first
    // colon.
    guard let match = failure.reason.prefixMatch(of: /(\/[^:]+?):? line ([0-9]+): (.+)/) else {
      return .unchecked("sshd's settings", at: Self.programs[0], "sshd -T: \(failure.reason)")
    }
    return Finding(
      severity: .error, code: "sshd-refuses", place: "\(match.1):\(match.2)",
      message: "sshd refuses this line and does not start or reload: \(match.3)",
      hint: "correct the line; sshd -t prints nothing when all is well")
  }

  private static func settings(
    _ connection: Connection, on host: any ExaminedHost
  ) -> Result<SSHDSettings?, Failure> {
    guard let specification = connection.specification else {
      return .failure(Failure(reason: "sshd -C does not accept this name"))
    }
    let output: ProgramOutput
    switch Self.output(["-T", "-C", specification], host) {
    case .success(let found?): output = found
    case .success(nil): return .success(nil)
    case .failure(let failure): return .failure(failure)
    }
    guard output.status == 0 else {
      return .failure(Failure(reason: output.complaint(containing: " line ")))
    }
    let settings = SSHDSettings(output.output)
    guard settings.value(of: "usepam") != nil else {
      return .failure(Failure(reason: "the output does not contain UsePAM"))
    }
    return .success(settings)
  }

  /// Returns the output of the first sshd that can be started, or nil if sshd is not installed.
  private static func output(
    _ arguments: [String], _ host: any ExaminedHost
  ) -> Result<ProgramOutput?, Failure> {
    var failure: Failure?
    for program in programs {
      do throws(ProgramOutput.Failure) {
        if let output = try host.output(of: program, arguments) { return .success(output) }
      } catch {
        failure = failure ?? Failure(reason: error.text)
      }
    }
    return failure.map { .failure($0) } ?? .success(nil)
  }

  /// A connection: the user, the client's address and the server's address.
  struct Connection: Equatable {
    /// A name that no user has, unless another one is set.
    var user = "mfa-admin-doctor"
    var host = "localhost"
    /// An address from a network reserved for documentation (RFC 5737).
    var address = "192.0.2.1"
    var localAddress = "192.0.2.2"
    var localPort = "22"

    /// Creates a connection that no specific `Match` line matches.
    init() {}

    /// Creates a connection of one user.
    init(user: String) { self.user = user }

    /// Returns the connection with the value that a pattern of a criterion matches. Nil if the
    /// criterion is not known.
    func meeting(_ criterion: String, _ pattern: String) -> Connection? {
      var connection = self
      switch criterion {
      case "host": connection.host = Self.sample(pattern, filling: "host")
      case "address": connection.address = Self.sampleAddress(pattern)
      case "localaddress": connection.localAddress = Self.sampleAddress(pattern)
      case "localport": connection.localPort = pattern
      case _: return nil
      }
      return connection
    }

    /// Returns whether a `Match` line is `Match all`.
    static func isForEverybody(_ match: SSHDFile.Match) -> Bool {
      match.arguments.map { $0.lowercased() } == ["all"]
    }

    private static func sample(_ pattern: String, filling empty: String) -> String {
      let text = pattern.replacing("*", with: "").replacing("?", with: "a")
      return text.isEmpty ? empty : text
    }

    private static func sampleAddress(_ pattern: String) -> String {
      let network = pattern.split(separator: "/").first.map(String.init) ?? pattern
      return network == "*"
        ? "192.0.2.1" : network.replacing("*", with: "1").replacing("?", with: "1")
    }

    /// The argument for `sshd -C`, or nil if the values cannot be passed to it.
    var specification: String? {
      let parts = [user, host, address, localAddress, localPort]
      guard parts.allSatisfy({ $0.utf8.allSatisfy { $0 > 0x20 && $0 != UInt8(ascii: ",") } }) else {
        return nil
      }
      return "user=\(user),host=\(host),addr=\(address),laddr=\(localAddress),lport=\(localPort)"
    }
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
      seen.append(item.settings)
      if item.isRoot, item.settings.value(of: "permitrootlogin") == "no" { continue }
      let new = body(item.settings, item.description.map { " (\($0))" } ?? "") { keywords in
        file.place(of: keywords, saying: item.settings, under: item.matches)
      }
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

  /// The settings for root.
  package var root: SSHDSettings? {
    guard case .known(let cases, _, _) = self else { return nil }
    return cases.first { $0.isRoot }?.settings
  }
}
