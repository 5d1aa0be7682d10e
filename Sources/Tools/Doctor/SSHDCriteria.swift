import MFAModel

/// The criteria of a `Match` line (sshd_config(5)).
struct SSHDCriteria {
  /// A criterion about the connection.
  enum Field: String, CaseIterable {
    case host, address
    case localAddress = "localaddress"
    case localPort = "localport"
    case rdomain

    /// The field in words.
    var words: String {
      switch self {
      case .host: "host"
      case .address: "address"
      case .localAddress: "local address"
      case .localPort: "port"
      case .rdomain: "routing domain"
      }
    }
  }

  /// The patterns of a criterion about the connection.
  struct Condition {
    let field: Field
    let patterns: SSHDPatterns
  }

  /// The criteria about the user's name.
  private(set) var users: [SSHDPatterns] = []
  /// The criteria about the user's groups.
  private(set) var groups: [SSHDPatterns] = []
  /// The criteria about the connection.
  private(set) var conditions: [Condition] = []
  /// Whether the line is about names that no account has. Such a line applies to no sign-in.
  private(set) var isForMissingUsers = false
  /// Whether only sshd can evaluate a criterion, because it concerns the version of sshd.
  private(set) var isDecidedBySSHD = false
  /// The criteria that are not known here.
  private(set) var unknown: [String] = []

  /// Reads the words after `Match`. Newer versions of sshd also accept `User=alice` as one word.
  init(_ arguments: [String]) {
    var rest = arguments[...]
    while let word = rest.popFirst() {
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = parts[0].lowercased()
      switch name {
      case "all": continue
      case "invalid-user": isForMissingUsers = true
      case _: add(name, parts.count > 1 ? String(parts[1]) : rest.popFirst() ?? "")
      }
    }
  }

  private mutating func add(_ name: String, _ value: String) {
    let patterns = SSHDPatterns(value)
    switch name {
    case "user": users.append(patterns)
    case "group": groups.append(patterns)
    case "version": isDecidedBySSHD = true
    case _:
      if let field = Field(rawValue: name) {
        conditions.append(Condition(field: field, patterns: patterns))
      } else {
        unknown.append(name)
      }
    }
  }

  /// Whether a criterion about users or groups has wildcards or exclusions, so that it can concern any
  /// account.
  var hasUserPatterns: Bool {
    (users + groups).contains { $0.hasWildcards || $0.patterns.contains(where: \.isNegated) }
  }

  /// Whether a criterion is about users or groups.
  var areAboutUsers: Bool { !users.isEmpty || !groups.isEmpty }

  /// Returns whether the criteria about the connection hold.
  func hold(for connection: SSHDConnection) -> Bool {
    conditions.allSatisfy { $0.holds(for: connection[$0.field]) }
  }
}

extension SSHDCriteria.Condition {
  /// The maximum number of values that are tried for one criterion.
  private static let mostSamples = 64

  /// Returns whether sshd finds the criterion to hold for a value.
  func holds(for value: String) -> Bool {
    switch field {
    case .host: patterns.lowercased.matches(user: value.lowercased())
    case .address, .localAddress: patterns.matches(address: value)
    case .localPort: Int(value) != nil && patterns.positive.contains { Int($0) == Int(value) }
    case .rdomain: !value.isEmpty && patterns.matches(user: value)
    }
  }

  /// Values for which the criterion holds.
  var samples: [String] {
    var seen: Set<String> = []
    let all = patterns.positive.flatMap { candidates($0) }
    return Array(
      all.filter { seen.insert($0).inserted && holds(for: $0) }.prefix(Self.mostSamples))
  }

  private func candidates(_ pattern: String) -> [String] {
    switch field {
    case .localPort: return [pattern]
    case .host, .rdomain: return SSHDPatterns.words(matching: pattern)
    case .address, .localAddress:
      guard let network = Network(containing: Array(pattern.utf8).span) else {
        return ["0", "1", "254"].map {
          pattern.replacing("*", with: $0).replacing("?", with: $0.prefix(1))
        } + ["192.0.2.1"]
      }
      return [network.first, network.last].map { String(decoding: $0.text, as: UTF8.self) }
    }
  }
}
