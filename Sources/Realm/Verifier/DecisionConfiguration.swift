import MFAModel
import MFABase
import MFAAttempt
import MFARealmStore
import MFARealm

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
///     offline = recovery allow
///     break_glass = admins
///
///     [users admins]
///     members = alice
///
///     [users contractors]
///     members = carol
///     offline = deny
///
/// MUST 1: an unknown, repeated or malformed part is an error that names its line.
/// (`DecisionConfigurationTests.refused`)
struct DecisionConfiguration: Equatable, Sendable {
  /// What the realm is kept in.
  var engine = EngineName.postgreSQL
  /// The connection string of the database; empty for another engine.
  var database: [UInt8] = []
  /// The cluster; without endpoints for another engine.
  var etcd = EtcdConfiguration(endpoints: [])
  /// The user of the network front.
  var frontUser = Array("mfa-fleet".utf8)
  /// The most processes that serve connections, each with a connection to the database.
  var processes = 64
  /// The groups of hosts.
  var groups: [HostGroup] = []
  /// The groups of users, by name.
  var users: [[UInt8]: UserGroup] = [:]

  /// The section that is being read.
  private enum Section: Equatable {
    case global
    case hosts
    case users([UInt8])
  }
  private var section = Section.global

  /// What a realm is kept in. The raw values are those of the key `engine`.
  enum EngineName: String, CaseIterable {
    case postgreSQL = "postgresql"
    case etcd
  }

  /// Why a line, or the whole file, is refused. The raw values are the messages.
  enum Reason: String, CaseIterable {
    case notASetting = "not a setting of the form key = value"
    case unknownKey = "unknown key"
    case repeatedKey = "the key is set twice in this section"
    case unknownSection = "unknown section; only [hosts NAME] and [users NAME] are possible"
    case repeatedGroup = "the section exists already"
    case badValue = "the value is not possible for this key"
    case noDatabase = "the key database is missing"
    case noEndpoints = "the key endpoints is missing"
    case otherEngine = "the file has keys of an engine that the key engine does not name"
    case halfOfAPair = "certificate and key belong together"
    case noAuthority = "endpoints with https need the key authority"
    case mixedEndpoints = "endpoints are either all https or all http"
    case noBreakGlass =
      "offline = allow requires break_glass with the name of a section [users NAME]"

    /// The error about a line, whose number is counted from 1.
    func error(_ line: Int) -> RealmError { RealmError("\(path):\(line): \(rawValue)") }
  }

  init() {}

  /// The path of the file.
  static let path = "/etc/mfa/verifier.conf"
  /// The maximum length of the file in bytes.
  private static let longest = 65_536

  /// Reads the file of this verifier.
  static func installed() throws(RealmError) -> DecisionConfiguration {
    let text: [UInt8]
    do throws(ConfigurationError) {
      text = try ConfigurationFile.text(Array(path.utf8))
    } catch {
      throw RealmError(
        "cannot read \(path): \(error.reason)", hint: "only root may be able to write to the file")
    }
    guard text.count <= longest else {
      throw RealmError("\(path) has more than \(longest) bytes")
    }
    return try DecisionConfiguration(text)
  }

  /// Parses the text of a file.
  init(_ text: [UInt8]) throws(RealmError) {
    var seen: Set<[UInt8]> = []
    let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      if let reason = read(Self.trimmed(line), &seen) { throw reason.error(index + 1) }
    }
    let hasBreakGlass = groups.allSatisfy { group in
      group.breakGlass.map { users[$0] != nil } ?? !group.offline.contains(.breakGlass)
    }
    if let reason = missing ?? (hasBreakGlass ? nil : .noBreakGlass) {
      throw reason.error(lines.count)
    }
    section = .global
  }

  /// Reads a line. Returns why it is refused.
  private mutating func read(
    _ line: ArraySlice<UInt8>, _ seen: inout Set<[UInt8]>
  ) -> Reason? {
    if line.isEmpty || line.first == UInt8(ascii: "#") { return nil }
    if line.first == UInt8(ascii: "[") {
      seen = []
      return begin(line)
    }
    guard let equals = line.firstIndex(of: UInt8(ascii: "=")) else { return .notASetting }
    let key = Array(Self.trimmed(line[..<equals]))
    guard seen.insert(key).inserted else { return .repeatedKey }
    return set(key, to: Array(Self.trimmed(line[(equals + 1)...])))
  }

  /// Why the engine cannot be used with the keys of the whole file.
  private var missing: Reason? {
    switch engine {
    case .postgreSQL:
      if database.isEmpty { return .noDatabase }
      return etcd == EtcdConfiguration(endpoints: []) ? nil : .otherEngine
    case .etcd:
      if !database.isEmpty { return .otherEngine }
      if etcd.endpoints.isEmpty { return .noEndpoints }
      if (etcd.certificate == nil) != (etcd.key == nil) { return .halfOfAPair }
      if etcd.isEncrypted { return etcd.authority == nil ? .noAuthority : nil }
      let isPlain = etcd.endpoints.allSatisfy { $0.hasPrefix("http://") }
      return isPlain && etcd.authority == nil && etcd.certificate == nil ? nil : .mixedEndpoints
    }
  }

  /// Begins the section `[hosts NAME]` or `[users NAME]`. Returns why that is not possible.
  private mutating func begin(_ line: ArraySlice<UInt8>) -> Reason? {
    guard line.last == UInt8(ascii: "]"),
      let words = Self.words(Array(line.dropFirst().dropLast())), words.count == 2
    else { return .unknownSection }
    let name = words[1]
    switch String(decoding: words[0], as: UTF8.self) {
    case "users":
      guard users[name] == nil else { return .repeatedGroup }
      users[name] = UserGroup()
      section = .users(name)
    case "hosts":
      section = .hosts
      guard !groups.contains(where: { $0.name == name }) else { return .repeatedGroup }
      groups.append(HostGroup(name: name))
    default: return .unknownSection
    }
    return nil
  }

  /// Sets a key of the section that is being read. Returns why that is not possible.
  private mutating func set(_ key: [UInt8], to value: [UInt8]) -> Reason? {
    guard !value.isEmpty else { return .badValue }
    let key = String(decoding: key, as: UTF8.self)
    if section == .global { return setGlobal(key, to: value) }
    guard let words = Self.words(value) else { return .badValue }
    if case .users(let name) = section {
      guard var group = users[name] else { return .unknownKey }
      defer { users[name] = group }
      switch key {
      case "members": group.members = words
      case "offline": return Self.set(&group.offline, to: Self.methods(words))
      default: return .unknownKey
      }
      return nil
    }
    guard var group = groups.popLast() else { return .unknownKey }
    defer { groups.append(group) }
    switch key {
    case "users": group.users = words == [Array("*".utf8)] ? nil : words
    case "services": group.services = words == [Array("*".utf8)] ? nil : words
    case "enrolling": return Self.set(&group.mayEnroll, to: Self.isOn(words))
    case "administering": return Self.set(&group.mayAdminister, to: Self.isOn(words))
    case "importing": return Self.set(&group.mayImport, to: Self.isOn(words))
    case "failures_hourly":
      return Self.set(&group.failuresHourly, to: Self.number(value, in: 0...10_000))
    case "offline": return Self.set(&group.offline, to: Self.methods(words))
    case "offline_days": return Self.set(&group.offlineDays, to: Self.number(value, in: 1...90))
    case "offline_hours": return Self.set(&group.offlineHours, to: Self.number(value, in: 1...168))
    case "offline_records_hourly":
      return Self.set(&group.offlineRecordsHourly, to: Self.number(value, in: 1...10_000))
    case "break_glass":
      guard words.count == 1 else { return .badValue }
      group.breakGlass = words[0]
    default: return .unknownKey
    }
    return nil
  }

  /// Sets a field to the value of a key, or returns that the value is not possible.
  private static func set<Value>(_ field: inout Value, to value: Value?) -> Reason? {
    guard let value else { return .badValue }
    field = value
    return nil
  }

  private static func number<Number: FixedWidthInteger>(
    _ text: [UInt8], in range: ClosedRange<Number>
  ) -> Number? {
    Number(String(decoding: text, as: UTF8.self)).flatMap { range.contains($0) ? $0 : nil }
  }

  /// Returns the words of a text, without the quotes of those in quotes, or nil if a quote is misplaced.
  private static func words(_ text: [UInt8]) -> [[UInt8]]? {
    QuotedList.elements(of: text, separatedBy: UInt8(ascii: " "))?.map(\.text)
  }

  /// Returns whether a value is `on`, or nil if it is neither `on` nor `off`.
  private static func isOn(_ words: [[UInt8]]) -> Bool? {
    switch words {
    case [Array("on".utf8)]: true
    case [Array("off".utf8)]: false
    case _: nil
    }
  }

  /// Returns the methods with these names, or nil if one is unknown or repeated, or if `deny` is not alone.
  private static func methods(_ words: [[UInt8]]) -> OfflineMethods? {
    if words == [Array("deny".utf8)] { return [] }
    var methods: OfflineMethods = []
    for word in words {
      let method: OfflineMethods
      switch String(decoding: word, as: UTF8.self) {
      case "recovery": method = .recovery
      case "remembered": method = .remembered
      case "allow": method = .breakGlass
      default: return nil
      }
      guard !methods.contains(method) else { return nil }
      methods.formUnion(method)
    }
    return methods
  }

  private mutating func setGlobal(_ key: String, to value: [UInt8]) -> Reason? {
    let text = String(decoding: value, as: UTF8.self)
    if ["certificate", "key", "authority", "prefix"].contains(key), !text.hasPrefix("/") {
      return .badValue
    }
    switch key {
    case "engine": return Self.set(&engine, to: EngineName(rawValue: text))
    case "database": database = value
    case "endpoints":
      etcd.endpoints = text.split(separator: " ").map(String.init)
      guard etcd.endpoints.allSatisfy(Self.isEndpoint) else { return .badValue }
    case "certificate": etcd.certificate = text
    case "key": etcd.key = text
    case "authority": etcd.authority = text
    case "prefix":
      guard value.count <= EtcdConfiguration.longestPrefix else { return .badValue }
      etcd.prefix = value
    case "front_user": frontUser = value
    case "processes": return Self.set(&processes, to: Self.number(value, in: 2...256))
    default: return .unknownKey
    }
    return nil
  }

  /// Whether a text is `https://` or `http://`, with an address or a name, and a port.
  private static func isEndpoint(_ text: String) -> Bool {
    for scheme in ["https://", "http://"] where text.hasPrefix(scheme) {
      let place = text.dropFirst(scheme.count)
      guard let colon = place.lastIndex(of: ":"), colon != place.startIndex else { return false }
      let host = place[..<colon]
      return UInt16(place[place.index(after: colon)...]) != nil
        && host.utf8.allSatisfy { byte in
          Unicode.Scalar(byte).properties.isAlphabetic || "0123456789.-:[]".utf8.contains(byte)
        }
    }
    return false
  }

  private static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let isBlank = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
    let begin = text.drop(while: isBlank)
    guard let last = begin.lastIndex(where: { !isBlank($0) }) else { return [] }
    return begin[...last]
  }

  /// Returns how a user may sign in at hosts of a group while no verifier answers: as the group of hosts permits, and
  /// as each group of users to which the user belongs permits.
  func offlineMethods(of user: [UInt8], at group: HostGroup) -> OfflineMethods {
    var methods = group.offline
    for each in users.values where each.members.contains(user) {
      methods.formIntersection(each.offline)
    }
    let breakGlass = group.breakGlass.flatMap { users[$0] }
    if breakGlass?.members.contains(user) != true { methods.remove(.breakGlass) }
    return methods
  }

  /// Returns what a host with these groups may ask.
  func permissions(of names: [[UInt8]]) -> HostPermissions {
    HostPermissions(groups.filter { names.contains($0.name) })
  }
}
