import FoundationEssentials

/// The user's app for a type of URL, as the desktop's files name it (MIME Applications Associations
/// 1.0.1, Desktop Entry Specification 1.5).
struct DesktopApp: Equatable {
  /// The app's name on the session bus: the name of its desktop file without `.desktop`.
  let name: String
  /// Whether the bus can start the app and give it URLs. Otherwise the app gets URLs as arguments.
  let isActivatable: Bool

  /// The app's object path.
  var path: String { "/" + name.replacing(".", with: "/").replacing("-", with: "_") }

  /// Finds the user's default app for a type. If there is none, finds the first installed app for
  /// the type.
  ///
  /// - Parameters:
  ///   - type: the type of the URLs, such as `x-scheme-handler/otpauth`.
  ///   - environment: the environment of the user's programs.
  init?(for type: String, environment: [String: String]) {
    let folders = DesktopFolders(environment)
    let lists = folders.lists.map { DesktopFile($0) }
    for list in lists {
      for id in list.values(of: type, in: "Default Applications") {
        if let app = Self.installed(id, in: folders) {
          self = app
          return
        }
      }
    }
    var removed: Set<String> = []
    for list in lists {
      removed.formUnion(list.values(of: type, in: "Removed Associations"))
      let ids =
        list.values(of: type, in: "Added Associations") + list.values(of: type, in: "MIME Cache")
      for id in ids where !removed.contains(id) {
        if let app = Self.installed(id, in: folders) {
          self = app
          return
        }
      }
    }
    return nil
  }

  private init(name: String, isActivatable: Bool) {
    self.name = name
    self.isActivatable = isActivatable
  }

  /// Returns the app with this ID, such as `org.example.App.desktop`, or nil if it is not installed.
  private static func installed(_ id: String, in folders: DesktopFolders) -> DesktopApp? {
    let suffix = ".desktop"
    guard id.hasSuffix(suffix), !id.contains("/") else { return nil }
    for folder in folders.data {
      let file = DesktopFile(folder + "/applications/" + id)
      guard !file.isEmpty else { continue }
      let entry = "Desktop Entry"
      guard file.values(of: "Hidden", in: entry) != ["true"] else { return nil }
      return DesktopApp(
        name: String(id.dropLast(suffix.count)),
        isActivatable: file.values(of: "DBusActivatable", in: entry) == ["true"])
    }
    return nil
  }
}

/// A file in the form of desktop files: groups of keys with values.
struct DesktopFile {
  /// The values of each key, by the names of the group and the key.
  private var groups: [String: [String: [String]]] = [:]

  /// Whether the file is missing, unreadable or without keys.
  var isEmpty: Bool { groups.isEmpty }

  /// Reads a file. A file that cannot be read is like one without keys.
  init(_ path: String) {
    let text: String
    do {
      text = String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
    } catch {
      return
    }
    var group = ""
    for line in text.split(separator: "\n") {
      if line.hasPrefix("["), let end = line.firstIndex(of: "]") {
        group = String(line[line.index(after: line.startIndex)..<end])
      } else if !line.hasPrefix("#"), let equals = line.firstIndex(of: "=") {
        let values = line[line.index(after: equals)...].split(separator: ";").map {
          String($0.trimmed)
        }
        groups[group, default: [:]][String(line[..<equals].trimmed)] = values
      }
    }
  }

  /// Returns the values of a key, which semicolons separate in the file.
  func values(of key: String, in group: String) -> [String] { groups[group]?[key] ?? [] }
}

extension Substring {
  /// The text without white space at either end.
  fileprivate var trimmed: Substring {
    let start = drop { $0.isWhitespace }
    guard let end = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
    return start[...end]
  }
}

/// The folders with the files that describe the user's desktop (XDG Base Directory Specification).
struct DesktopFolders {
  /// The folders with installed data, the most important one first.
  let data: [String]
  /// The lists of apps, the most important one first. Not all of them exist.
  let lists: [String]

  init(_ environment: [String: String]) {
    func paths(_ name: String, _ standard: String) -> [String] {
      let value = environment[name] ?? ""
      // Relative paths are ignored.
      return (value.isEmpty ? standard : value).split(separator: ":").map(String.init)
        .filter { $0.hasPrefix("/") }
    }
    let home = environment["HOME"] ?? ""
    let configuration =
      paths("XDG_CONFIG_HOME", home + "/.config") + paths("XDG_CONFIG_DIRS", "/etc/xdg")
    data =
      paths("XDG_DATA_HOME", home + "/.local/share")
      + paths("XDG_DATA_DIRS", "/usr/local/share:/usr/share")
    let desktops = (environment["XDG_CURRENT_DESKTOP"] ?? "").split(separator: ":").map {
      "/" + $0.lowercased() + "-mimeapps.list"
    }
    let names = desktops + ["/mimeapps.list"]
    lists =
      configuration.flatMap { folder in names.map { folder + $0 } }
      + data.flatMap { folder in
        (names + ["/mimeinfo.cache"]).map { folder + "/applications" + $0 }
      }
  }
}
