import MFABase
import MFAModel

/// The list of what this host has imported into its realm, a JSON file that only root can read or write. It has no
/// secret.
///
/// MUST 1: a file that is not exactly of this form is refused, because what it does not say would be imported again.
/// (`ImportedUsersTests.refused`)
struct ImportedUsers: Equatable {
  /// The checkpoint of the first entry in the audit log of the realm.
  let realm: String
  /// The users.
  private(set) var users: [ImportedUser] = []

  /// Creates an empty list.
  init(realm: String) { self.realm = realm }

  /// What the list has about a user. A user about whom it has nothing is not written.
  subscript(_ name: [UInt8]) -> ImportedUser {
    get { users.first { $0.name == name } ?? ImportedUser(name: name) }
    set {
      users.removeAll { $0.name == name }
      if newValue != ImportedUser(name: name) { users.append(newValue) }
    }
  }

  // MARK: The file

  /// The contents of the file.
  var text: String {
    JSON.object([
      ("version", .number(1)), ("realm", .string(realm)), ("users", .array(users.map(\.json))),
    ]).text + "\n"
  }

  /// Reads the contents of the file. Returns nil if they are not such a list.
  init?(_ text: [UInt8]) {
    let json: JSON
    do throws(JSONReader.Refusal) { json = try JSONReader.value(of: text) } catch { return nil }
    guard let members = json.members, members["version"] == .number(1),
      case .string(let realm)? = members["realm"], case .array(let values)? = members["users"]
    else { return nil }
    self.realm = realm
    for value in values {
      guard let user = ImportedUser(value), !users.contains(where: { $0.name == user.name }) else {
        return nil
      }
      users.append(user)
    }
  }
}

extension JSON {
  /// The members of an object by their names, or nil if this is no object.
  fileprivate var members: [String: JSON]? {
    guard case .object(let members) = self else { return nil }
    return Dictionary(members.map { ($0.name, $0.value) }) { first, _ in first }
  }

  /// The bytes that a string has as hexadecimal digits, or nil.
  fileprivate func bytes(count: Int? = nil) -> [UInt8]? {
    guard case .string(let text) = self else { return nil }
    let digits = Array(text.utf8)
    return Hexadecimal.bytes(of: digits, count: count ?? digits.count / 2)
  }

  fileprivate init(hexadecimal bytes: [UInt8]) {
    self = .string(String(decoding: Hexadecimal.text(of: bytes), as: UTF8.self))
  }
}

extension ImportedUser.Origin {
  fileprivate var json: JSON {
    switch self {
    case .host(let mark?): JSON(hexadecimal: mark)
    case .host(nil): .string("unknown")
    case .realm: .string("realm")
    }
  }

  fileprivate init?(_ json: JSON?) {
    switch json {
    case .string("unknown"): self = .host(mark: nil)
    case .string("realm"): self = .realm
    case let json?:
      guard let mark = json.bytes() else { return nil }
      self = .host(mark: mark)
    case nil: return nil
    }
  }
}

extension ImportedUser.KnownFactor {
  fileprivate var json: JSON {
    .object([("id", JSON(hexadecimal: id.bytes)), ("origin", origin.json)])
  }

  /// Returns the factors in an array, or nil if it is malformed.
  fileprivate static func all(_ json: JSON?) -> [Self]? {
    guard case .array(let values)? = json else { return nil }
    var factors: [Self] = []
    for value in values {
      guard let factor = value.members,
        let id = factor["id"]?.bytes(count: FactorID.length).flatMap({ FactorID(bytes: $0) }),
        let origin = ImportedUser.Origin(factor["origin"])
      else { return nil }
      factors.append(Self(id: id, origin: origin))
    }
    return factors
  }
}

extension ImportedUser {
  /// An origin that can be null.
  fileprivate struct OptionalOrigin {
    let value: Origin?

    init?(_ json: JSON?) {
      guard json != .null else {
        value = nil
        return
      }
      guard let origin = Origin(json) else { return nil }
      value = origin
    }
  }

  fileprivate var json: JSON {
    .object([
      ("user", .string(String(decoding: Hexadecimal.text(of: name), as: UTF8.self))),
      ("name", .string(VisibleText.escaping(name))),
      ("factors", .array(factors.map(\.json))), ("recoveryCodes", recoveryCodes?.json ?? .null),
      ("failures", failures.map { .number(Int64($0.failures)) } ?? .null),
      ("lastFailure", failures.map { .number($0.last) } ?? .null),
      ("pending", pending?.json ?? .null),
    ])
  }

  fileprivate init?(_ json: JSON) {
    guard let members = json.members, let name = members["user"]?.bytes(),
      let factors = KnownFactor.all(members["factors"]),
      let recoveryCodes = OptionalOrigin(members["recoveryCodes"])
    else { return nil }
    self.init(name: name)
    self.factors = factors
    self.recoveryCodes = recoveryCodes.value
    switch (members["failures"], members["lastFailure"]) {
    case (.null, .null): break
    case (.number(let count)?, .number(let last)?):
      guard let count = UInt32(exactly: count) else { return nil }
      failures = FailureCount(failures: count, last: last)
    case _: return nil
    }
    switch members["pending"] {
    case .null: break
    case let json:
      guard let pending = Pending(json) else { return nil }
      self.pending = pending
    }
  }
}

extension ImportedUser.Pending {
  fileprivate var json: JSON {
    .object([
      ("import", JSON(hexadecimal: number)), ("after", .number(Int64(after))),
      ("factors", .array(factors.map(\.json))), ("recoveryCodes", recoveryCodes?.json ?? .null),
      ("failures", .number(Int64(failures.failures))), ("lastFailure", .number(failures.last)),
    ])
  }

  fileprivate init?(_ json: JSON?) {
    guard let members = json?.members, let number = members["import"]?.bytes(),
      case .number(let after)? = members["after"], let after = UInt32(exactly: after),
      let factors = ImportedUser.KnownFactor.all(members["factors"]),
      let recoveryCodes = ImportedUser.OptionalOrigin(members["recoveryCodes"]),
      case .number(let count)? = members["failures"], let count = UInt32(exactly: count),
      case .number(let last)? = members["lastFailure"]
    else { return nil }
    self.init(
      number: number, after: after, factors: factors, recoveryCodes: recoveryCodes.value,
      failures: FailureCount(failures: count, last: last))
  }
}
