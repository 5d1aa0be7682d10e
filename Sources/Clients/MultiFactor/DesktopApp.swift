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
