import Foundation
import MFAAttempt
import MFABase
import MFAModel
import Testing

@testable import MFAAdmin

@Suite struct ConfigurationEditTests {
  static let host = "/etc/mfa/mfa.conf"
  static let dropIn = "/etc/mfa/mfa.conf.d/20-a.conf"

  static func layer(_ path: String, _ text: String) -> ConfigurationEdit.Layer {
    .success(ConfigurationFile.Layer(path: Array(path.utf8), text: Array(text.utf8)))
  }

  struct LineRow {
    let text: String
    var key = "state"
    var tenant: String?
    let expected: String
  }

  static let lineRows = [
    LineRow(text: "", expected: "[project]\nstate = x\n"),
    LineRow(
      text: "# a\n[project]\n  state=on  \n# b\n[tenant t]\nstate = y\n",
      expected: "# a\n[project]\nstate = x\n# b\n[tenant t]\nstate = y\n"),
    LineRow(
      text: "[project]\n# state = on\nissuer = a\n\n\n[tenant t]\nusers = a",
      expected: "[project]\n# state = on\nissuer = a\nstate = x\n\n\n[tenant t]\nusers = a\n"),
    LineRow(
      text: "[project]\nstate = on\n[tenant t]\nusers = a\n", tenant: "t",
      expected: "[project]\nstate = on\n[tenant t]\nusers = a\nstate = x\n"),
    LineRow(
      text: "[project]\nstate = on\n", tenant: "t",
      expected: "[project]\nstate = on\n\n[tenant t]\nstate = x\n"),
    LineRow(
      text: "[project]\nenrolment = a\n", key: "enrollment",
      expected: "[project]\nenrollment = x\n"),
    LineRow(
      text: "[project]\nstate_of = a\n", expected: "[project]\nstate_of = a\nstate = x\n"
    ),
  ]

  @Test("one line is changed or added, and everything else stays", arguments: lineRows)
  func line(row: LineRow) {
    var lines = ConfigurationLines(Array(row.text.utf8))
    lines.set(
      ConfigurationLines.spellings(of: row.key), to: Array("x".utf8),
      tenant: row.tenant.map { Array($0.utf8) })
    #expect(String(decoding: lines.text, as: UTF8.self) == row.expected)
  }

  @Test("a setting is removed from its section, and everything else stays")
  func removal() {
    var lines = ConfigurationLines(
      Array("# a\n[project]\nenrolment = x\n# b\n[tenant t]\nenrolment = y\n".utf8))
    let keys = ConfigurationLines.spellings(of: "enrollment")
    let first = lines.remove(keys, tenant: nil)
    let second = lines.remove(keys, tenant: nil)
    let other = lines.remove(keys, tenant: Array("u".utf8))
    #expect(first && !second && !other)
    #expect(
      String(decoding: lines.text, as: UTF8.self)
        == "# a\n[project]\n# b\n[tenant t]\nenrolment = y\n")
  }

  @Test("the nearest key is named if it is similar")
  func nearest() {
    let rows: [(String, Configuration.Key?)] = [
      ("stat", .state), ("adjacent_interval", .adjacentIntervals),
      ("throtle_after", .throttleAfter),
      ("enrolment", .enrollment), ("zzzzzz", nil), ("", nil),
    ]
    for (name, key) in rows { #expect(Configuration.Key.nearest(to: name) == key, "\(name)") }
  }

  struct Row {
    let layers: [ConfigurationEdit.Layer]
    let text: String
    var path = dropIn
    /// Whether the edit is refused.
    let isRefused: Bool
    /// The paths of the files whose mistakes remain.
    var others: [String] = []
  }

  static let good = layer(host, "[project]\nthrottle_after = 9\n")
  static let broken = layer(host, "[project]\nstate = on\n")
  static let emergency = "[project]\nstate = disabled\n"

  static let rows = [
    Row(layers: [good], text: emergency, isRefused: false),
    Row(layers: [], text: emergency, isRefused: false),
    Row(layers: [good], text: "[project]\nstate = off\n", isRefused: true),
    // A contradiction with another file.
    Row(layers: [good], text: "[project]\ndisable_after = 8\n", isRefused: true),
    // A mistake of another file is reported, and keeps nothing from being written.
    Row(layers: [broken], text: emergency, isRefused: false, others: [host]),
    Row(layers: [broken], text: "[project]\nstate = off\n", isRefused: true),
    // The mistake is corrected.
    Row(layers: [broken], text: emergency, path: host, isRefused: false),
    Row(
      layers: [
        good,
        .failure(
          ConfigurationError(in: Array(dropIn.utf8), .system(.untrusted(.wrongPermissions)))),
      ], text: emergency, isRefused: false),
    Row(
      layers: [
        good,
        .failure(
          ConfigurationError(in: Array((dropIn + "x").utf8), .system(.untrusted(.wrongPermissions)))
        ),
      ], text: emergency, isRefused: false, others: [dropIn + "x"]),
  ]

  @Test(
    "a version with a mistake is refused, and mistakes of other files are reported", arguments: rows
  )
  func edit(row: Row) throws {
    do throws(AdminError) {
      let edit = try ConfigurationEdit(
        Array(row.text.utf8), at: Array(row.path.utf8), over: row.layers)
      #expect(!row.isRefused)
      #expect(edit.otherMistakes.map { String(decoding: $0.path, as: UTF8.self) } == row.others)
    } catch {
      #expect(row.isRefused, "\(error)")
    }
  }

  @Test("a new file is read at its place among the others")
  func order() throws {
    let layers = [
      Self.layer("/usr/lib/mfa/mfa.conf", ""), Self.layer(Self.host, ""),
      Self.layer(Self.dropIn, ""),
    ]
    for (path, expected) in [
      ("/etc/mfa/mfa.conf.d/10.conf", 2), ("/etc/mfa/mfa.conf.d/30.conf", 3), (Self.host, 1),
      (Self.dropIn, 2),
    ] {
      let new = ConfigurationFile.Layer(path: Array(path.utf8), text: [1])
      let all = ConfigurationEdit.replacing(new.path, by: new, in: layers)
      #expect(try all.firstIndex { try $0.get().text == [1] } == expected, "\(path)")
    }
  }

  @Test("a file is named by its name or its path, and nothing else is a file of the configuration")
  func names() {
    let rows: [(String?, String?)] = [
      (nil, Self.host), ("mfa.conf", Self.host), (Self.host, Self.host), ("20-a.conf", Self.dropIn),
      (Self.dropIn, Self.dropIn), ("a", nil), ("", nil), ("/etc/passwd", nil), ("../x.conf", nil),
      (".a.conf", nil), ("/etc/mfa/mfa.conf.d/../x.conf", nil), ("/usr/lib/mfa/mfa.conf", nil),
      ("a b.conf", nil),
    ]
    for (name, path) in rows {
      #expect(
        ConfigurationEdit.path(named: name).map { String(decoding: $0, as: UTF8.self) } == path,
        "\(name ?? "")")
    }
  }

  @Test("the file that decides a key now is changed, and a file that overrides it is named")
  func place() throws {
    let layers = [
      Self.layer("/usr/lib/mfa/mfa.conf", "[project]\nstate = observe\n"),
      Self.layer(Self.host, "[project]\nissuer = a\n"),
      Self.layer(Self.dropIn, "[project]\nissuer = b\n[tenant t]\nusers = x\n"),
    ]
    func place(_ key: String, _ tenant: String? = nil) -> String {
      String(
        decoding: ConfigurationEdit.place(
          of: [key], tenant: tenant.map { Array($0.utf8) }, in: layers), as: UTF8.self)
    }
    #expect(place("state") == Self.host && place("issuer") == Self.dropIn)
    #expect(place("users", "t") == Self.dropIn && place("users") == Self.host)
    let edit = try ConfigurationEdit(
      Array("[project]\nissuer = c\n".utf8), at: Array(Self.host.utf8), over: layers)
    #expect(edit.overriding(["issuer"], tenant: nil, in: layers) == [Array(Self.dropIn.utf8)])
  }
}

/// The texts that are generated from the declarations of the keys, and the examples in texts that
/// are not.
@Suite struct ConfigurationTemplateTests {
  /// A commented setting of the template.
  struct Line: Sendable, CustomTestStringConvertible {
    let key: Configuration.Key
    let text: String
    /// The line above.
    let before: String

    var testDescription: String { text }
    var hasDefault: Bool { key.defaultText != nil }
  }

  static func file(_ path: String) -> String {
    let checkout = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    do {
      return try String(contentsOf: checkout.appending(path: path), encoding: .utf8)
    } catch {
      return "\(error)"
    }
  }

  private static let template = ConfigurationTemplate.text.split(
    separator: "\n", omittingEmptySubsequences: false
  ).map { String($0) }

  /// The position of the first example of a tenant.
  private static let firstTenant =
    template.firstIndex { $0.hasPrefix("# [tenant ") } ?? template.endIndex

  /// The commented settings of `[project]`, without the #.
  static let lines: [Line] = template.indices.prefix(upTo: firstTenant).compactMap { index in
    guard let match = template[index].wholeMatch(of: /# (([a-z_]+) = .*)/) else { return nil }
    guard let key = Configuration.Key.allCases.first(where: { $0.name == match.output.2 }) else {
      return nil
    }
    return Line(key: key, text: String(match.output.1), before: template[index - 1])
  }

  /// The examples of tenants, and of a daemon, without the #.
  static let sections: [String] = template[firstTenant...].split(separator: "").map { block in
    block.map { $0.dropFirst(2) + "\n" }.joined()
  }.filter { $0.hasPrefix("[") }

  /// Returns the text of the file after the # is removed from all settings and headers.
  private static let uncommented = template.map { line in
    line.wholeMatch(of: /# ([a-z_]+ = .*|\[(?:tenant|daemon) .*)/).map { String($0.output.1) }
      ?? line
  }.joined(separator: "\n")

  /// Checks a text as `mfa-admin config check` does.
  private func check(_ text: String) -> ConfigurationCheck {
    var check = ConfigurationCheck()
    check.add(
      .success(ConfigurationFile.Layer(path: Array("/mfa.conf".utf8), text: Array(text.utf8))))
    check.finish()
    return check
  }

  private func parse(_ text: String) throws -> Configuration {
    try Configuration.parse(Array(text.utf8).span)
  }

  // MARK: Committed files

  @Test("mfa.conf is the template; if not, run packaging/key-texts")
  func committedFileIsTheTemplate() {
    #expect(Self.file("packaging/mfa.conf") == ConfigurationTemplate.text)
  }

  @Test(
    "mfa.conf(5) has the generated section; if not, run packaging/key-texts",
    arguments: KeyManual.allCases)
  func manualHasTheGeneratedSection(section: KeyManual) {
    let parts = Self.file("packaging/man/mfa.conf.5").split(separator: section.text)
    #expect(parts.count == 2)
  }

  // MARK: The template

  @Test func templateIsReadAsAnEmptyFile() throws {
    #expect(try parse(ConfigurationTemplate.text) == Configuration.defaults)
  }

  @Test func templateShowsEachKeyOfTheProjectOnceInShortLines() {
    #expect(Self.lines.map { $0.key } == Configuration.Key.allCases.filter { !$0.isSelector })
    for line in Self.template { #expect(line.count <= 100, "\(line)") }
  }

  @Test(arguments: lines)
  func lineSaysWhetherItsValueIsAnExample(line: Line) {
    #expect(line.before.hasSuffix("An example:") == !line.hasDefault)
    #expect(line.before.contains("No default: ") == !line.hasDefault)
  }

  @Test(arguments: lines.filter { $0.hasDefault })
  func lineWithADefaultChangesNothing(line: Line) throws {
    let text = "[project]\n\(line.text)\n"
    #expect(try parse(text).project == Settings.defaults)
    #expect(check(text).warnings.isEmpty)
  }

  @Test func allLinesWithDefaultsChangeNothing() throws {
    let text = "[project]\n" + Self.lines.filter { $0.hasDefault }.map { $0.text + "\n" }.joined()
    #expect(try parse(text).project == Settings.defaults)
    #expect(check(text).warnings.isEmpty)
  }

  /// An example alone changes only its own key. If it needs another key, the description above it
  /// names that key.
  @Test(arguments: lines.filter { !$0.hasDefault })
  func exampleIsAcceptedAloneAndNamesTheKeyThatItNeeds(line: Line) throws {
    let text = "[project]\n\(line.text)\n"
    #expect(check(text).failures.isEmpty)
    let configuration = try parse(text)
    for key in Configuration.Key.allCases where key != line.key {
      #expect(configuration.value(of: key) == Configuration.defaults.value(of: key))
    }
    let summary = line.key.documentation.summary.replacing("\n", with: " ")
    for setting in configuration.unusedSettings {
      #expect(summary.contains("no effect unless `\(setting.needed)` is set"), "\(summary)")
    }
  }

  @Test func allLinesAreAcceptedTogether() throws {
    let text = "[project]\n" + Self.lines.map { $0.text + "\n" }.joined()
    #expect(check(text).failures.isEmpty)
    #expect(try parse(text).value(of: .enrollment) == Array("self-service".utf8))
  }

  @Test func eachSectionIsAcceptedAloneAndAllLinesTogether() throws {
    #expect(Self.sections.count == 4)
    for section in Self.sections {
      #expect(check(section).failures.isEmpty && check(section).warnings.isEmpty, "\(section)")
      let configuration = try parse(section)
      #expect(configuration.tenants.count + configuration.daemons.count == 1)
    }
    #expect(check(Self.uncommented).failures.isEmpty, "\(check(Self.uncommented).failures)")
    let configuration = try parse(Self.uncommented)
    #expect(configuration.tenants.count == 3 && configuration.daemons.count == 1)
    for key in Configuration.Key.allCases where !key.isSelector {
      #expect(configuration.origin(of: key) != nil, "\(key.name)")
    }
  }

  // MARK: Other texts

  @Test func configurationsInTheManualsAreAccepted() {
    var count = 0
    for name in [
      "mfa.conf.5", "pam_mfa.8", "mfa-admin.8", "mfad.8", "mfa-enroll.1", "mfa-migration.7",
      "mfa-operation.7", "mfa-gateway.7",
    ] {
      let manual = Self.file("packaging/man/\(name)").replacing("\\-", with: "-")
      for block in manual.matches(of: /\n\.EX\n([\s\S]*?)\n\.EE\n/) {
        let text = String(block.output.1)
        guard text.contains(/(^|\n)\[(project|tenant |daemon )/) else { continue }
        count += 1
        let check = check(text)
        #expect(check.failures.isEmpty && check.warnings.isEmpty, "\(name): \(text)")
      }
    }
    #expect(count > 0)
  }

  /// Each `key = value` in backticks has a value that the key accepts.
  @Test(arguments: [
    "README.md", "packaging/doc/administration.md", "packaging/doc/recovery.md",
    "packaging/doc/ssh-with-passwords.md", "packaging/doc/ssh-with-keys.md",
    "packaging/doc/ssh-with-keys-or-passwords.md", "packaging/doc/lost-machine.md",
    "packaging/CHANGELOG.md", "packaging/THREATS.md",
  ])
  func settingsInTextsAreAccepted(path: String) throws {
    let settings = Self.file(path).matches(of: /`(?:\[[a-z ]+\] )?([a-z_]+) = ([^`]+)`/)
    if path.hasSuffix("/administration.md") { #expect(!settings.isEmpty) }
    for setting in settings {
      guard
        let key = Configuration.Key.allCases.first(where: {
          $0.spellings.contains(String(setting.output.1))
        })
      else { continue }
      let section = key.isSelector ? "[tenant a]" : "[project]\noffer_until = 2030-12-31"
      let text = "\(section)\n\(setting.output.1) = \(setting.output.2)\n"
      #expect(check(text).failures.isEmpty, "\(path): \(setting.output.0)")
    }
  }
}
