/// The settings of sshd that a password and then a code take, in a file of their own.
struct SecureShellDropIn {
  /// The file. sshd takes the first value that it comes to, in the order of the names.
  static let path = "/etc/ssh/sshd_config.d/00-mfa.conf"
  /// The file that includes it.
  static let mainPath = "/etc/ssh/sshd_config"
  /// Its folder.
  static let folder = "/etc/ssh/sshd_config.d"

  /// The settings, by the names that `sshd -T` prints.
  static let settings = [
    (name: "UsePAM", value: "yes"), (name: "KbdInteractiveAuthentication", value: "yes"),
    (name: "PasswordAuthentication", value: "no"),
    (name: "AuthenticationMethods", value: "keyboard-interactive"),
  ]

  /// The lines of the file, but for the marks.
  static let lines = settings.map { "\($0.name) \($0.value)" }

  /// What the file holds.
  static func text(service: [UInt8]) -> [UInt8] { MarkedText(service: service).block(lines) }

  /// The settings that `sshd -T` prints otherwise, each with what it prints.
  static func differences(inEffective output: String) -> [(name: String, found: String)] {
    let effective = SSHDSettings(Array(output.utf8))
    return settings.compactMap { setting in
      let found = effective.value(of: setting.name.lowercased())
      return found == setting.value ? nil : (setting.name, found ?? "nothing")
    }
  }

  /// Whom the settings keep out by what `sshd -T` prints else; nil for nobody.
  static func warning(inEffective output: String) -> String? {
    guard let root = value(of: "PermitRootLogin", inEffective: output),
      root != "yes", root != "no"
    else { return nil }
    return
      "root cannot sign in by ssh now: PermitRootLogin is \(VisibleText.escaping(root)), and a key "
      + "alone does not do"
  }

  /// What `sshd -T` prints for a keyword.
  static func value(of keyword: String, inEffective output: String) -> String? {
    SSHDSettings(Array(output.utf8)).value(of: keyword.lowercased())
  }

  /// A setting in a file of sshd's.
  struct Occurrence: Equatable {
    let file: String
    let line: Int
    let keyword: String
    let value: String
    /// Whether it is for some sign-ins only.
    let isInMatch: Bool

    var place: String { "\(VisibleText.escaping(file)):\(line)" }

    /// Whether it says something other than the drop-in.
    var contradicts: Bool {
      var name = keyword
      if name == "challengeresponseauthentication" { name = "kbdinteractiveauthentication" }
      return settings.contains { $0.name.lowercased() == name && $0.value != value.lowercased() }
    }
  }

  /// The settings in a file of sshd's, in order.
  static func occurrences(in text: [UInt8], file: String) -> [Occurrence] {
    var found: [Occurrence] = []
    var isInMatch = false
    let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      let words = SSHDFile.words(line)
      guard let keyword = words.first?.lowercased(), !keyword.isEmpty else { continue }
      let value = words.dropFirst().joined(separator: " ")
      // `Match all` ends what a block is for.
      if keyword == "match" { isInMatch = value.lowercased() != "all" }
      found.append(
        Occurrence(
          file: file, line: index + 1, keyword: keyword, value: value, isInMatch: isInMatch)
      )
    }
    return found
  }

  /// What keeps the drop-in from counting: nil for nothing, else what is the matter.
  ///
  /// `main` is /etc/ssh/sshd_config, `others` the other files of the folder.
  static func obstacle(
    main: [UInt8], others: [(path: String, text: [UInt8])]
  ) -> String? {
    let top = occurrences(in: main, file: mainPath)
    let patterns = [folder + "/*.conf", "sshd_config.d/*.conf"]
    guard
      let include = top.firstIndex(where: { line in
        line.keyword == "include" && !line.isInMatch
          && line.value.split(separator: " ").contains { patterns.contains(String($0)) }
      })
    else { return "\(mainPath) does not include \(folder)/*.conf" }
    if let earlier = top[..<include].first(where: \.contradicts) {
      return
        "\(earlier.place) sets \(earlier.keyword) before \(top[include].place) includes \(folder)"
    }
    for file in others where isBefore(file.path) {
      if let earlier = occurrences(in: file.text, file: file.path).first(where: \.contradicts) {
        return "\(earlier.place) sets \(earlier.keyword) before \(path) does"
      }
    }
    return nil
  }

  /// Settings in `Match` blocks that hold in place of the drop-in's, for some sign-ins.
  static func exceptions(
    main: [UInt8], others: [(path: String, text: [UInt8])]
  ) -> [Occurrence] {
    let files = [(path: mainPath, text: main)] + others.filter { $0.path != path }
    return files.flatMap { occurrences(in: $0.text, file: $0.path) }
      .filter { $0.isInMatch && $0.contradicts }
  }

  private static func isBefore(_ other: String) -> Bool {
    Array(other.utf8).lexicographicallyPrecedes(Array(path.utf8))
  }
}
