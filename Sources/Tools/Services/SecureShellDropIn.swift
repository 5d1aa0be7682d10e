import MFAAdmin
import MFABase
import MFADoctor
import MFAModel

/// The sshd drop-in file with the settings for a password or key followed by a code.
package struct SecureShellDropIn {
  /// The path of the drop-in. sshd uses the first value it reads, and reads the files in the order
  /// of their names.
  package static let path = "\(InstalledPath.sshdDropIns)/00-mfa.conf"
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

  /// The line that gives users time to enrol in a sign-in. sshd allows two minutes by default.
  static let timeToEnrol = "LoginGraceTime 600"

  /// Returns the lines that policy needs: with the default time of sshd, an enrolment that is required in a sign-in
  /// would not end.
  static func policyLines(on host: any ExaminedHost) -> [String] {
    do throws(ConfigurationError) {
      guard try host.configuration(at: nil).mayRequireEnrollment(at: Array("sshd".utf8)) else {
        return []
      }
    } catch {
      // `enable` refuses such a configuration.
      return []
    }
    let seconds = SSHDSettings.inForce(on: host)?.value(of: "logingracetime").flatMap { Int($0) }
    return seconds.map { (1..<300).contains($0) } ?? false ? [timeToEnrol] : []
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
    return Set((all + [timeToEnrol]).compactMap { $0.split(separator: " ").first?.lowercased() })
  }

  /// Returns whether a line is a `Match` line.
  static func isMatch(_ line: [UInt8]) -> Bool {
    String(decoding: line, as: UTF8.self).split(whereSeparator: \.isWhitespace).first?
      .lowercased() == "match"
  }

  /// Returns whether the file can contain a line between the marks.
  static func isKnown(_ line: [UInt8]) -> Bool {
    SecureShellFactors.isExemption(line) || line == Array(timeToEnrol.utf8)
      || SecureShellFactors.First.allCases.contains { first in
        lines(SecureShellFactors(first: first, exemptGroups: [])).contains {
          Array($0.utf8) == line
        }
      }
  }

  /// Returns the contents of the file. `policyLines` precede all others: what follows a `Match` line is conditional.
  package static func text(
    service: [UInt8], _ factors: SecureShellFactors = .usual, policyLines: [String] = []
  ) -> [UInt8] {
    MarkedText(service: service).block(policyLines + lines(factors))
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
    inEffective effective: SSHDSettings, expecting first: SecureShellFactors.First = .password
  ) -> [(name: String, found: String)] {
    settings(SecureShellFactors(first: first, exemptGroups: [])).compactMap { setting in
      let found = effective.value(of: setting.name.lowercased())
      return found == setting.value ? nil : (setting.name, found ?? "nothing")
    }
  }

  /// Returns a warning if the settings lock out root, given the other settings that `sshd -T`
  /// prints, or nil.
  static func warning(inEffective effective: SSHDSettings) -> String? {
    guard let root = effective.value(of: "permitrootlogin"), root != "yes", root != "no" else {
      return nil
    }
    return
      "root can no longer sign in by ssh: PermitRootLogin is \(VisibleText.escaping(root)), and a "
      + "key alone is not enough"
  }

  /// Returns that warning for the settings that are in force now: the drop-in does not change them.
  package static func warning(on host: any ExaminedHost) -> String? {
    SSHDSettings.inForce(on: host).flatMap { warning(inEffective: $0) }
  }

  /// Returns the reason why the drop-in would not take effect, or nil.
  static func obstacle(in file: SSHDFile) -> AdminError? {
    let patterns = [folder + "/*.conf", "sshd_config.d/*.conf"]
    guard
      let include = file.includes.first(where: { include in
        include.file == SSHDFile.path && !file.isConditional(include.match)
          && include.patterns.contains { patterns.contains($0) }
      })
    else { return SecureShellObstacle.notIncluded }
    // sshd -T shows what files set that are included before.
    let earlier = file.lines[..<include.position].first { line in
      line.file == SSHDFile.path && contradicts(line)
    }
    if let earlier {
      return SecureShellObstacle.setBefore(earlier, "\(include.place) includes \(folder)")
    }
    let before = file.lines[include.position...].first { line in
      line.file.hasPrefix(folder + "/") && Self.isBefore(line.file) && contradicts(line)
    }
    return before.map { SecureShellObstacle.setBefore($0, "\(path) does") }
  }

  /// Returns the settings in `Match` blocks that override the drop-in for some sign-ins.
  static func exceptions(in file: SSHDFile) -> [SSHDFile.Line] {
    file.lines.filter { line in
      line.file != path && file.isConditional(line.match) && contradicts(line)
    }
  }

  /// Returns whether a line sets a value that differs from the drop-in's value.
  private static func contradicts(_ line: SSHDFile.Line) -> Bool {
    settings.contains { setting in
      setting.name.lowercased() == line.name && setting.value != line.value.lowercased()
    }
  }

  private static func isBefore(_ other: String) -> Bool {
    Array(other.utf8).lexicographicallyPrecedes(Array(path.utf8))
  }
}
