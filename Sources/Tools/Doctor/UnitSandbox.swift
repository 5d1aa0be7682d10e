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

  private var isStrict: (place: String, setting: String)?

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

  private static func depth(_ path: String) -> Int { path.split(separator: "/").count }

  private static func holds(_ folder: String, _ path: String) -> Bool {
    let folder = folder.split(separator: "/")
    return path.split(separator: "/").starts(with: folder)
  }
}
