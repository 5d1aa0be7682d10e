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
