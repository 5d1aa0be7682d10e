import MFABase

/// The source of sshd's configuration files.
package protocol SecureShellFiles {
  /// Returns the contents of a file, or nil if it does not exist or cannot be read.
  func text(of path: [UInt8]) -> [UInt8]?

  /// Returns the names of the files in a folder; none if it does not exist. Returns nil if the folder
  /// cannot be read.
  func names(in folder: [UInt8]) -> [[UInt8]]?
}

/// A reader for sshd_config and the files that it includes. As in sshd, the first value of a setting
/// counts (sshd_config(5)).
package struct SecureShellReader<Files: SecureShellFiles> {
  private let files: Files
  private var settings = SecureShellConfiguration()
  private var settled: [Keyword] = []
  private var filesRead = 0

  /// The maximum include depth, which is the same as in sshd.
  private static var deepest: Int { 16 }
  /// The maximum number of files read.
  private static var mostFiles: Int { 100 }

  private enum Keyword: UInt8 {
    case graceTime, methods, publicKeys, hostKeys, tickets
  }

  /// Returns the settings in the file at `path`.
  package static func read(
    _ path: [UInt8], from files: Files
  ) -> SecureShellConfiguration {
    var reader = SecureShellReader(files: files)
    guard let text = files.text(of: path) else { return .unknown }
    reader.read(text, isConditional: false, depth: 0)
    return reader.settings
  }

  private init(files: Files) { self.files = files }

  private mutating func read(_ text: [UInt8], isConditional: Bool, depth: Int) {
    filesRead &+= 1
    guard filesRead <= Self.mostFiles, depth <= Self.deepest else {
      settings.isCertain = false
      return
    }
    var isConditional = isConditional
    for line in text.split(separator: UInt8(ascii: "\n")) {
      let words = SecureShellLine.words(line)
      guard let keyword = words.first else { continue }
      let arguments = Array(words.dropFirst())
      if SecureShellLine.equals(keyword, "match") {
        isConditional =
          arguments.count != 1
          || !SecureShellLine.equals(arguments.first ?? [], "all")
      } else if SecureShellLine.equals(keyword, "include") {
        for pattern in arguments { include(pattern, isConditional: isConditional, depth: depth) }
      } else {
        set(keyword, arguments, isConditional: isConditional)
      }
    }
  }

  // MARK: Settings

  private mutating func set(_ name: [UInt8], _ arguments: [[UInt8]], isConditional: Bool) {
    guard let keyword = Self.keyword(name), let value = arguments.first else { return }
    guard !isConditional else {
      if keyword != .graceTime { settings.isCertain = false }
      return
    }
    guard !settled.contains(keyword) else { return }
    settled.append(keyword)
    let isOn = !SecureShellLine.equals(value, "no")
    switch keyword {
    case .graceTime:
      guard let seconds = SecureShellLine.seconds(value) else {
        settings.isCertain = false
        return
      }
      settings.graceTime = seconds > 0 ? seconds : nil
    case .methods:
      let isAny = SecureShellLine.equals(value, "any")
      settings.methodLists = isAny ? nil : arguments
    case .publicKeys: settings.offersPublicKeys = isOn
    case .hostKeys: settings.offersHostKeys = isOn
    case .tickets: settings.offersTickets = isOn
    }
  }

  private static func keyword(_ name: [UInt8]) -> Keyword? {
    if SecureShellLine.equals(name, "logingracetime") { return .graceTime }
    if SecureShellLine.equals(name, "authenticationmethods") { return .methods }
    if SecureShellLine.equals(name, "pubkeyauthentication") { return .publicKeys }
    if SecureShellLine.equals(name, "hostbasedauthentication") { return .hostKeys }
    if SecureShellLine.equals(name, "gssapiauthentication") { return .tickets }
    return nil
  }

  // MARK: Included files

  private mutating func include(_ pattern: [UInt8], isConditional: Bool, depth: Int) {
    let slash = UInt8(ascii: "/")
    let path =
      pattern.first == slash ? pattern : InstalledPath.sshdFolder.bytes + [slash] + pattern
    guard let end = path.lastIndex(of: slash),
      !path[..<end].contains(where: SecureShellLine.isWildcard)
    else {
      settings.isCertain = false
      return
    }
    let folder = Array(path[..<end])
    let last = Array(path[(end &+ 1)...])
    guard last.contains(where: SecureShellLine.isWildcard) else {
      // Like sshd, ignores a file that does not exist.
      guard let text = files.text(of: path) else { return }
      read(text, isConditional: isConditional, depth: depth &+ 1)
      return
    }
    guard let names = files.names(in: folder), let pattern = SecureShellPattern(last) else {
      settings.isCertain = false
      return
    }
    let sorted = names.sorted { $0.lexicographicallyPrecedes($1) }
    for name in sorted where pattern.matches(name) {
      guard let text = files.text(of: folder + [slash] + name) else {
        settings.isCertain = false
        continue
      }
      read(text, isConditional: isConditional, depth: depth &+ 1)
    }
  }
}

/// A file name with at most one `*`, as in `*.conf`.
private struct SecureShellPattern {
  private let start: [UInt8]
  private let end: [UInt8]

  /// Returns nil for any other pattern.
  init?(_ pattern: [UInt8]) {
    guard let star = pattern.firstIndex(of: UInt8(ascii: "*")) else { return nil }
    start = Array(pattern[..<star])
    end = Array(pattern[(star &+ 1)...])
    guard !(start + end).contains(where: SecureShellLine.isWildcard) else { return nil }
  }

  /// Returns whether a name matches. A name that begins with a dot matches no `*`, as in glob(3).
  func matches(_ name: [UInt8]) -> Bool {
    guard name.count >= start.count &+ end.count, name.starts(with: start),
      name.span.ends(with: end)
    else { return false }
    return name.first != UInt8(ascii: ".") || !start.isEmpty
  }
}
