import MFABytes
import MFAConfiguration

/// The file /etc/mfa/verifier.conf.
///
///     database = host=/run/postgresql dbname=mfa user=mfa
///     front_user = mfa-fleet
///
///     [hosts web]
///     users = alice bob
///     services = sshd sudo
///     enrolling = on
///     failures_hourly = 50
///
/// MUST 1: an unknown, repeated or malformed part is an error that names its line.
/// (`DecisionConfigurationTests.refused`)
struct DecisionConfiguration: Equatable, Sendable {
  /// The connection string of the database.
  var database: [UInt8] = []
  /// The user of the network front.
  var frontUser = Array("mfa-fleet".utf8)
  /// The most processes that serve connections, each with a connection to the database.
  var processes = 64
  /// The groups of hosts.
  var groups: [HostGroup] = []

  /// Why a file was refused.
  struct Refusal: Error, Equatable {
    /// The number of the line, counted from 1.
    let line: Int
    let reason: Reason
  }

  /// The raw values are the messages.
  enum Reason: String, CaseIterable {
    case notASetting = "not a setting of the form key = value"
    case unknownKey = "unknown key"
    case repeatedKey = "the key is set twice in this section"
    case unknownSection = "unknown section; only [hosts NAME] is possible"
    case repeatedGroup = "the section exists already"
    case badValue = "the value is not possible for this key"
    case noDatabase = "the key database is missing"
  }

  init() {}

  /// The path of the file.
  static let path = "/etc/mfa/verifier.conf"
  /// The maximum length of the file in bytes.
  private static let longest = 65_536

  /// Reads the file of this verifier.
  static func installed() throws(RealmError) -> DecisionConfiguration {
    let text: [UInt8]
    do throws(ConfigurationFile.Failure) {
      text = try ConfigurationFile.text(Array(path.utf8))
    } catch {
      throw RealmError(
        "cannot read \(path): \(error.reason)", hint: "only root may be able to write to the file")
    }
    guard text.count <= longest else {
      throw RealmError("\(path) has more than \(longest) bytes")
    }
    do throws(Refusal) { return try DecisionConfiguration(text) } catch {
      throw RealmError("\(path):\(error.line): \(error.reason.rawValue)")
    }
  }

  /// Parses the text of a file.
  init(_ text: [UInt8]) throws(Refusal) {
    var seen: Set<[UInt8]> = []
    var number = 0
    let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for part in lines {
      number += 1
      let line = Self.trimmed(part)
      if line.isEmpty || line.first == UInt8(ascii: "#") { continue }
      if line.first == UInt8(ascii: "[") {
        try begin(line, number)
        seen = []
        continue
      }
      guard let equals = line.firstIndex(of: UInt8(ascii: "=")) else {
        throw Refusal(line: number, reason: .notASetting)
      }
      let key = Array(Self.trimmed(line[..<equals]))
      guard seen.insert(key).inserted else { throw Refusal(line: number, reason: .repeatedKey) }
      let reason = set(key, to: Array(Self.trimmed(line[(equals + 1)...])))
      if let reason { throw Refusal(line: number, reason: reason) }
    }
    guard !database.isEmpty else { throw Refusal(line: number, reason: .noDatabase) }
  }

  /// Begins the section `[hosts NAME]`.
  private mutating func begin(_ line: ArraySlice<UInt8>, _ number: Int) throws(Refusal) {
    let words = line.dropFirst().dropLast().split(separator: UInt8(ascii: " "))
    guard line.last == UInt8(ascii: "]"), words.count == 2, words[0].elementsEqual("hosts".utf8)
    else { throw Refusal(line: number, reason: .unknownSection) }
    let name = Array(words[1])
    guard !groups.contains(where: { $0.name == name }) else {
      throw Refusal(line: number, reason: .repeatedGroup)
    }
    groups.append(HostGroup(name: name))
  }

  /// Sets a key of the section that is being read. Returns why that is not possible.
  private mutating func set(_ key: [UInt8], to value: [UInt8]) -> Reason? {
    guard !value.isEmpty else { return .badValue }
    guard var group = groups.popLast() else { return setGlobal(key, to: value) }
    defer { groups.append(group) }
    let words = value.split(separator: UInt8(ascii: " ")).map { Array($0) }
    switch String(decoding: key, as: UTF8.self) {
    case "users": group.users = words == [Array("*".utf8)] ? nil : words
    case "services": group.services = words == [Array("*".utf8)] ? nil : words
    case "enrolling":
      guard let isOn = Self.isOn(words) else { return .badValue }
      group.mayEnroll = isOn
    case "administering":
      guard let isOn = Self.isOn(words) else { return .badValue }
      group.mayAdminister = isOn
    case "failures_hourly":
      guard let number = UInt32(String(decoding: value, as: UTF8.self)), number <= 10_000 else {
        return .badValue
      }
      group.failuresHourly = number
    default: return .unknownKey
    }
    return nil
  }

  /// Returns whether a value is `on`, or nil if it is neither `on` nor `off`.
  private static func isOn(_ words: [[UInt8]]) -> Bool? {
    switch words {
    case [Array("on".utf8)]: true
    case [Array("off".utf8)]: false
    case _: nil
    }
  }

  private mutating func setGlobal(_ key: [UInt8], to value: [UInt8]) -> Reason? {
    switch String(decoding: key, as: UTF8.self) {
    case "database": database = value
    case "front_user": frontUser = value
    case "processes":
      guard let number = Int(String(decoding: value, as: UTF8.self)), (2...256).contains(number)
      else { return .badValue }
      processes = number
    default: return .unknownKey
    }
    return nil
  }

  private static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let isBlank = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
    let begin = text.drop(while: isBlank)
    guard let last = begin.lastIndex(where: { !isBlank($0) }) else { return [] }
    return begin[...last]
  }

  /// Returns what a host with these groups may ask.
  func permissions(of names: [[UInt8]]) -> HostPermissions {
    HostPermissions(groups.filter { names.contains($0.name) })
  }
}
