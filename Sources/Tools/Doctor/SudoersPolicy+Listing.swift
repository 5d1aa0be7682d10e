import MFAAdmin

/// The rules for one user as `sudo -ll -U USER` prints them. sudo itself has matched the user and the
/// host, and asked all sources of rules.
extension SudoersPolicy {
  /// Reads the output of `sudo -ll -U USER` in the locale C.
  package init(listing output: [UInt8]) throws(AdminError) {
    let lines = String(decoding: output, as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    guard lines.contains(where: { $0.hasPrefix("User ") || $0.hasPrefix("Matching Defaults") })
    else { throw AdminError(at: "sudoers", "the output of sudo -ll is not understood") }
    var reader = ListingReader()
    for line in lines { try reader.read(line) }
    reader.finish()
    self.init(rules: reader.rules, defaults: reader.defaults)
  }
}

private struct ListingReader {
  /// The part of the output that a line belongs to.
  private enum Part {
    case other
    case defaults
    /// The settings for accounts and commands. Which of them apply to what is not evaluated.
    case boundDefaults
    case entry
    case commands
  }

  private(set) var rules: [SudoersPolicy.Rule] = []
  private(set) var defaults: [SudoersPolicy.Default] = []
  private var part = Part.other
  private var rule: SudoersPolicy.Rule?

  mutating func read(_ line: String) throws(AdminError) {
    if line.hasPrefix("Matching Defaults entries for ") {
      part = .defaults
    } else if line.hasPrefix("Runas and Command-specific defaults for ") {
      part = .boundDefaults
    } else if line.hasPrefix("User ") {
      part = .other
    } else if ["Sudoers entry:", "LDAP Role:", "SSSD Role:"].contains(where: line.hasPrefix) {
      finish()
      part = .entry
      rule = SudoersPolicy.Rule(
        users: .everything, hosts: .everything, commands: SudoersList([]),
        specification: rules.count)
    } else {
      try readContents(of: part, line)
    }
  }

  /// Ends the current entry.
  mutating func finish() {
    if let rule { rules.append(rule) }
    rule = nil
  }

  private mutating func readContents(
    of part: Part, _ line: String
  ) throws(AdminError) {
    let text = String(line.drop { $0 == " " || $0 == "\t" })
    guard !text.isEmpty else { return }
    switch part {
    case .other: return
    case .defaults:
      for option in Self.elements(text) { add(option) }
    case .boundDefaults:
      for word in text.split(whereSeparator: { ", ".contains($0) }) {
        guard let (name, value) = Self.setting(String(word)),
          let known = SudoSettings.Name(rawValue: name), SudoSettings.weakens(known, value)
        else { continue }
        add(String(word))
      }
    case .entry: readEntry(text)
    case .commands:
      let isNegated = text.hasPrefix("!")
      let command = isNegated ? String(text.dropFirst()) : text
      rule?.commands.members.append(
        SudoersMember(
          command == "ALL" ? .all : .command(SudoersCommand(Self.unescaped(command))),
          isNegated: isNegated))
    }
  }

  private mutating func readEntry(_ text: String) {
    if text == "Commands:" {
      part = .commands
      return
    }
    guard let end = text.firstIndex(of: ":") else { return }
    let value = String(text[text.index(after: end)...].drop { $0 == " " })
    switch text[..<end] {
    case "RunAsUsers": rule?.runAsUsers = Self.list(value)
    case "RunAsGroups": rule?.runAsGroups = Self.list(value)
    case "Options":
      for option in Self.elements(value) {
        switch option {
        case "authenticate": rule?.authenticates = true
        case "!authenticate": rule?.authenticates = false
        case "noexec": rule?.isNoExec = true
        case _: continue
        }
      }
    case "NotBefore": rule?.notBefore = value
    case "NotAfter": rule?.notAfter = value
    case _: return
    }
  }

  private mutating func add(_ option: String) {
    guard let (name, value) = Self.setting(option) else { return }
    defaults.append(
      SudoersPolicy.Default(
        scope: .global, members: .everything, name: name, value: value, line: defaults.count))
  }

  /// Returns the name and value of `name=value`, `name` or `!name`; nil for lists.
  private static func setting(_ option: String) -> (String, SudoersValue)? {
    if option.hasPrefix("!") { return (String(option.dropFirst()), .flag(false)) }
    guard let end = option.firstIndex(of: "=") else { return (option, .flag(true)) }
    let name = option[..<end]
    guard !name.hasSuffix("+"), !name.hasSuffix("-") else { return nil }
    var value = unescaped(String(option[option.index(after: end)...]))
    if value.count > 1, value.hasPrefix("\""), value.hasSuffix("\"") {
      value = String(value.dropFirst().dropLast())
    }
    return (String(name), .text(value))
  }

  /// Returns the elements between commas that are neither quoted nor escaped.
  private static func elements(_ text: String) -> [String] {
    var elements: [String] = [""]
    var isQuoted = false
    var isEscaped = false
    for character in text {
      if character == ",", !isQuoted, !isEscaped {
        elements.append("")
        continue
      }
      if character == "\"", !isEscaped { isQuoted.toggle() }
      isEscaped = character == "\\" && !isEscaped
      elements[elements.count - 1].append(character)
    }
    return elements.map { String($0.drop { $0 == " " }) }.filter { !$0.isEmpty }
  }

  private static func unescaped(_ text: String) -> String {
    var result = ""
    var isEscaped = false
    for character in text {
      if character == "\\", !isEscaped {
        isEscaped = true
        continue
      }
      result.append(character)
      isEscaped = false
    }
    return result
  }

  private static func list(_ text: String) -> SudoersList {
    SudoersList(
      elements(text).map { element in
        let isNegated = element.hasPrefix("!")
        return SudoersMember(
          kind(unescaped(String(element.dropFirst(isNegated ? 1 : 0)))), isNegated: isNegated)
      })
  }

  private static func kind(_ name: String) -> SudoersMember.Kind {
    if name == "ALL" { return .all }
    if name.hasPrefix("%:") { return .pluginGroup(String(name.dropFirst(2))) }
    if name.hasPrefix("%#"), let id = Int64(name.dropFirst(2)) { return .groupID(id) }
    if name.hasPrefix("%") { return .group(String(name.dropFirst())) }
    if name.hasPrefix("+") { return .netgroup(String(name.dropFirst())) }
    if name.hasPrefix("#"), let id = Int64(name.dropFirst()) { return .userID(id) }
    return .name(name)
  }
}
