import MFAAdmin
import MFABase
import MFADoctor

/// The sshd drop-in file with the settings for a password or key followed by a code.
package struct SecureShellDropIn {
  /// The path of the drop-in. sshd uses the first value it reads, and reads the files in the order
  /// of their names.
  package static let path = "\(InstalledPath.sshdDropIns)/00-mfa.conf"
  /// The path of the file that includes the drop-in.
  static let mainPath = "\(InstalledPath.sshd)"
  /// The folder of the drop-in.
  package static let folder = "\(InstalledPath.sshdDropIns)"

  /// The settings for a password followed by a code. `sshd -T` prints their names in lower case.
  package static let settings = settings(.usual)

  /// Returns the settings that apply unless a `Match` line does.
  static func settings(_ factors: SecureShellFactors) -> [(name: String, value: String)] {
    [
      (name: "UsePAM", value: "yes"), (name: "KbdInteractiveAuthentication", value: "yes"),
      (name: "PasswordAuthentication", value: "no"),
      (name: "AuthenticationMethods", value: factors.methods),
    ]
  }

  /// Returns the settings of a connection that no `Match` line is about.
  static func effective(_ factors: SecureShellFactors) -> SSHDSettings {
    SSHDSettings([]).with(
      [(key: "PubkeyAuthentication", value: "yes")]
        + settings(factors).map { (key: $0.name, value: $0.value) })
  }

  /// Returns the lines of the file, without the marks.
  static func lines(_ factors: SecureShellFactors) -> [String] {
    settings(factors).map { "\($0.name) \($0.value)" } + factors.exemptions
  }

  /// The keywords that the file sets, in lower case.
  static var keywords: Set<String> {
    let all = SecureShellFactors.First.allCases.flatMap { first in
      lines(SecureShellFactors(first: first, exemptGroups: ["x"]))
    }
    return Set(all.compactMap { $0.split(separator: " ").first?.lowercased() })
  }

  /// Returns whether a line is a `Match` line.
  static func isMatch(_ line: [UInt8]) -> Bool {
    String(decoding: line, as: UTF8.self).split(whereSeparator: \.isWhitespace).first?
      .lowercased() == "match"
  }

  /// Returns whether the file can contain a line between the marks.
  static func isKnown(_ line: [UInt8]) -> Bool {
    SecureShellFactors.isExemption(line)
      || SecureShellFactors.First.allCases.contains { first in
        lines(SecureShellFactors(first: first, exemptGroups: [])).contains {
          Array($0.utf8) == line
        }
      }
  }

  /// Returns the contents of the file.
  package static func text(
    service: [UInt8], _ factors: SecureShellFactors = .usual
  ) -> [UInt8] {
    MarkedText(service: service).block(lines(factors))
  }

  /// Returns what a drop-in that this program has written asks for.
  static func factors(in text: [UInt8]) -> SecureShellFactors.First {
    let lines = text.split(separator: UInt8(ascii: "\n")).map { Array($0) }
    return SecureShellFactors.First.allCases.first { first in
      lines.contains(Array("AuthenticationMethods \(first.methods)".utf8))
    } ?? .password
  }

  /// Returns the settings for which `sshd -T` prints a different value, each with that value.
  static func differences(
    inEffective output: String, expecting first: SecureShellFactors.First = .password
  ) -> [(name: String, found: String)] {
    let effective = SSHDSettings(Array(output.utf8))
    return settings(SecureShellFactors(first: first, exemptGroups: [])).compactMap { setting in
      let found = effective.value(of: setting.name.lowercased())
      return found == setting.value ? nil : (setting.name, found ?? "nothing")
    }
  }

  /// Returns a warning if the settings lock out root, given the other settings that `sshd -T`
  /// prints, or nil.
  package static func warning(inEffective output: String) -> String? {
    guard let root = value(of: "PermitRootLogin", inEffective: output),
      root != "yes", root != "no"
    else { return nil }
    return
      "root can no longer sign in by ssh: PermitRootLogin is \(VisibleText.escaping(root)), and a "
      + "key alone is not enough"
  }

  /// Returns the value that `sshd -T` prints for a keyword.
  package static func value(of keyword: String, inEffective output: String) -> String? {
    SSHDSettings(Array(output.utf8)).value(of: keyword.lowercased())
  }

  /// A setting in one of sshd's files.
  package struct Occurrence: Equatable {
    package let file: String
    package let line: Int
    package let keyword: String
    package let value: String
    /// Whether the setting is in a `Match` block and applies to some sign-ins only.
    let isInMatch: Bool

    package var place: String { "\(VisibleText.escaping(file)):\(line)" }

    /// Whether the value differs from the drop-in's value.
    var contradicts: Bool {
      var name = keyword
      if name == "challengeresponseauthentication" { name = "kbdinteractiveauthentication" }
      return settings.contains { $0.name.lowercased() == name && $0.value != value.lowercased() }
    }
  }

  /// Returns the settings in one of sshd's files, in order.
  static func occurrences(in text: [UInt8], file: String) -> [Occurrence] {
    var found: [Occurrence] = []
    var isInMatch = false
    let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      let words = SSHDFile.words(line)
      guard let keyword = words.first?.lowercased(), !keyword.isEmpty else { continue }
      let value = words.dropFirst().joined(separator: " ")
      // `Match all` ends a conditional block.
      if keyword == "match" { isInMatch = value.lowercased() != "all" }
      found.append(
        Occurrence(
          file: file, line: index + 1, keyword: keyword, value: value, isInMatch: isInMatch)
      )
    }
    return found
  }

  /// Returns the reason why the drop-in would not take effect, or nil.
  ///
  /// `main` is the text of /etc/ssh/sshd_config; `others` are the other files in the drop-in's
  /// folder.
  package static func obstacle(
    main: [UInt8], others: [(path: String, text: [UInt8])]
  ) -> SecureShellObstacle? {
    let top = occurrences(in: main, file: mainPath)
    let patterns = [folder + "/*.conf", "sshd_config.d/*.conf"]
    guard
      let include = top.firstIndex(where: { line in
        line.keyword == "include" && !line.isInMatch
          && line.value.split(separator: " ").contains { patterns.contains(String($0)) }
      })
    else { return .notIncluded }
    if let earlier = top[..<include].first(where: \.contradicts) {
      return .setBefore(earlier, "\(top[include].place) includes \(folder)")
    }
    for file in others where isBefore(file.path) {
      if let earlier = occurrences(in: file.text, file: file.path).first(where: \.contradicts) {
        return .setBefore(earlier, "\(path) does")
      }
    }
    return nil
  }

  /// Returns the settings in `Match` blocks that override the drop-in for some sign-ins.
  package static func exceptions(
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
