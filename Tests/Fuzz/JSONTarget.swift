import MFAModel
import Foundation

@testable import MFAAdmin

/// Reads JSON and objects as JavaScript programs write them, and the Identity Platform settings in
/// them.
///
/// A value that parses prints back equal, and Foundation reads the same value from the printed text.
/// An object or array of JSON has the same value as an object of JavaScript. A refusal is one
/// printable line. Settings read back equal from their JSON, and the configuration section that they
/// are written to has their values and no others.
enum JSONTarget {
  static func check(_ input: [UInt8]) throws {
    for isTenant in [true, false] { try checkSettings(input, isTenant: isTenant) }
    let value: JSON
    do throws(AdminError) { value = try JSONReader.value(of: input) } catch {
      try requireShowable(Array(error.reason.utf8), "a refusal")
      return try require(error.reason.utf8.count <= 4096 + input.count * 4, "a refusal is too long")
    }
    let text = Array(value.text.utf8)
    try requireShowable(text, allowing: ["\n"] + directions, "the text of a value")
    try require(try JSONReader.value(of: text).text == value.text, "a value reads back differently")
    let object = try JSONSerialization.jsonObject(with: Data(text), options: [.fragmentsAllowed])
    try require(Self.isSame(object, value), "Foundation reads another value")
    switch value {
    case .null, .bool, .number, .string: break
    case .array, .object:
      let rewritten = try JSONReader.value(of: try ObjectLiteral.json(input))
      try require(rewritten.text == value.text, "an object of JavaScript has another value")
    }
  }

  /// Characters that change the writing direction. JSON escapes only control characters in strings,
  /// because it is read by programs.
  private static let directions: [Unicode.Scalar] =
    ((0x200E...0x200F).map { $0 } + (0x2028...0x202E).map { $0 } + (0x2066...0x2069).map { $0 }
    + [0x061C]).compactMap { Unicode.Scalar(UInt32($0)) }

  private static func isSame(_ object: Any, _ value: JSON) -> Bool {
    switch value {
    case .null: return object is NSNull
    case .bool(let bool): return (object as? Bool) == bool
    case .number(let number): return (object as? NSNumber)?.int64Value == number
    case .string(let string):
      return (object as? String).map { Array($0.utf8) } == Array(string.utf8)
    case .array(let values):
      guard let objects = object as? [Any], objects.count == values.count else { return false }
      return zip(objects, values).allSatisfy { isSame($0, $1) }
    case .object(let members):
      guard let objects = object as? [String: Any], objects.count == members.count else {
        return false
      }
      return members.allSatisfy { member in
        objects[member.name].map { isSame($0, member.value) } ?? false
      }
    }
  }

  private static func checkSettings(_ input: [UInt8], isTenant: Bool) throws {
    let settings: IdentityPlatform
    do throws(AdminError) {
      settings = try IdentityPlatform(input, isTenant: isTenant)
    } catch {
      return try requireShowable(Array(error.member.utf8), "a refusal")
    }
    for text in settings.ignored { try requireShowable(Array(text.utf8), "an ignored member") }
    let json = settings.json(isTenant: isTenant)
    let again = try IdentityPlatform(Array(json.text.utf8), isTenant: isTenant)
    try require(
      again.isEnabled == settings.isEnabled && again.form == settings.form
        && again.adjacentIntervals == settings.adjacentIntervals
        && again.isPhoneEnabled == settings.isPhoneEnabled && again.regions == settings.regions
        && again.testNumbers == settings.testNumbers, "settings read back differently")
    let tenant = isTenant ? Array("t".utf8) : nil
    let users = isTenant ? Array("users = alice\n".utf8) : []
    let section = settings.section(tenant: tenant)
    let configuration = try Configuration.parse((section + users).span)
    try checkValues(of: settings, in: configuration)
  }

  /// Throws if a section sets other values than those of the settings.
  private static func checkValues(
    of settings: IdentityPlatform, in configuration: Configuration
  ) throws {
    let factors = settings.types(over: .none).map(\.name)
    let expected: [Configuration.Key: [String]] = [
      .state: [factors.isEmpty ? "disabled" : "enabled"],
      .adjacentIntervals: settings.change.adjacentIntervals.map { ["\($0)"] } ?? [],
      .factors: factors,
      .regions: settings.regions ?? [], .phoneTestNumbers: settings.testNumbers ?? [],
    ]
    let tenant = configuration.tenants.first
    for key in Configuration.Key.allCases where key != .users {
      guard configuration.origin(of: key, in: tenant) != nil else {
        try require(expected[key]?.isEmpty != false, "a value of the settings is not set")
        continue
      }
      let value = configuration.value(of: key, in: tenant) ?? []
      try require(
        String(decoding: value, as: UTF8.self) == expected[key]?.joined(separator: ", "),
        "a section sets another value")
    }
  }
}
