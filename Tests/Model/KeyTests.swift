import Foundation
@testable import MFAModel
import Testing

/// Checks the declarations of the keys, and the texts for administrators that describe them.
@Suite struct KeyTests {
  typealias Key = Configuration.Key

  private static let manual = file("packaging/man/mfa.conf.5")
  private static let example = file("packaging/mfa.conf")

  private static func file(_ path: String) -> String {
    let checkout = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    do {
      return try String(contentsOf: checkout.appending(path: path), encoding: .utf8)
    } catch {
      return "\(error)"
    }
  }

  /// Both spellings of the name of a key, or its name alone.
  private static func names(_ key: Key) -> [String] {
    [key.declaration.name, key.declaration.otherSpelling].map { "\($0)" }.filter { !$0.isEmpty }
  }

  private static func printedDefault(_ key: Key) -> String? {
    KeyValues.defaults.printed(key).map(readable)
  }

  @Test func namesAreUniqueAndInLowerCase() {
    let names = Key.allCases.flatMap(Self.names)
    #expect(Set(names).count == names.count)
    for name in names {
      #expect(name.wholeMatch(of: /[a-z]+(_[a-z]+)*/) != nil, "\(name)")
    }
  }

  @Test(arguments: Key.allCases)
  func nameIsFoundFromEachKey(key: Key) {
    for name in Self.names(key) {
      for first in Key.allCases {
        #expect(Key(named: Array(name.utf8).span, from: first) == key)
      }
    }
  }

  @Test(arguments: ["", "x", "stat", "states", "State"])
  func otherNameIsNotFound(name: String) {
    for first in Key.allCases { #expect(Key(named: Array(name.utf8).span, from: first) == nil) }
  }

  @Test(arguments: Key.allCases)
  func defaultIsAcceptedAndPrintedBack(key: Key) throws {
    guard let text = Self.printedDefault(key) else { return }
    let declaration = key.declaration
    #expect(
      try declaration.type.parse(Array(text.utf8).span, of: key) == declaration.defaultValue)
  }

  /// A key without a default is a selector, or its absence has a meaning of its own.
  @Test func keysWithoutDefaultAreKnown() {
    let keys = Key.allCases.filter { Self.printedDefault($0) == nil }
    #expect(
      keys == [
        .users, .groups, .services, .networks, .user, .issuer, .offerUntil, .prompt,
        .rememberServices, .programPasswords,
        .gateway, .regions, .phoneTestNumbers,
      ])
  }

  /// After a failed lookup, the settings of a tenant apply only if they are stricter, so each key
  /// has to declare which value that is. Only numbers can be compared. No language and no prompt is
  /// stricter than another.
  @Test(arguments: Key.allCases)
  func stricterValueIsDeclaredForSettingsOfTenants(key: Key) {
    let declaration = key.declaration
    let hasStricterValue = declaration.scope == .everySection && key != .language && key != .prompt
    #expect((declaration.stricter != .neither) == hasStricterValue)
    if declaration.type.isList {
      #expect([.neither, .rememberingNothing, .noService].contains(declaration.stricter))
    }
  }

  @Test(arguments: [
    (Configuration.State.observe, Configuration.State.disabled),
    (.enabled, .disabled), (.enabled, .observe),
  ])
  func strictestStateAppliesAfterAFailedLookup(
    strict: Configuration.State, lenient: Configuration.State
  ) throws {
    for (first, second) in [(strict, lenient), (lenient, strict)] {
      let configuration = try parse(
        "[project]\nstate = \(first.name)\n[tenant a]\ngroups = x\nstate = \(second.name)\n")
      let subject = Subject(user: [0x61], service: [0x62], address: nil) { _ in nil }
      #expect(configuration.settings(for: subject).state == strict)
    }
  }

  // MARK: Texts for administrators

  @Test(arguments: Key.allCases)
  func documentationExplainsEachWordOrNone(key: Key) {
    let type = key.declaration.type
    let words = (0..<16).compactMap { type.word($0) }
    let explained = key.documentation.words.map { $0.name }
    switch type {
    case .state, .enrollment, .language, .factors: #expect(Set(explained) == Set(words))
    default: #expect(explained.isEmpty)
    }
    #expect(Set(explained).count == explained.count)
  }

  @Test(arguments: Key.allCases)
  func keyWithoutDefaultHasAnExample(key: Key) throws {
    let documentation = key.documentation
    #expect((documentation.example == nil) == (key.defaultText != nil))
    #expect((documentation.absence == nil) == (key.defaultText != nil))
    guard let example = documentation.example else { return }
    let value = try key.declaration.type.parse(Array(example.utf8).span, of: key)
    #expect(key.declaration.type.printed(value).map(readable) == example)
  }

  /// The paragraphs of the manual that begin with the name of a key: the tag, and the next line.
  private static let paragraphs: [(tag: String, value: String)] = {
    let lines = manual.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
    return lines.indices.dropFirst().dropLast().filter {
      lines[$0 - 1] == ".TP" && lines[$0 + 1].hasPrefix("Value: ")
    }.map { (lines[$0], lines[$0 + 1]) }
  }()

  @Test func manualDescribesEachKeyInTheirOrder() {
    let keys = Key.allCases.filter { !$0.isSelector } + Key.allCases.filter { $0.isSelector }
    let tags = keys.map { key in
      let names = Self.names(key)
      return names.count == 1 ? ".B \(names[0])" : ".BR " + names.joined(separator: " \" or \" ")
    }
    #expect(Self.paragraphs.map { $0.tag } == tags)
    let values = keys.map { key in
      let value = "Value: \(key.allowedValues)."
      guard !key.isSelector else { return value }
      return value + (Self.printedDefault(key).map { " Default: \($0)." } ?? " No default.")
    }
    #expect(Self.paragraphs.map { $0.value } == values)
  }

  @Test func exampleListsEachSettingWithItsDefault() {
    let lines = Self.example.split(separator: "\n").map { String($0) }
    for key in Key.allCases where !key.isSelector {
      let prefix = "# \(key.name) = "
      let line = lines.first { $0.hasPrefix(prefix) }
      #expect(line != nil, "\(key.name)")
      guard let value = Self.printedDefault(key) else { continue }
      #expect(line == prefix + value)
    }
  }
}
