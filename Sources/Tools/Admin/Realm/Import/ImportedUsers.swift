import MFABase
import MFAModel
import MFARealm

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
    do throws(AdminError) { json = try JSONReader.value(of: text) } catch { return nil }
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

/// What this host has imported into its realm for one user.
struct ImportedUser: Equatable {
  /// Where something that the realm has comes from.
  enum Origin: Equatable {
    /// This host imported it. The value is the digest with which an undo recognises it; nil if the answer of the
    /// realm was lost.
    case host(mark: [UInt8]?)
    /// The realm had it, or it took the place of something that the realm had. An undo leaves it.
    case realm
  }

  /// A factor of this host that the realm had after an import.
  struct KnownFactor: Equatable {
    let id: FactorID
    var origin: Origin
  }

  /// A request whose answer did not arrive.
  struct Pending: Equatable {
    /// The number of the import, which its entry in the audit log of the realm has.
    let number: [UInt8]
    /// The number of the last entry before the request.
    let after: UInt32
    /// What is known about the user if the request was carried out.
    let factors: [KnownFactor]
    let recoveryCodes: Origin?
    let failures: FailureCount
  }

  /// The name of the user.
  let name: [UInt8]
  var factors: [KnownFactor] = []
  /// The origin of the recovery codes; nil if no import has decided about them.
  var recoveryCodes: Origin?
  /// The failed attempts of this host that were imported.
  var failures: FailureCount?
  var pending: Pending?

  init(name: [UInt8]) { self.name = name }

  /// Whether an undo has something to remove.
  var hasImported: Bool {
    factors.contains { $0.origin != .realm } || recoveryCodes.map { $0 != .realm } ?? false
  }

  /// True if a digest of an imported factor, or of the recovery codes, is not known.
  var lacksMark: Bool {
    factors.contains { $0.origin == .host(mark: nil) } || recoveryCodes == .host(mark: nil)
  }

  /// Takes over the answer of the realm to an import. `failures` are those of this host.
  mutating func note(_ answer: AdministeredImport, failures: FailureCount) {
    for factor in answer.factors {
      let index = factors.firstIndex { $0.id == factor.id }
      switch factor.result {
      case .added: set(factor.id, index, Self.origin(factor.mark))
      case .present,
        .kept where !factor.mark.isEmpty:
        guard let index else {
          factors.append(KnownFactor(id: factor.id, origin: .realm))
          continue
        }
        if factors[index].origin == .host(mark: nil) {
          factors[index].origin = .host(mark: factor.mark)
        }
      case .replaced: set(factor.id, index, .realm)
      case .kept, .revoked, .noRoom, .otherContent, .sameName, .otherFactors, .removed, .changed,
        .missing:
        break
      }
    }
    switch answer.recoveryCodes {
    case .added: recoveryCodes = Self.origin(answer.recoveryCodeMark)
    case .present: recoveryCodes = recoveryCodes ?? .realm
    case .earlier where recoveryCodes == .host(mark: nil):
      recoveryCodes = Self.origin(answer.recoveryCodeMark)
    case .noCodes, .earlier, .grants, .removed, .changed: break
    }
    self.failures = failures
    pending = nil
  }

  private static func origin(_ mark: [UInt8]) -> Origin { .host(mark: mark.isEmpty ? nil : mark) }

  /// Notes that a request is about to be sent. `answer` is that to its trial.
  mutating func expect(
    _ answer: AdministeredImport, failures: FailureCount, number: [UInt8], after: UInt32
  ) {
    var expected = self
    expected.note(answer.withoutNewMarks, failures: failures)
    pending = Pending(
      number: number, after: after, factors: expected.factors,
      recoveryCodes: expected.recoveryCodes, failures: failures)
  }

  private mutating func set(_ id: FactorID, _ index: Int?, _ origin: Origin) {
    if let index {
      factors[index].origin = origin
    } else {
      factors.append(KnownFactor(id: id, origin: origin))
    }
  }

  /// Takes over the answer of the realm to an undo: forgets what is not in the realm any more.
  mutating func noteUndo(_ answer: AdministeredImport) {
    let gone = answer.factors.filter { $0.result == .removed || $0.result == .missing }.map(\.id)
    factors.removeAll { gone.contains($0.id) }
    if answer.recoveryCodes != .changed { recoveryCodes = nil }
  }

  /// Takes over whether the request whose answer was lost is in the audit log of the realm.
  mutating func settle(isCommitted: Bool) {
    if isCommitted, let pending {
      factors = pending.factors
      recoveryCodes = pending.recoveryCodes
      failures = pending.failures
    }
    pending = nil
  }
}

extension AdministeredImport {
  /// The answer to a trial without the digests of what was not added yet.
  fileprivate var withoutNewMarks: AdministeredImport {
    var answer = self
    for index in factors.indices where factors[index].result == .added {
      answer.factors[index].mark = []
    }
    if recoveryCodes == .added { answer.recoveryCodeMark = [] }
    return answer
  }
}

/// The file with `ImportedUsers`.
///
/// MUST 1: a reader finds the former list or the new one, also after a crash. (`RealmImportTests.interrupted`)
/// MUST 2: a file that another user than root could have written is refused. (`ImportedUsersTests.distrusted`)
package struct ImportedUsersFile {
  private let path: String

  /// Uses the file of this host, or another one for a test.
  package init(_ path: String = "\(InstalledPath.importedUsers)") { self.path = path }

  /// The largest file that is read, in bytes.
  private static var longest: Int64 { 1 << 26 }

  /// Reads the list, which is empty if the file does not exist.
  func read(realm: String) throws(AdminError) -> ImportedUsers {
    guard Directory.mayExist(Array(path.utf8)) else { return ImportedUsers(realm: realm) }
    let place = try BackupPlace(path)
    let file = try place.open()
    let text = try place.onFile { () throws(SystemError) in
      let size = try file.status().size
      return try file.read(count: Int(clamping: min(size, Self.longest)))
    }
    guard let list = ImportedUsers(text) else { throw .importListUnusable(path) }
    guard list.realm == realm else { throw .importListOfOtherRealm(path) }
    return list
  }

  /// Replaces the list, which is on the disk when the function returns. An empty list is written, too.
  func write(_ list: ImportedUsers) throws(AdminError) {
    let place = try BackupPlace(path)
    let file = try place.createDraft()
    try place.onFile { () throws(SystemError) in
      try file.write(Array(list.text.utf8))
      try file.sync()
    }
    try place.publishDraft()
  }
}
