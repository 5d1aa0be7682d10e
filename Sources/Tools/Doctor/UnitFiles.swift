import MFAAdmin
import MFABase
import MFAPAMStack

/// Lists the files of systemd units, in the order in which systemd reads them (systemd.unit(5)).
enum UnitFiles {
  /// The folder of the units that administrators write or enable.
  static let administrators = "/etc/systemd/system"

  private static let folders = [
    administrators, "/run/systemd/system", "/usr/local/lib/systemd/system",
    "/usr/lib/systemd/system",
  ]

  private static let program = "/usr/bin/systemctl"

  /// Returns the units whose processes use a PAM service.
  static func units(of service: ServiceWithModule) -> [String] {
    let name = String(decoding: service.name, as: UTF8.self)
    if let units = PAMProgram.with(service: service.name)?.units, !units.isEmpty { return units }
    // Other services of display managers, such as gdm-fingerprint.
    for manager in ["gdm", "sddm", "lightdm", "lxdm", "xdm", "greetd", "cockpit"]
    where name.hasPrefix(manager) {
      return PAMProgram.with(service: Array("\(manager)-password".utf8))?.units
        ?? ["\(manager).service"]
    }
    return ["\(name).service"]
  }

  /// Returns the files of a unit, or an empty array if the unit does not exist. If systemd is
  /// running, these are the files that it has loaded.
  static func paths(of unit: String, on host: any ExaminedHost) throws(AdminError) -> [String] {
    if let paths = try loaded(unit, host) { return paths }
    return try pathsOnDisk(of: unit, on: host)
  }

  /// Returns the files of a unit that systemd reads when it starts, or an empty array if the unit does
  /// not exist.
  static func pathsOnDisk(of unit: String, on host: any ExaminedHost) throws(AdminError)
    -> [String]
  {
    var paths: [String] = []
    for folder in folders where paths.isEmpty {
      if try host.status(of: "\(folder)/\(unit)") != nil { paths.append("\(folder)/\(unit)") }
    }
    guard !paths.isEmpty else { return [] }
    // systemd reads drop-ins in the order of their names. If several have the same name, it reads
    // only the one in the first folder.
    var dropIns: [(name: String, path: String)] = []
    let type = unit.split(separator: ".").last ?? ""
    for directory in ["\(unit).d", "\(type).d"] {
      for folder in folders {
        for name in try host.names(in: "\(folder)/\(directory)") where name.hasSuffix(".conf") {
          guard !dropIns.contains(where: { $0.name == name }) else { continue }
          dropIns.append((name, "\(folder)/\(directory)/\(name)"))
        }
      }
    }
    return paths + dropIns.sorted { $0.name < $1.name }.map(\.path)
  }

  /// Returns the units whose names match, each once.
  static func names(
    on host: any ExaminedHost, where isIncluded: (String) -> Bool
  ) throws(AdminError) -> [String] {
    var found: Set<String> = []
    for folder in folders { found.formUnion(try host.names(in: folder).filter(isIncluded)) }
    return found.sorted()
  }

  /// Returns the settings in a unit's files, in the order in which systemd reads them.
  static func settings(
    of unit: String, on host: any ExaminedHost
  ) throws(AdminError) -> [UnitText.Setting] {
    var settings: [UnitText.Setting] = []
    for path in try pathsOnDisk(of: unit, on: host) {
      settings += UnitText(try text(of: path, host), from: path).settings
    }
    return settings
  }

  /// Returns the text of a unit's file.
  static func text(of path: String, _ host: any ExaminedHost) throws(AdminError) -> [UInt8] {
    guard let text = try host.text(of: path) else {
      throw AdminError(at: path, SystemError.notFound(.open).text)
    }
    return text
  }

  /// Returns whether an administrator wrote or enabled a unit.
  static func isInUse(_ unit: String, on host: any ExaminedHost) throws(AdminError) -> Bool {
    if try host.status(of: "\(administrators)/\(unit)") != nil { return true }
    for folder in try host.names(in: administrators)
    where folder.hasSuffix(".wants") || folder.hasSuffix(".requires") {
      if try host.status(of: "\(administrators)/\(folder)/\(unit)") != nil { return true }
    }
    return false
  }

  /// Returns the files that systemd has loaded, or nil if systemd is not running or does not
  /// answer.
  private static func loaded(_ unit: String, _ host: any ExaminedHost) throws(AdminError)
    -> [String]?
  {
    guard try host.status(of: "/run/systemd/system") != nil else { return nil }
    // systemctl shows no settings for a template, so query an instance that is not running.
    let name = unit.replacing("@.", with: "@mfa-admin-doctor.")
    let output: ProgramOutput
    do throws(AdminError) {
      let arguments = ["show", "--property=LoadState,FragmentPath,DropInPaths", "--", name]
      guard let found = try host.output(of: program, arguments), found.status == 0 else {
        return nil
      }
      output = found
    } catch {
      return nil
    }
    var values: [String: String] = [:]
    for line in String(decoding: output.output, as: UTF8.self).split(separator: "\n") {
      let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if parts.count == 2 { values[String(parts[0])] = String(parts[1]) }
    }
    guard let state = values["LoadState"] else { return nil }
    guard state == "loaded", let fragment = values["FragmentPath"], !fragment.isEmpty else {
      return []
    }
    return [fragment] + (values["DropInPaths"] ?? "").split(separator: " ").map(String.init)
  }
}

/// The access of a systemd unit's processes to the file system (systemd.exec(5)).
struct UnitSandbox {
  /// The access to a path, from least to most restrictive.
  enum Access: Int, Comparable {
    case written, read, hidden

    static func < (left: Access, right: Access) -> Bool { left.rawValue < right.rawValue }
  }

  /// The access to everything under a path, and the line that sets it.
  struct Rule: Equatable {
    let path: String
    let access: Access
    let place: String
    let setting: String
  }

  /// The rules in the order in which they were read.
  private(set) var rules: [Rule] = []
  /// The line that sets a different root directory, or nil.
  private(set) var otherRoot: String?
  /// The line that names the user of the unit's processes, or nil.
  private(set) var user: Line?
  /// The line that forbids programs to change their identity (no_new_privs), or nil.
  private(set) var noNewPrivileges: Line?

  /// A line of a unit's file.
  typealias Line = (place: String, setting: String)

  private var isStrict: Line?
  /// The families of sockets that are allowed, or that are forbidden if the first word of the list has a tilde.
  private var families: (names: Set<String>, areForbidden: Bool, line: Line)?

  /// Creates the sandbox of a unit without settings.
  init() {}

  /// Reads the files of a unit.
  init(of unit: String, on host: any ExaminedHost) throws(AdminError) {
    for path in try UnitFiles.paths(of: unit, on: host) {
      add(try UnitFiles.text(of: path, host), from: path)
    }
  }

  private static let lists: [String: Access] = [
    "ReadWritePaths": .written, "ReadWriteDirectories": .written, "BindPaths": .written,
    "ReadOnlyPaths": .read, "ReadOnlyDirectories": .read, "BindReadOnlyPaths": .read,
    "InaccessiblePaths": .hidden, "InaccessibleDirectories": .hidden,
    "TemporaryFileSystem": .hidden,
    "StateDirectory": .written,
  ]

  /// Adds the settings of one of the unit's files to the settings of earlier files.
  mutating func add(_ text: [UInt8], from path: String) {
    for setting in UnitText(text, from: path).settings where setting.section == "[Service]" {
      set(setting.key, setting.value, at: setting.place)
    }
  }

  private mutating func set(_ key: String, _ value: String, at place: String) {
    switch key {
    case "ProtectSystem": isStrict = value == "strict" ? (place, "ProtectSystem=strict") : nil
    case "DynamicUser":
      if ["yes", "true", "on", "1"].contains(value.lowercased()) {
        isStrict = isStrict ?? (place, "DynamicUser=\(value)")
      }
    case "User": user = value.isEmpty ? nil : (place, "User=\(value)")
    case "NoNewPrivileges":
      let isSet = ["yes", "true", "on", "1"].contains(value.lowercased())
      noNewPrivileges = isSet ? (place, "NoNewPrivileges=\(value)") : nil
    case "RestrictAddressFamilies": restrict(value, (place, "RestrictAddressFamilies=\(value)"))
    case "RootDirectory", "RootImage": otherRoot = value.isEmpty || value == "/" ? nil : place
    case _:
      guard let access = Self.lists[key] else { return }
      guard !value.isEmpty else {
        rules.removeAll { $0.setting.hasPrefix("\(key)=") }
        return
      }
      for word in value.split(separator: " ") {
        rules.append(
          Rule(path: Self.path(word, key), access: access, place: place, setting: "\(key)=\(word)"))
      }
    }
  }

  /// Adds a list of address families. An empty list ends what was before, and a list of the other kind takes
  /// its families out again.
  private mutating func restrict(_ value: String, _ line: Line) {
    guard !value.isEmpty else { return families = nil }
    let isForbidding = value.hasPrefix("~")
    let names = Set(value.drop { $0 == "~" }.split(separator: " ").map(String.init))
      .subtracting(["none"])
    guard let known = families else { return families = (names, isForbidding, line) }
    families =
      known.areForbidden == isForbidding
      ? (known.names.union(names), isForbidding, line)
      : (known.names.subtracting(names), known.areForbidden, line)
  }

  /// Returns the line that keeps processes from connecting to Unix sockets in a folder, or nil.
  func obstacle(toSocketsIn folder: String) -> Line? {
    if let families, families.names.contains("AF_UNIX") == families.areForbidden {
      return families.line
    }
    guard let rule = rule(for: folder), rule.access == .hidden else { return nil }
    return (rule.place, rule.setting)
  }

  /// Returns the path in a list's word, without prefix characters. If the word has several parts,
  /// this is the path as the processes see it.
  private static func path(_ word: Substring, _ key: String) -> String {
    let text = word.drop { "-+!".contains($0) }
    let parts = text.split(separator: ":")
    switch key {
    case "StateDirectory": return "/var/lib/" + (parts.first ?? text)
    case "BindPaths", "BindReadOnlyPaths":
      return String(parts.count > 1 && parts[1].hasPrefix("/") ? parts[1] : parts.first ?? text)
    case _: return String(parts.first ?? text)
    }
  }

  /// Returns the rule that applies to a path, or nil. The rule with the longest matching path
  /// applies; if several rules have that path, the most restrictive one applies.
  func rule(for path: String) -> Rule? {
    var all = rules
    if let isStrict {
      all.append(Rule(path: "/", access: .read, place: isStrict.place, setting: isStrict.setting))
    }
    return all.filter { Self.holds($0.path, path) }.max {
      Self.depth($0.path) != Self.depth($1.path)
        ? Self.depth($0.path) < Self.depth($1.path) : $0.access < $1.access
    }
  }

  /// Returns a rule that allows less than `access` to a path or to something below it, or nil.
  func rule(for path: String, beyond access: Access) -> Rule? {
    if let rule = rule(for: path), rule.access > access { return rule }
    return rules.last { Self.holds(path, $0.path) && $0.access > access }
  }

  private static func depth(_ path: String) -> Int { path.split(separator: "/").count }

  private static func holds(_ folder: String, _ path: String) -> Bool {
    let folder = folder.split(separator: "/")
    return path.split(separator: "/").starts(with: folder)
  }
}
