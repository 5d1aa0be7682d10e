import Foundation
@testable import MFAAdmin
import MFAAttempt
import MFAModel
import Testing

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

  /// The examples of tenants, without the #.
  static let tenants: [String] = template[firstTenant...].split(separator: "").map { block in
    block.map { $0.dropFirst(2) + "\n" }.joined()
  }

  /// Returns the text of the file after the # is removed from all settings and headers.
  private static let uncommented = template.map { line in
    line.wholeMatch(of: /# ([a-z_]+ = .*|\[tenant .*)/).map { String($0.output.1) } ?? line
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

  @Test func eachTenantIsAcceptedAloneAndAllLinesTogether() throws {
    #expect(Self.tenants.count == 3)
    for tenant in Self.tenants {
      #expect(check(tenant).failures.isEmpty && check(tenant).warnings.isEmpty, "\(tenant)")
      #expect(try parse(tenant).tenants.count == 1)
    }
    #expect(check(Self.uncommented).failures.isEmpty, "\(check(Self.uncommented).failures)")
    let configuration = try parse(Self.uncommented)
    #expect(configuration.tenants.count == 3)
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
        guard text.contains(/(^|\n)\[(project|tenant )/) else { continue }
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
