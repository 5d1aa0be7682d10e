import MFAAdmin
import MFABase
import MFAModel

/// The connections for which sshd's settings are read: one for each way in which `Match` lines can
/// determine the settings that matter.
///
/// sshd itself evaluates the `Match` lines. This type only chooses users and addresses, so that each
/// line that matters, and each combination of lines with a different result, applies to one of the
/// connections.
///
/// MUST 1: a line to which none of the connections belongs, and accounts that were not compared, are
/// findings. (`ExaminationTests.sshd`)
struct SSHDConnections {
  /// A connection, and whom it stands for.
  struct Choice: Equatable {
    /// The connection, in words, or nil for connections to which no `Match` line applies.
    var description: String?
    /// The indices of the `Match` lines that apply.
    let matches: Set<Int>
    let connection: SSHDConnection
    /// The users who have the same settings if they connect from an address that no line names.
    var users: [String] = []
    /// Whether the connection stands for root alone.
    var isRoot = false
    /// Whether no account has the user's name now.
    var isHypothetical = false
  }

  /// The connections. The first one is of a user whom no line names.
  private(set) var choices: [Choice] = []
  /// The lines and accounts for which no connection was found.
  private(set) var findings: [Finding] = []

  /// The maximum number of combinations of addresses, hosts and ports. With more, only pairs are
  /// combined.
  private static let mostCombinations = 1024

  /// The configuration that decides, and the ports at which sshd listens.
  struct Server {
    let file: SSHDFile
    /// The ports, the first one for connections that no line is about.
    var ports: [String] = []
    /// Whether sshd looks up the name of a client (UseDNS). Otherwise `Match Host` is about the address.
    var looksUpNames = true
  }

  /// A `Match` line that sets something that matters.
  private struct Line {
    let index: Int
    let match: SSHDFile.Match
    let criteria: SSHDCriteria
    /// The settings that follow the line.
    let keywords: Set<String>
  }

  /// A connection without its user, and the lines whose criteria about it hold.
  private struct Origin {
    let connection: SSHDConnection
    let lines: Set<Int>
    /// The values that differ from those of other connections, in words.
    let description: String?
  }

  /// Users to whom the same lines apply.
  private struct Class {
    var users: [SSHDUsers.User]
    let lines: Set<Int>
  }

  /// What determines the settings: for each keyword, the `Match` line that sets it; or, if that is not
  /// known, all lines that apply.
  private typealias Determination = [Int?]

  /// Chooses the connections for a configuration.
  init(
    _ server: Server, users requested: [UserName],
    accounts: Result<[KnownAccount], AdminError>, on host: any ExaminedHost
  ) {
    let lines = Self.lines(server.file)
    let known = lines.filter(\.criteria.unknown.isEmpty)
    let users = SSHDUsers(
      known.map(\.criteria), requested: requested, accounts: accounts, on: host)
    let (origins, isComplete) = Self.origins(known, server)
    let canPredict =
      server.file.unread.isEmpty
      && lines.allSatisfy { $0.criteria.unknown.isEmpty && !$0.criteria.isDecidedBySSHD }
    var chooser = Chooser(lines: known, canPredict: canPredict)
    let unnamed = SSHDUsers.User(
      name: SSHDConnection().user, groups: [], isInvented: false)
    let classes = Self.classes([unnamed] + users.all, known)
    chooser.add(classes, origins, isLocal: !users.hasDirectory)
    let named = ["root"] + requested.map { String(decoding: $0.bytes, as: UTF8.self) }
    choices = chooser.choices(individually: named, classes, origins)
    findings = lines.filter { !chooser.used.contains($0.index) }.map {
      Self.finding($0, hasDirectory: users.hasDirectory, server)
    }
    if users.omitted > 0 {
      findings.append(
        .unchecked(
          "sshd's settings for \(users.omitted) accounts", at: server.file.mainPlace,
          "only \(SSHDUsers.mostAccounts) are compared with Match lines"))
    }
    if !isComplete {
      findings.append(
        .unchecked(
          "all combinations of addresses, hosts and ports", at: server.file.mainPlace,
          "Match lines name too many; only two at a time are combined"))
    }
  }

  /// Returns the finding about a line to which no connection belongs.
  private static func finding(_ line: Line, hasDirectory: Bool, _ server: Server) -> Finding {
    if let name = line.criteria.unknown.first {
      return .unchecked(
        "sshd's settings under this Match line", at: line.match.place,
        "the criterion \(VisibleText.escaping(name)) is not known here")
    }
    if !server.looksUpNames, line.criteria.conditions.contains(where: { $0.field == .host }) {
      return .unchecked(
        "sshd's settings under this Match line", at: line.match.place,
        "no connection that matches is known: UseDNS is no, so sshd compares Host with the address",
        severity: .note)
    }
    // All users are known if there is no directory; the line then applies to none.
    let isUnknown =
      line.criteria.areAboutUsers && hasDirectory
      || line.criteria.conditions.contains { !$0.patterns.positive.isEmpty && $0.samples.isEmpty }
    return .unchecked(
      "sshd's settings under this Match line", at: line.match.place,
      "no user or connection that matches is known", severity: isUnknown ? .warning : .note)
  }

  // MARK: Lines

  /// Returns the `Match` lines that may change a setting that an examination uses.
  private static func lines(_ file: SSHDFile) -> [Line] {
    file.matches.enumerated().compactMap { index, match in
      let criteria = SSHDCriteria(match.arguments)
      guard file.matters(index), !criteria.isForMissingUsers else { return nil }
      return Line(
        index: index, match: match, criteria: criteria, keywords: file.keywords(under: index))
    }
  }

  // MARK: Addresses, hosts and ports

  /// Returns the connections that lines can tell apart, the plainest first, and whether these are all
  /// combinations.
  private static func origins(_ lines: [Line], _ server: Server) -> ([Origin], Bool) {
    var plain = SSHDConnection()
    if let port = server.ports.first { plain[.localPort] = port }
    var values: [(field: SSHDCriteria.Field, samples: [String])] = []
    for field in SSHDCriteria.Field.allCases where field != .host || server.looksUpNames {
      let conditions = lines.flatMap(\.criteria.conditions).filter {
        $0.field == field || field == .address && $0.field == .host && !server.looksUpNames
      }
      guard !conditions.isEmpty else { continue }
      var seen: Set<String> = [plain[field]]
      let found =
        conditions.flatMap { condition in
          field == condition.field ? condition.samples : condition.of(field).samples
        } + (field == .localPort ? server.ports : [])
      values.append((field, found.filter { seen.insert($0).inserted }))
    }
    let count = values.reduce(1) { product, value in
      min(product, mostCombinations + 1) * (value.samples.count + 1)
    }
    let isComplete = count <= mostCombinations
    var connections = [(connection: plain, changed: 0)]
    for value in values {
      for earlier in connections where isComplete || earlier.changed < 2 {
        for sample in value.samples {
          var connection = earlier.connection
          connection[value.field] = sample
          connections.append((connection, earlier.changed + 1))
        }
      }
    }
    var seen: Set<Set<Int>> = []
    let origins = connections.sorted { $0.changed < $1.changed }.compactMap { item -> Origin? in
      let holding = Set(lines.filter { $0.criteria.hold(for: item.connection) }.map(\.index))
      guard seen.insert(holding).inserted else { return nil }
      return Origin(
        connection: item.connection, lines: holding,
        description: description(of: item.connection, comparedTo: plain))
    }
    return (origins, isComplete || values.count <= 2)
  }

  private static func description(
    of connection: SSHDConnection, comparedTo plain: SSHDConnection
  ) -> String? {
    let words = SSHDCriteria.Field.allCases.filter { field in
      connection[field] != plain[field]
        && (field != .host || connection[.host] != connection[.address])
    }.map { "\($0.words) \(VisibleText.escaping(connection[$0]))" }
    return words.isEmpty ? nil : words.joined(separator: ", ")
  }

  // MARK: Users

  /// Groups the users by the lines whose criteria about users hold.
  private static func classes(_ users: [SSHDUsers.User], _ lines: [Line]) -> [Class] {
    var classes: [Class] = []
    var positions: [Set<Int>: Int] = [:]
    for user in users {
      let applying = Set(
        lines.filter { SSHDUsers.concern(user, $0.criteria) }.map(\.index))
      if let position = positions[applying] {
        classes[position].users.append(user)
      } else {
        positions[applying] = classes.count
        classes.append(Class(users: [user], lines: applying))
      }
    }
    return classes
  }

  /// Chooses one connection for each result.
  private struct Chooser {
    let lines: [Line]
    let canPredict: Bool
    /// The lines that apply to a connection.
    private(set) var used: Set<Int> = []

    private var chosen: [Choice] = []
    private var positions: [Determination: Int] = [:]

    init(lines: [Line], canPredict: Bool) {
      self.lines = lines
      self.canPredict = canPredict
    }

    mutating func add(_ classes: [Class], _ origins: [Origin], isLocal: Bool) {
      for origin in origins {
        for item in classes {
          let matches = item.lines.intersection(origin.lines)
          used.formUnion(matches)
          let determination = determination(matches)
          let names = item.users.map(\.name)
          if let position = positions[determination] {
            // An invented name says less than a user.
            let isBetter = chosen[position].isHypothetical && !item.users[0].isInvented
            if !isBetter {
              chosen[position].isRoot =
                chosen[position].isRoot && isOfRoot(item, isLocal: isLocal)
              if origin.description == nil { chosen[position].users += names }
              continue
            }
          }
          let choice = Choice(
            description: origin.description, matches: matches,
            connection: origin.connection.of(names[0]),
            users: origin.description == nil ? names : [], isRoot: isOfRoot(item, isLocal: isLocal),
            isHypothetical: item.users.allSatisfy(\.isInvented) && isLocal)
          if let position = positions[determination] {
            chosen[position] = choice
          } else {
            positions[determination] = chosen.count
            chosen.append(choice)
          }
        }
      }
    }

    /// Whether users to whom the same lines apply are root alone. A directory can have other members of a group.
    private func isOfRoot(_ item: Class, isLocal: Bool) -> Bool {
      item.users.map(\.name) == ["root"]
        && (isLocal
          || lines.contains { line in
            item.lines.contains(line.index)
              && line.criteria.users.contains { $0.patterns.map(\.text) == ["root"] }
          })
    }

    /// Returns the connections, with one more for each of these users.
    func choices(
      individually names: [String], _ classes: [Class], _ origins: [Origin]
    ) -> [Choice] {
      guard let plain = origins.first else { return [] }
      let single = names.map { name in
        let lines = classes.first { $0.users.contains { $0.name == name } }?.lines ?? []
        return Choice(
          description: "user \(VisibleText.escaping(name))",
          matches: lines.intersection(plain.lines), connection: plain.connection.of(name),
          users: [name], isRoot: name == "root")
      }
      let described = chosen.enumerated().map { index, choice in
        var choice = choice
        let names = choice.users.filter { $0 != SSHDConnection().user }
        let users =
          choice.matches.contains { line in
            lines.contains { $0.index == line && $0.criteria.areAboutUsers }
          } ? Self.text(names.isEmpty ? [choice.connection.user] : names) : nil
        let words = [users, choice.description].compactMap { $0 }
        choice.description =
          index == 0 ? nil : words.isEmpty ? "other connections" : words.joined(separator: ", ")
        return choice
      }
      return Array(described.prefix(1)) + single + described.dropFirst()
    }

    private func determination(_ matches: Set<Int>) -> Determination {
      guard canPredict else { return matches.sorted() }
      return SSHDSettings.keys.map { key in
        lines.first { matches.contains($0.index) && $0.keywords.contains(key) }?.index
      }
    }

    private static func text(_ names: [String]) -> String {
      (names.count == 1 ? "user " : "users ")
        + NameList.text(names.map { VisibleText.escaping($0) })
    }
  }
}

/// A connection that `sshd -T -C` evaluates: the user, the client's address and the server's address.
struct SSHDConnection: Hashable {
  /// A name that no user has, unless another one is set.
  var user = "mfa-admin-doctor"

  /// The addresses are from a network reserved for documentation (RFC 5737).
  private var values: [SSHDCriteria.Field: String] = [
    .address: "192.0.2.1", .localAddress: "192.0.2.2", .localPort: "22", .rdomain: "",
  ]

  /// Creates a connection that no specific `Match` line matches.
  init() {}

  /// Creates a connection of one user.
  init(user: String) { self.user = user }

  /// Returns the same connection of another user.
  func of(_ user: String) -> SSHDConnection {
    var connection = self
    connection.user = user
    return connection
  }

  /// The value that sshd compares with a criterion.
  ///
  /// The host is the address unless it is set.
  subscript(field: SSHDCriteria.Field) -> String {
    get { values[field] ?? (field == .host ? values[.address] : nil) ?? "" }
    set { values[field] = newValue }
  }

  /// The argument for `sshd -C`, or nil if the values cannot be passed to it.
  var specification: String? {
    var parts = [
      ("user", user), ("host", self[.host]), ("addr", self[.address]),
      ("laddr", self[.localAddress]), ("lport", self[.localPort]),
    ]
    // Without a routing domain, sshd compares none.
    if !self[.rdomain].isEmpty { parts.append(("rdomain", self[.rdomain])) }
    let isAccepted = parts.allSatisfy { part in
      part.1.utf8.allSatisfy { $0 > 0x20 && $0 != UInt8(ascii: ",") }
    }
    guard isAccepted else { return nil }
    return parts.map { "\($0.0)=\($0.1)" }.joined(separator: ",")
  }
}
