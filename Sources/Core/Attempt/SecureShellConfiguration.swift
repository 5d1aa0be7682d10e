import MFABase

/// The settings of sshd on which the end of a sign-in depends, for a connection that no `Match` line
/// matches.
///
/// sshd itself is not asked: `sshd -T` loads the host keys, which the resident service cannot read.
/// Doctor compares with `sshd -T`.
package struct SecureShellConfiguration: Equatable, Sendable {
  /// How many seconds sshd allows for a sign-in (LoginGraceTime), or nil if there is no limit.
  package internal(set) var graceTime: Int64? = 120
  /// The method lists of AuthenticationMethods, or nil if one method is enough.
  var methodLists: [[UInt8]]?
  /// Whether the methods that need no PAM conversation are enabled.
  var offersPublicKeys = true
  var offersHostKeys = false
  var offersTickets = false
  /// Whether all files were read and no `Match` line concerns the methods.
  package internal(set) var isCertain = true

  /// Creates the settings of an empty configuration, which are sshd's defaults.
  package init() {}

  /// Creates settings that another process determined, of which only these two are known. They are
  /// certain only if another method is left.
  package init(graceTime: Int64?, leavesOtherMethod: Bool) {
    self.graceTime = graceTime
    isCertain = leavesOtherMethod
  }

  /// The settings if no file can be read.
  package static var unknown: SecureShellConfiguration {
    var settings = SecureShellConfiguration()
    settings.isCertain = false
    return settings
  }

  /// Whether sshd certainly offers a client another method after it has withdrawn
  /// keyboard-interactive and password authentication.
  ///
  /// sshd withdraws both after PAM_MAXTRIES. If that leaves no method, OpenSSH's client takes the
  /// empty list for a server that does not tell its methods, and asks for passwords that cannot
  /// succeed (authmethod_get in sshconnect2.c).
  package var leavesOtherMethod: Bool {
    guard isCertain else { return false }
    guard let methodLists else { return offersPublicKeys || offersHostKeys || offersTickets }
    return methodLists.contains { list in
      if Self.begins(list, "publickey") { return offersPublicKeys }
      if Self.begins(list, "hostbased") { return offersHostKeys }
      return Self.begins(list, "gssapi-with-mic") && offersTickets
    }
  }

  /// Returns whether a list of methods begins with this method.
  private static func begins(_ list: [UInt8], _ method: StaticString) -> Bool {
    let name = list.prefix { $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: ":") }
    return Array(name) == method.bytes
  }
}

/// The configuration files of this machine's sshd.
///
/// MUST 1: a file that a user other than root could have written is not read.
/// (`InstalledSecureShellTests.distrusted`)
package struct InstalledSecureShell: SecureShellFiles {
  /// Creates the source. Nothing is read yet.
  package init() {}

  /// The settings in /etc/ssh/sshd_config.
  package static var configuration: SecureShellConfiguration {
    SecureShellReader.read(InstalledPath.sshd.bytes, from: InstalledSecureShell())
  }

  /// The longest file that is read, in bytes.
  private static var longest: Int { 65_536 }

  /// Reads a file.
  package func text(of path: [UInt8]) -> [UInt8]? {
    guard let trusted = TrustedPath(path) else { return nil }
    do throws(SystemError) {
      return try trusted.contents(longest: Self.longest).bytes
    } catch {
      return nil
    }
  }

  /// Lists a folder.
  package func names(in folder: [UInt8]) -> [[UInt8]]? {
    guard let path = TrustedPath(folder) else { return nil }
    do throws(SystemError) {
      return try path.names()
    } catch {
      guard error.isNotFound else { return nil }
      return []
    }
  }
}

/// Functions for the words of a line of sshd_config.
enum SecureShellLine {
  /// Returns the words of a line. Blanks and, after the keyword, an equals sign separate words.
  /// Double quotation marks may surround a word, and a `#` at the start of a word begins a comment.
  static func words(_ line: ArraySlice<UInt8>) -> [[UInt8]] {
    var words: [[UInt8]] = []
    var word: [UInt8]?
    var isQuoted = false
    for byte in line {
      let separates = isBlank(byte) || byte == UInt8(ascii: "=") && words.count == 0
      if byte == UInt8(ascii: "\"") {
        isQuoted.toggle()
        word = word ?? []
      } else if separates, !isQuoted {
        if let ended = word { words.append(ended) }
        word = nil
      } else if byte == UInt8(ascii: "#"), word == nil, !isQuoted {
        break
      } else {
        word = (word ?? []) + [byte]
      }
    }
    if let word { words.append(word) }
    // `Keyword = value`
    if words.count > 1, words[1] == [UInt8(ascii: "=")] { words.remove(at: 1) }
    return words
  }

  /// Returns whether a byte has a meaning of its own in a pattern of glob(3).
  static func isWildcard(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "*") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "[")
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
  }

  /// Returns whether a word equals `expected`, ignoring its case.
  static func equals(_ word: [UInt8], _ expected: StaticString) -> Bool {
    let letters = UInt8(ascii: "A")...UInt8(ascii: "Z")
    return word.map { letters.contains($0) ? $0 | 0x20 : $0 } == expected.bytes
  }

  /// Returns a time in seconds, such as `120`, `2m` or `1h30m`, or nil if the word is no time or is
  /// longer than a year.
  static func seconds(_ word: [UInt8]) -> Int64? {
    let longest: Int64 = 365 * 86_400
    var total: Int64 = 0
    var number: Int64?
    for byte in word {
      if let digit = byte.decimalDigit {
        let next = (number ?? 0) &* 10 &+ Int64(digit)
        guard next <= longest else { return nil }
        number = next
        continue
      }
      guard let seconds = number, let unit = unit(byte) else { return nil }
      total &+= seconds &* unit
      guard total <= longest else { return nil }
      number = nil
    }
    guard !word.isEmpty else { return nil }
    return total &+ (number ?? 0)
  }

  private static func unit(_ byte: UInt8) -> Int64? {
    switch byte | 0x20 {
    case UInt8(ascii: "s"): 1
    case UInt8(ascii: "m"): 60
    case UInt8(ascii: "h"): 3600
    case UInt8(ascii: "d"): 86_400
    case UInt8(ascii: "w"): 604_800
    case _: nil
    }
  }
}

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
