import MFAAdminCore
import MFAAdminOutput
import MFAFactors
import MFASystem

/// The connections for which sshd's settings are read: one for each set of `Match` lines that apply
/// to some user.
///
/// sshd itself evaluates the `Match` lines. This type only chooses users and addresses, so that each
/// line that matters applies to one of the connections.
struct SSHDConnections {
  /// A connection, and whom it stands for.
  struct Choice: Equatable {
    /// The connection, in words, or nil for connections to which no `Match` line applies.
    let description: String?
    /// The indices of the `Match` lines that apply.
    let matches: Set<Int>
    let connection: SSHDView.Connection
    /// Whether the connection stands for root alone.
    var isRoot = false
  }

  /// The connections.
  private(set) var choices: [Choice] = []
  /// The `Match` lines that apply to no known connection.
  private(set) var unmatched: [SSHDFile.Match] = []

  /// The maximum number of accounts whose names and groups are compared with `Match` lines.
  private static let mostAccounts = 2000

  /// The maximum number of connections for one `Match` line.
  private static let mostSamples = 8

  /// A `Match` line that sets something that matters.
  private struct Line {
    let index: Int
    let match: SSHDFile.Match
    var user: SSHDPatterns?
    var groups: SSHDPatterns?
    /// The other criteria, with the values of connections that meet them. Nil if a criterion is not
    /// known.
    var connections: [SSHDView.Connection]? = []
  }

  /// Chooses the connections for a configuration.
  init(
    _ file: SSHDFile, users: [UserName], accounts: Result<[KnownAccount], SystemError>,
    on host: any ExaminedHost
  ) {
    let lines = Self.lines(file)
    let people = Self.people(lines, users, accounts, host)
    var groups: [Set<Int>: [String]] = [:]
    var order: [Set<Int>] = []
    for person in people {
      let matches = Set(lines.filter { Self.concerns($0, person, host) }.map(\.index))
      if groups[matches] == nil { order.append(matches) }
      groups[matches, default: []].append(person.name)
    }
    for name in ["root"] + users.map({ String(decoding: $0.bytes, as: UTF8.self) }) {
      choices.append(
        Choice(
          description: "user \(VisibleText.escaping(name))",
          matches: groups.first { $0.value.contains(name) }?.key ?? [],
          connection: SSHDView.Connection(user: name), isRoot: name == "root"))
    }
    var used: Set<Int> = []
    for matches in order {
      guard let names = groups[matches], let first = names.first else { continue }
      let applying = lines.filter { matches.contains($0.index) }
      let always = Set(applying.filter { $0.connections?.isEmpty == true }.map(\.index))
      used.formUnion(always)
      if !always.isEmpty {
        choices.append(
          Choice(
            description: Self.text(names), matches: always,
            connection: SSHDView.Connection(user: first)))
      }
      for line in applying {
        // A line that names no user applies to every user; the connections of one are enough.
        let isGeneral = line.user == nil && line.groups == nil && always.isEmpty
        guard !isGeneral || !used.contains(line.index) else { continue }
        for connection in line.connections ?? [] {
          var connection = connection
          connection.user = first
          used.insert(line.index)
          choices.append(
            Choice(
              description:
                "\(Self.text(names)), \(VisibleText.escaping(line.match.arguments.joined(separator: " ")))",
              matches: always.union([line.index]), connection: connection))
        }
      }
    }
    unmatched = lines.filter { !used.contains($0.index) }.map(\.match)
  }

  private static func text(_ names: [String]) -> String {
    (names.count == 1 ? "user " : "users ")
      + NameList.text(names.map { VisibleText.escaping($0) })
  }

  // MARK: Lines

  /// Returns the `Match` lines that may change a setting that an examination uses.
  private static func lines(_ file: SSHDFile) -> [Line] {
    file.matches.enumerated().compactMap { index, match in
      guard !SSHDView.Connection.isForEverybody(match), file.matters(index) else { return nil }
      return line(index, match)
    }
  }

  private static func line(_ index: Int, _ match: SSHDFile.Match) -> Line {
    var line = Line(index: index, match: match)
    var rest = match.arguments[...]
    while let criterion = rest.popFirst() {
      let value = rest.popFirst() ?? ""
      switch criterion.lowercased() {
      case "user": line.user = SSHDPatterns(value)
      case "group": line.groups = SSHDPatterns(value)
      case let other:
        let samples = SSHDPatterns(value).positive
        let present = line.connections.map { $0.isEmpty ? [SSHDView.Connection()] : $0 }
        let new = present?.flatMap { connection in
          samples.compactMap { connection.meeting(other, $0) }
        }
        line.connections = new?.isEmpty == true ? nil : new.map { Array($0.prefix(mostSamples)) }
      }
    }
    return line
  }

  // MARK: Users

  private final class Person {
    let name: String
    let account: Account?
    private var known: [String]??

    init(_ name: String, _ account: Account?) {
      self.name = name
      self.account = account
    }

    func groups(_ host: any ExaminedHost) -> [String]? {
      if let known { return known }
      let found = account.flatMap { host.groups(of: $0) }
      known = .some(found)
      return found
    }
  }

  /// Returns the users to compare: root, those asked for, those that lines name, and the accounts for
  /// people.
  private static func people(
    _ lines: [Line], _ users: [UserName], _ accounts: Result<[KnownAccount], SystemError>,
    _ host: any ExaminedHost
  ) -> [Person] {
    var known: [KnownAccount] = []
    if case .success(let found) = accounts { known = Array(found.prefix(mostAccounts)) }
    var names = ["root"] + users.map { String(decoding: $0.bytes, as: UTF8.self) }
    names += known.filter(\.isPersonal).map { String(decoding: $0.account.name, as: UTF8.self) }
    names += lines.flatMap { $0.user?.positive ?? [] }.filter { name in
      !name.contains { $0 == "*" || $0 == "?" }
    }
    // Accounts for programs can sign in with keys too.
    names += known.map { String(decoding: $0.account.name, as: UTF8.self) }
    var seen: Set<String> = []
    return names.filter { seen.insert($0).inserted }.compactMap { name in
      if let account = known.first(where: { $0.account.name == Array(name.utf8) })?.account {
        return Person(name, account)
      }
      do throws(SystemError) {
        return try host.account(named: Array(name.utf8)).map { Person(name, $0) }
      } catch {
        return Person(name, nil)
      }
    }
  }

  /// Returns whether the criteria of a line about the user hold.
  private static func concerns(_ line: Line, _ person: Person, _ host: any ExaminedHost) -> Bool {
    if let user = line.user, !user.matches(user: person.name) { return false }
    guard let patterns = line.groups else { return true }
    if !patterns.hasWildcards, patterns.patterns.count == 1, let name = patterns.positive.first {
      return person.account.map { host.isMember($0, of: Array(name.utf8)) == true } ?? false
    }
    return person.groups(host).map { patterns.matches(groups: $0) } ?? false
  }
}
