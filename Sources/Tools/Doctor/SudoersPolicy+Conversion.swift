import MFAAdmin

extension SudoersPolicy {
  /// Reads the output of `cvtsudoers -f json`.
  ///
  /// `runAsDefaults` is the output of `cvtsudoers -f json -d runas -s privileges,aliases`: the
  /// output does not tell the users of `Defaults:x` from the accounts of `Defaults>x`.
  package init(_ output: [UInt8], runAsDefaults: [UInt8]) throws(AdminError) {
    let root = try Self.object(Self.value(of: output), "the output")
    var aliases: Aliases = [:]
    for name in ["User_Aliases", "Runas_Aliases", "Host_Aliases", "Command_Aliases"] {
      for alias in try Self.object(root[name] ?? .object([]), name) {
        aliases[name, default: [:]][alias.key] = try Self.array(alias.value, name)
      }
    }
    let bound = try Self.object(Self.value(of: runAsDefaults), "the output")
    var forRunAs = try Self.array(bound["Defaults"] ?? .array([]), "Defaults")[...]
    for (line, entry) in try Self.array(root["Defaults"] ?? .array([]), "Defaults").enumerated() {
      let isForRunAs = entry == forRunAs.first
      if isForRunAs { forRunAs.removeFirst() }
      defaults += try Self.settings(entry, line: line, isForRunAs: isForRunAs, aliases)
    }
    guard forRunAs.isEmpty else {
      throw AdminError(at: "sudoers", "Defaults for accounts were not found")
    }
    let specifications = try Self.array(root["User_Specs"] ?? .array([]), "User_Specs")
    for (number, value) in specifications.enumerated() {
      rules += try Self.rules(Self.object(value, "User_Specs"), number, aliases)
    }
  }

  private typealias Object = [String: JSON]

  private static func value(of output: [UInt8]) throws(AdminError) -> JSON {
    // cvtsudoers prints nothing if there are no rules.
    guard !output.isEmpty else { return .object([]) }
    do throws(AdminError) { return try JSONReader.value(of: corrected(output)) } catch {
      throw AdminError(at: "sudoers", "the output \(error.reason)")
    }
  }

  /// Adds the braces that cvtsudoers 1.9.13 leaves out around the options CWD and CHROOT.
  private static func corrected(_ output: [UInt8]) -> [UInt8] {
    var lines = output.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      let start = line.drop { $0 == UInt8(ascii: " ") }
      guard ["\"runcwd\":", "\"runchroot\":"].contains(where: { start.starts(with: $0.utf8) })
      else { continue }
      let hasComma = start.last == UInt8(ascii: ",")
      lines[index] =
        "{".utf8 + (hasComma ? start.dropLast() : start) + (hasComma ? "},".utf8 : "}".utf8)
    }
    return Array(lines.joined(separator: [UInt8(ascii: "\n")]))
  }

  private static func object(_ value: JSON, _ name: String) throws(AdminError) -> Object {
    guard case .object(let members) = value else {
      throw AdminError(at: "sudoers", "\(name) is not an object")
    }
    return Object(members.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
  }

  private static func array(_ value: JSON, _ name: String) throws(AdminError) -> [JSON] {
    guard case .array(let values) = value else {
      throw AdminError(at: "sudoers", "\(name) is not a list")
    }
    return values
  }

  /// The aliases, by the member that lists them and by name.
  private typealias Aliases = [String: [String: [JSON]]]

  // MARK: Lists

  /// The members that name an alias, and where the alias is defined.
  private static let references = [
    "useralias": "User_Aliases", "runasalias": "Runas_Aliases", "hostalias": "Host_Aliases",
    "cmndalias": "Command_Aliases",
  ]

  /// The largest depth of aliases within aliases. sudo refuses an alias that contains itself.
  private static let deepest = 64

  private static func list(_ value: JSON, _ aliases: Aliases) throws(AdminError) -> SudoersList {
    var list = SudoersList([])
    for element in try array(value, "a list") {
      let element = try object(element, "an element of a list")
      list.words.append(try word(element))
      list.members += try members(element, aliases, depth: 0)
    }
    return list
  }

  private static func members(
    _ element: Object, _ aliases: Aliases, depth: Int
  ) throws(AdminError) -> [SudoersMember] {
    let isNegated = element["negated"] == .bool(true)
    for (key, name) in references {
      guard case .string(let alias)? = element[key] else { continue }
      guard let elements = aliases[name]?[alias] else {
        // sudo takes an alias that is not defined for a name.
        return key == "cmndalias" ? [] : [SudoersMember(.name(alias), isNegated: isNegated)]
      }
      guard depth < deepest else {
        throw AdminError(at: "sudoers", "aliases are nested too deep")
      }
      var members: [SudoersMember] = []
      for element in elements {
        members += try Self.members(object(element, "an alias"), aliases, depth: depth + 1)
          .map { $0.negated(isNegated) }
      }
      return members
    }
    return [SudoersMember(try kind(element), isNegated: isNegated)]
  }

  private static func kind(_ element: Object) throws(AdminError) -> SudoersMember.Kind {
    for (key, value) in element.sorted(by: { $0.key < $1.key }) {
      switch (key, value) {
      case ("username", .string("ALL")), ("hostname", .string("ALL")),
        ("usergroup", .string("ALL")):
        return .all
      case ("username", .string("")): return .invokingUser
      case ("username", .string(let name)), ("hostname", .string(let name)): return .name(name)
      case ("userid", .number(let id)): return .userID(id)
      case ("usergroup", .string(let name)): return .group(name)
      case ("usergid", .number(let id)): return .groupID(id)
      case ("netgroup", .string(let name)): return .netgroup(name)
      case ("nonunixgroup", .string(let name)): return .pluginGroup(name)
      case ("nonunixgid", .string(let id)): return .pluginGroup("#" + id)
      case ("nonunixgid", .number(let id)): return .pluginGroup("#\(id)")
      case ("networkaddr", .string(let address)): return .network(address)
      case ("command", .string("ALL")): return .all
      case ("command", .string(let text)): return .command(SudoersCommand(text))
      case _: continue
      }
    }
    throw AdminError(at: "sudoers", "a list has an unknown element: \(element.keys.sorted())")
  }

  /// Returns an element as in the file, without an exclamation mark.
  private static func word(_ element: Object) throws(AdminError) -> String {
    for key in references.keys {
      if case .string(let alias)? = element[key] { return alias }
    }
    return SudoersMember(try kind(element)).word
  }

  // MARK: Settings and rules

  private static func settings(
    _ entry: JSON, line: Int, isForRunAs: Bool, _ aliases: Aliases
  ) throws(AdminError) -> [Default] {
    let entry = try object(entry, "Defaults")
    let binding = try entry["Binding"].map { value throws(AdminError) in
      try list(value, aliases)
    }
    let scope = try scope(entry["Binding"], isForRunAs: isForRunAs)
    var settings: [Default] = []
    for option in try array(entry["Options"] ?? .array([]), "Options") {
      let option = try object(option, "Options")
      // Lists, such as env_keep, do not change what sudo asks for.
      guard option["operation"] == nil else { continue }
      for (name, value) in option.sorted(by: { $0.key < $1.key }) {
        let converted: SudoersValue
        switch value {
        case .bool(let isOn): converted = .flag(isOn)
        case .string(let text): converted = .text(text)
        case .number(let number): converted = .text("\(number)")
        case .null, .array, .object: continue
        }
        settings.append(
          Default(
            scope: scope, members: binding ?? .everything, name: name, value: converted, line: line)
        )
      }
    }
    return settings
  }

  private static func scope(
    _ binding: JSON?, isForRunAs: Bool
  ) throws(AdminError) -> Default.Scope {
    guard let binding else { return .global }
    guard !isForRunAs else { return .runAs }
    guard let first = try array(binding, "Binding").first else { return .global }
    let keys = Set(try object(first, "Binding").keys)
    if !keys.isDisjoint(with: ["command", "cmndalias"]) { return .commands }
    return keys.isDisjoint(with: ["hostname", "hostalias", "networkaddr"]) ? .users : .hosts
  }

  private static func rules(
    _ specification: Object, _ number: Int, _ aliases: Aliases
  ) throws(AdminError) -> [Rule] {
    let users = try list(specification["User_List"] ?? .null, aliases)
    let hosts = try list(specification["Host_List"] ?? .null, aliases)
    var rules: [Rule] = []
    for value in try array(specification["Cmnd_Specs"] ?? .null, "Cmnd_Specs") {
      let value = try object(value, "Cmnd_Specs")
      var rule = Rule(
        users: users, hosts: hosts, commands: try list(value["Commands"] ?? .null, aliases),
        specification: number)
      rule.runAsUsers = try value["runasusers"].map { value throws(AdminError) in
        try list(value, aliases)
      }
      rule.runAsGroups = try value["runasgroups"].map { value throws(AdminError) in
        try list(value, aliases)
      }
      for option in try array(value["Options"] ?? .array([]), "Options") {
        for (name, value) in try object(option, "Options") {
          switch (name, value) {
          case ("authenticate", .bool(let isOn)): rule.authenticates = isOn
          case ("noexec", .bool(let isOn)): rule.isNoExec = isOn
          case ("notbefore", .string(let time)): rule.notBefore = time
          case ("notafter", .string(let time)): rule.notAfter = time
          case _: continue
          }
        }
      }
      rules.append(rule)
    }
    return rules
  }
}
