import Factors
import System

/// What sshd would do, as it says itself.
enum SSHDView {
  /// Its stack does not ask the module.
  case notConcerned
  /// It cannot be told.
  case unknown(Finding)
  /// Its settings for different connections, those of everybody first; and what could not be told.
  case known([Case], SSHDFile, [Finding])

  /// The settings for some connections.
  struct Case {
    /// For whom; nil for whom no `Match` line is.
    let whom: String?
    /// The `Match` line that they are under, as a place among them.
    let match: Int?
    let settings: SSHDSettings

    /// Whether they are root's.
    var isRoot: Bool { whom == "user root" }
  }

  /// Where sshd is, on most systems; and on those that have one folder for all programs.
  static let programs = ["/usr/sbin/sshd", "/usr/bin/sshd"]

  /// How many users and `Match` lines are looked at one by one.
  private static let mostCases = 32

  /// Among how many accounts a member of a group is looked for.
  private static let mostAccounts = 2000

  /// Asks the sshd of a host: for somebody whom no `Match` line is for, for root, for `users`, and
  /// for somebody whom each `Match` line is for.
  init(
    of host: any ExaminedHost, users: [UserName],
    accounts: Result<[KnownAccount], SystemError>
  ) {
    let everybody: SSHDSettings
    switch Self.settings(Connection(), on: host) {
    case .success(let settings?): everybody = settings
    case .success(nil):
      self = .unknown(
        .unchecked(
          "what sshd does", at: Self.programs[0], "there is no such program", severity: .note))
      return
    case .failure(let failure):
      self = .unknown(
        .unchecked("what sshd does", at: Self.programs[0], "sshd -T: \(failure.reason)"))
      return
    }
    let file = SSHDFile(of: host)
    var cases = [Case(whom: nil, match: nil, settings: everybody)]
    var findings = file.unread.map {
      Finding.unchecked("a part of sshd's configuration", at: $0.place, $0.reason)
    }
    var wanted: [(whom: String, match: Int?, connection: Connection)] = []
    for user in ([UserName(Array("root".utf8))].compactMap { $0 } + users) {
      wanted.append(
        (
          "user \(VisibleText(user))", nil,
          Connection(user: String(decoding: user.bytes, as: UTF8.self))
        )
      )
    }
    for (index, match) in file.matches.enumerated() where !Connection.isForEverybody(match) {
      let connection = Connection(matching: match) { group in
        Self.member(of: group, accounts, host)
      }
      guard let connection else {
        findings.append(
          .unchecked(
            "what sshd does under this Match line", at: match.place,
            "nobody is known whom it is for", severity: .note))
        continue
      }
      wanted.append(("whom \(match.place) is for", index, connection))
    }
    for (whom, match, connection) in wanted.prefix(Self.mostCases) {
      switch Self.settings(connection, on: host) {
      case .success(let settings?):
        cases.append(Case(whom: whom, match: match, settings: settings))
      case .success(nil): continue
      case .failure(let failure):
        findings.append(
          .unchecked("what sshd does for \(whom)", at: Self.programs[0], failure.reason))
      }
    }
    if wanted.count > Self.mostCases {
      findings.append(
        .unchecked(
          "what sshd does for \(wanted.count - Self.mostCases) more", at: SSHDFile.path,
          "only \(Self.mostCases) users and Match lines are looked at"))
    }
    self = .known(cases, file, findings)
  }

  /// Why sshd did not answer.
  private struct Failure: Error { let reason: String }

  private static func settings(
    _ connection: Connection, on host: any ExaminedHost
  ) -> Result<SSHDSettings?, Failure> {
    guard let specification = connection.specification else {
      return .failure(Failure(reason: "sshd cannot be asked about such a name"))
    }
    let output: ProgramOutput
    switch Self.output(["-T", "-C", specification], host) {
    case .success(let found?): output = found
    case .success(nil): return .success(nil)
    case .failure(let failure): return .failure(failure)
    }
    guard output.status == 0 else { return .failure(Failure(reason: output.complaint)) }
    let settings = SSHDSettings(output.output)
    guard settings.value(of: "usepam") != nil else {
      return .failure(Failure(reason: "it does not say whether it uses PAM"))
    }
    return .success(settings)
  }

  /// What the first sshd prints that can be started; nil where there is none.
  private static func output(
    _ arguments: [String], _ host: any ExaminedHost
  ) -> Result<ProgramOutput?, Failure> {
    var failure: Failure?
    for program in programs {
      do throws(ProgramOutput.Trouble) {
        if let output = try host.output(of: program, arguments) { return .success(output) }
      } catch {
        failure = failure ?? Failure(reason: error.text)
      }
    }
    return failure.map { .failure($0) } ?? .success(nil)
  }

  private static func member(
    of group: String, _ accounts: Result<[KnownAccount], SystemError>, _ host: any ExaminedHost
  ) -> String? {
    guard case .success(let accounts) = accounts else { return nil }
    let member = accounts.prefix(mostAccounts).first {
      host.isMember($0.account, of: Array(group.utf8)) == true
    }
    return member.map { String(decoding: $0.account.name, as: UTF8.self) }
  }

  /// Who connects, and from where.
  struct Connection: Equatable {
    var user = "nobody"
    var host = "localhost"
    /// Of a network for documentation (RFC 5737).
    var address = "192.0.2.1"
    var localAddress = "192.0.2.2"
    var localPort = "22"

    /// Whom nothing is said of.
    init() {}

    /// Of a certain user.
    init(user: String) { self.user = user }

    /// Somebody whom a `Match` line is for; nil where nobody is known.
    init?(matching match: SSHDFile.Match, member: (_ group: String) -> String?) {
      var rest = match.arguments[...]
      while let criterion = rest.popFirst() {
        guard let patterns = rest.popFirst(),
          let first = patterns.split(separator: ",").first(where: { !$0.hasPrefix("!") })
        else { return nil }
        let pattern = String(first)
        switch criterion.lowercased() {
        case "user": user = Self.sample(pattern, filling: "nobody")
        case "group":
          guard let member = member(pattern) else { return nil }
          user = member
        case "host": host = Self.sample(pattern, filling: "host")
        case "address": address = Self.sampleAddress(pattern)
        case "localaddress": localAddress = Self.sampleAddress(pattern)
        case "localport": localPort = pattern
        case _: return nil
        }
      }
    }

    /// Whether a `Match` line is `Match all`.
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

    /// As `sshd -C` takes it; nil where it cannot.
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
  /// For each kind of connections that differ in what the doctor looks at, what `body` finds; and what
  /// could not be told.
  func findings(
    _ body: (_ settings: SSHDSettings, _ whom: String, _ place: ([String]) -> String) -> [Finding]
  ) -> [Finding] {
    guard case .known(let cases, let file, _) = self else { return [] }
    var findings: [Finding] = []
    var seen: [SSHDSettings] = []
    for item in cases where !seen.contains(where: { $0.isLike(item.settings) }) {
      seen.append(item.settings)
      if item.isRoot, item.settings.value(of: "permitrootlogin") == "no" { continue }
      let new = body(item.settings, item.whom.map { " (\($0))" } ?? "") { keywords in
        file.place(of: keywords, saying: item.settings, under: item.match)
      }
      // What holds for everybody is not told again.
      findings += new.filter { finding in
        !findings.contains { $0.code == finding.code && $0.place == finding.place }
      }
    }
    return findings
  }

  /// What could not be told.
  var unchecked: [Finding] {
    switch self {
    case .notConcerned: []
    case .unknown(let finding): [finding]
    case .known(_, _, let findings): findings
    }
  }

  /// The settings for root.
  var root: SSHDSettings? {
    guard case .known(let cases, _, _) = self else { return nil }
    return cases.first { $0.isRoot }?.settings
  }
}
