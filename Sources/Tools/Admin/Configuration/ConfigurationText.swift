import MFABase
import MFAModel

/// A configuration as text, with the source location of each value.
package struct ConfigurationText {
  private let configuration: Configuration

  package init(_ configuration: Configuration) { self.configuration = configuration }

  /// The settings of the project, and those that each tenant sets.
  package var text: String {
    var text = "[project]\n"
    for key in Configuration.Key.allCases { text += line(key, in: nil) }
    for tenant in configuration.tenants {
      text += "\n[tenant \(VisibleText.escaping(tenant.name))]\n"
      for key in Configuration.Key.allCases { text += line(key, in: tenant) }
    }
    for daemon in configuration.daemons {
      let place = VisibleText.escaping(configuration.place(of: daemon.header))
      text += "\n[daemon \(VisibleText.escaping(daemon.name))]  # \(place)\n"
      for key in Configuration.Key.allCases {
        guard let value = daemon.value(of: key) else { continue }
        text += "\(key.name) = \(VisibleText.escaping(value))\n"
      }
    }
    return text
  }

  /// Returns the settings in force for a sign-in that only this tenant matches.
  package func text(of tenant: Tenant) -> String {
    var text = "[tenant \(VisibleText.escaping(tenant.name))]\n"
    for key in Configuration.Key.allCases {
      let isOwn = configuration.value(of: key, in: tenant) != nil
      text += line(key, in: isOwn ? tenant : nil, isInherited: !isOwn)
    }
    return text
  }

  private func line(
    _ key: Configuration.Key, in tenant: Tenant?, isInherited: Bool = false
  ) -> String {
    guard let value = configuration.value(of: key, in: tenant) else { return "" }
    var place = "default"
    if let origin = configuration.origin(of: key, in: tenant) {
      place = VisibleText.escaping(configuration.place(of: origin))
      if isInherited { place += ", [project]" }
    }
    return "\(key.name) = \(VisibleText.escaping(value))  # \(place)\n"
  }

  /// Returns the settings of the project or a tenant, to be printed in a form of Identity Platform,
  /// and a warning if Identity Platform cannot express the state. `applied` is the section in which
  /// `config apply` wrote the settings, if any.
  package func identityPlatform(
    _ tenant: Tenant?, _ applied: AppliedSection?
  ) -> (settings: IdentityPlatform, warning: String?) {
    let form = applied?.form ?? .standard
    let state = value(of: .state, tenant)
    let isRequired = state == Configuration.State.enabled.name
    let isPhoneEnabled = isRequired && accepts(.phone, tenant)
    func list(_ key: Configuration.Key) -> [String]? {
      guard tenant == nil, configuration.origin(of: key) != nil, applied?.sets(key) != false else {
        return nil
      }
      return value(of: key, nil).split(separator: ", ").map(String.init)
    }
    let isSet = setsPhones(tenant)
    let settings = IdentityPlatform(
      isEnabled: isRequired && accepts(.totp, tenant),
      adjacentIntervals: UInt8(value(of: .adjacentIntervals, tenant))
        ?? configuration.project.adjacentIntervals,
      form: form,
      phone: IdentityPlatform.Phone(
        // Without a list, text messages are disabled.
        isEnabled: form.textMessages != .absent || isSet && isPhoneEnabled ? isPhoneEnabled : nil,
        regions: list(.regions), testNumbers: list(.phoneTestNumbers)))
    guard state == Configuration.State.observe.name else { return (settings, nil) }
    return (settings, "Identity Platform has no state observe; printed as DISABLED")
  }

  /// Returns whether codes that are sent to phones are in use: a gateway is set, and the settings of
  /// the project or of a tenant allow them.
  func usesPhones(_ tenant: Tenant?) -> Bool {
    configuration.origin(of: .gateway) != nil && accepts(.phone, tenant)
      && value(of: .state, tenant) != Configuration.State.disabled.name
  }

  /// Returns whether codes of authenticator apps are asked for.
  func usesApps(_ tenant: Tenant?) -> Bool {
    accepts(.totp, tenant)
      && value(of: .state, tenant) != Configuration.State.disabled.name
  }

  /// Returns the types of factors that settings of Identity Platform leave allowed if they do not name them.
  func allowedTypes(_ name: [UInt8]?) -> AllowedTypes {
    let tenant = configuration.tenants.first { name != nil && $0.name == name }
    guard !areAllSwitchedOff(tenant) else { return .none }
    return AllowedTypes(
      totp: accepts(.totp, tenant), phone: accepts(.phone, tenant) && setsPhones(tenant))
  }

  /// Returns whether the settings that `config apply` read last switched all types of factors off. Then the
  /// section has a state and no types.
  private func areAllSwitchedOff(_ tenant: Tenant?) -> Bool {
    let section = tenant.flatMap { configuration.origin(of: .state, in: $0) == nil ? nil : $0 }
    func isApplied(_ key: Configuration.Key) -> Bool {
      guard let origin = configuration.origin(of: key, in: section) else { return false }
      return configuration.files.indices.contains(Int(origin.file))
        && configuration.files[Int(origin.file)] == IdentityPlatformFile.path
    }
    return value(of: .state, tenant) == Configuration.State.disabled.name && isApplied(.state)
      && !isApplied(.factors)
  }

  /// Returns whether something is set about phones. They are allowed by default, but are not in use on a host that
  /// has set nothing about them.
  private func setsPhones(_ tenant: Tenant?) -> Bool {
    [.factors, .gateway].contains { configuration.origin(of: $0) != nil }
      || tenant.map { configuration.origin(of: .factors, in: $0) != nil } ?? false
  }

  private func accepts(_ type: Configuration.FactorType, _ tenant: Tenant?) -> Bool {
    value(of: .factors, tenant).split(separator: ", ").contains { $0 == type.name }
  }

  private func value(of key: Configuration.Key, _ tenant: Tenant?) -> String {
    let own = tenant.flatMap { configuration.value(of: key, in: $0) }
    return String(decoding: own ?? configuration.value(of: key) ?? [], as: UTF8.self)
  }
}

/// The lines of a configuration file, in which one setting is changed and everything else stays: comments,
/// spaces and the order.
package struct ConfigurationLines {
  private var lines: [[UInt8]]

  /// Splits a text into lines.
  package init(_ text: [UInt8]) {
    lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .map { Array($0) }
    // The last line has a line feed, or there is none.
    if lines.last?.isEmpty == true { lines.removeLast() }
  }

  /// The text, with a line feed after each line.
  package var text: [UInt8] { lines.flatMap { $0 + [UInt8(ascii: "\n")] } }

  /// Returns the spellings of a key.
  package static func spellings(of key: String) -> [String] {
    let short = key.replacing("nroll", with: "nrol")
    return [key] + [short, short.replacing("nrol", with: "nroll")].filter { $0 != key }
  }

  /// Sets a key, which may have several spellings, in the section of the project or of a tenant. A key that
  /// the section does not have, and a section that the file does not have, are added at the end.
  package mutating func set(_ keys: [String], to value: [UInt8], tenant: [UInt8]?) {
    let line = Array((keys.first ?? "").utf8) + Array(" = ".utf8) + value
    if let index = index(of: keys, tenant: tenant) {
      lines[index] = line
    } else if let section = section(tenant) {
      // After the last line of the section that is not empty.
      let last = lines[section].lastIndex { !Self.trimmed($0).isEmpty } ?? section.lowerBound
      lines.insert(line, at: last + 1)
    } else {
      if !lines.isEmpty { lines.append([]) }
      lines += [Self.header(tenant), line]
    }
  }

  /// Removes the line that sets a key, which may have several spellings, from a section. Returns whether there was
  /// one.
  package mutating func remove(_ keys: [String], tenant: [UInt8]?) -> Bool {
    guard let index = index(of: keys, tenant: tenant) else { return false }
    lines.remove(at: index)
    return true
  }

  /// Returns whether there is a section of a tenant.
  func has(_ tenant: [UInt8]) -> Bool { section(tenant) != nil }

  /// Returns the index of the line that sets a key in a section, or nil.
  func index(of keys: [String], tenant: [UInt8]?) -> Int? {
    section(tenant).flatMap { section in
      lines[section].firstIndex { line in keys.contains { Self.sets($0, line) } }
    }
  }

  /// Returns the lines of a section with its header, or nil if there is no such section.
  private func section(_ tenant: [UInt8]?) -> Range<Int>? {
    let header = Self.header(tenant)
    guard let start = lines.firstIndex(where: { Self.trimmed($0) == header }) else { return nil }
    let end = lines[(start + 1)...].firstIndex { Self.trimmed($0).first == UInt8(ascii: "[") }
    return start..<(end ?? lines.endIndex)
  }

  /// Returns the header of a tenant's section, or of the project's.
  package static func header(_ tenant: [UInt8]?) -> [UInt8] {
    tenant.map { Array("[tenant ".utf8) + $0 + Array("]".utf8) } ?? Array("[project]".utf8)
  }

  private static func sets(_ key: String, _ line: [UInt8]) -> Bool {
    let parts = line.split(
      separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
    return parts.count == 2 && trimmed(Array(parts[0])) == Array(key.utf8)
  }

  private static func trimmed(_ line: [UInt8]) -> [UInt8] {
    func isSpace(_ byte: UInt8) -> Bool {
      byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }
    var rest = line[...].drop(while: isSpace)
    while let last = rest.last, isSpace(last) { rest = rest.dropLast() }
    return Array(rest)
  }
}

/// Splits the texts of `KeyDocumentation` for the programs that print them.
enum DocumentationText {
  /// A part of a text.
  struct Part {
    /// The text, without backticks.
    let text: String
    /// Whether the text was in backticks.
    let isLiteral: Bool
    /// Whether the section of a manual page follows, as in pam_mfa(8).
    let isManualPage: Bool
  }

  /// Returns the paragraphs of a text, each in one line.
  static func paragraphs(_ text: String) -> [String] {
    var paragraphs: [String] = []
    var lines: [Substring] = []
    let all: [Substring] = text.split(separator: "\n", omittingEmptySubsequences: false)
    for line in all + [""] {
      if !line.isEmpty {
        lines.append(line)
      } else if !lines.isEmpty {
        paragraphs.append(lines.joined(separator: " "))
        lines = []
      }
    }
    return paragraphs
  }

  /// Returns the parts in backticks, and those between them.
  static func parts(_ text: String) -> [Part] {
    let pieces = text.split(separator: "`", omittingEmptySubsequences: false)
    return pieces.enumerated().map { index, piece in
      let next = index + 1 < pieces.count ? pieces[index + 1] : ""
      let isLiteral = index % 2 == 1
      return Part(
        text: String(piece), isLiteral: isLiteral,
        isManualPage: isLiteral && next.wholeMatch(of: /\([1-9]\).*/) != nil)
    }
  }
}

extension Configuration.Key {
  /// Returns the key with this name, in any spelling.
  package static func named(_ name: String) -> Configuration.Key? {
    allCases.first { $0.spellings.contains(name) }
  }

  /// Returns the key whose name differs least from a name, or nil if none is similar.
  static func nearest(to name: String) -> Configuration.Key? {
    let distances = allCases.map { key in (key, distance(Array(key.name.utf8), Array(name.utf8))) }
    guard let (key, distance) = distances.min(by: { $0.1 < $1.1 }) else { return nil }
    return distance <= max(2, name.utf8.count / 3) ? key : nil
  }

  /// Returns the number of bytes to insert, remove and replace that turn one text into the other (Levenshtein).
  private static func distance(_ first: [UInt8], _ second: [UInt8]) -> Int {
    var row = Array(0...second.count)
    for (line, byte) in first.enumerated() {
      var corner = row[0]
      row[0] = line + 1
      for (column, other) in second.enumerated() {
        let best = min(min(row[column], row[column + 1]) + 1, corner + (byte == other ? 0 : 1))
        corner = row[column + 1]
        row[column + 1] = best
      }
    }
    return row[second.count]
  }
}
