import MFAStore
import MFAAttempt
import MFABase
import MFAModel
import MFASignInTestSupport
import MFATestSupport
import Testing

@Suite("Importing factors") struct ImportingTests {
  let store = MemoryStore()
  let account = Account(name: Array("alice".utf8), uid: 1000)
  static let now: Int64 = 1_700_000_000
  static let step: Int64 = 1_700_000_000 / 30

  private func add(
    _ name: String = "imported", key: [UInt8] = KnownFactor.secret,
    parameters: TOTPParameters = .standard, offset: Int32 = 0, usedUntil: Int64? = nil,
    codes: String = ""
  ) throws -> Importing.Result {
    let description = Importing.Description(
      displayName: try #require(DisplayName(Array(name.utf8))), parameters: parameters,
      timeOffset: offset,
      usedUntil: usedUntil)
    let entry = try store.entry(of: account, creating: true)
    return try Importing.add(
      description, key: key.span, recoveryCodes: Array(codes.utf8).span, to: entry,
      attempts: entry.attempts, now: Self.now, from: Source(Array("here".utf8)),
      by: AuditLogEvent.Actor(
        name: account.name, uid: account.uid, program: Array("tests".utf8), source: .unknown))
  }

  @Test("importing the first factor creates a record and an attempt state")
  func first() throws {
    guard case .imported(let factor, 0, _) = try add(offset: -4, codes: "1234567887654321") else {
      Issue.record("not imported")
      return
    }
    #expect(factor.origin == .imported && factor.timeOffset == -4)
    #expect(factor.enrolledAt == Self.now && factor.parameters == .standard)
    let record = try #require(store.record)
    #expect(record.user.bytes == account.name && record.uid == 1000 && record.id != .zero)
    #expect(record.factors == [factor] && factor.id != record.id)
    #expect(record.recoveryCodes.map(\.kind) == [.imported, .imported])
    #expect(store.attempts.record == record.id)
    #expect(record.notices.map(\.kind) == [.imported])
    #expect(record.notices.map(\.source) == [Source(Array("here".utf8))])
  }

  @Test("failures and other factors are kept")
  func stays() throws {
    let other = try store.enroll("Old", secret: Array("another secret.....".utf8), for: account)
    store.attempts = AttemptState(
      record: store.attempts.record, failures: 3, lastFailure: 7,
      watermarks: store.attempts.watermarks)
    _ = try add()
    #expect(store.record?.factors.map(\.origin) == [.enrolled, .imported])
    #expect(store.attempts.failures == 3)
    #expect(store.attempts.watermark(of: other.id) == -1)
  }

  struct SameKey {
    let key: [UInt8]
    var parameters = TOTPParameters.standard
    let isPresent: Bool
  }

  static let keys: [SameKey] = [
    SameKey(key: KnownFactor.secret, isPresent: true),
    SameKey(key: KnownFactor.secret, parameters: parameters(.sha1, .eight, 30), isPresent: true),
    SameKey(key: KnownFactor.secret, parameters: parameters(.sha1, .six, 60), isPresent: true),
    SameKey(key: KnownFactor.secret, parameters: parameters(.sha256, .six, 30), isPresent: true),
    // HMAC pads a key with zeros.
    SameKey(key: KnownFactor.secret + [0], isPresent: true),
    SameKey(key: KnownFactor.secret + [UInt8](repeating: 0, count: 44), isPresent: true),
    SameKey(key: KnownFactor.secret + [1], isPresent: false),
    SameKey(key: KnownFactor.secret.dropLast() + [0x31], isPresent: false),
    SameKey(key: KnownFactor.secret.dropLast(), isPresent: false),
    SameKey(key: [0] + KnownFactor.secret, isPresent: false),
  ]

  private static func parameters(
    _ algorithm: HashAlgorithm, _ length: CodeLength, _ period: UInt16
  ) -> TOTPParameters {
    TOTPParameters(algorithm: algorithm, codeLength: length, period: period) ?? .standard
  }

  @Test("a key is imported once, whatever its parameters", arguments: keys)
  func oneKeyOnce(row: SameKey) throws {
    let first = try store.enroll("Old", secret: KnownFactor.secret, for: account)
    let before = try #require(store.record)
    let result = try add("New", key: row.key, parameters: row.parameters)
    #expect((result == .present(first)) == row.isPresent, "\(row)")
    #expect((store.record == before) == row.isPresent, "\(row)")
    #expect(store.steps.contains(.replace) != row.isPresent, "\(row)")
  }

  struct UsedCode {
    let usedUntil: Int64?
    let offset: Int32
    let watermark: Int64
  }

  static let uses = [
    UsedCode(usedUntil: step - 7, offset: 0, watermark: step - 7),
    UsedCode(usedUntil: step + 3, offset: 0, watermark: step + 3),
    UsedCode(usedUntil: step - 7, offset: 3, watermark: step - 7),
    UsedCode(usedUntil: nil, offset: 0, watermark: step),
    UsedCode(usedUntil: nil, offset: 3, watermark: step + 3),
    UsedCode(usedUntil: nil, offset: -3, watermark: step - 3),
  ]

  @Test("codes up to the last used one count as used", arguments: uses)
  func usedCodes(row: UsedCode) throws {
    _ = try add(offset: row.offset, usedUntil: row.usedUntil)
    let factor = try #require(store.record?.factors.first)
    #expect(store.attempts.watermark(of: factor.id) == row.watermark, "\(row)")
  }

  @Test("recovery codes are added to existing ones, each once, up to ten in total")
  func recoveryCodes() throws {
    _ = try store.enroll("Old", secret: Array("another secret.....".utf8), for: account)
    try store.keep(recoveryCodes: (0..<8).map { ([UInt8]("1000000\($0)".utf8), .imported) })
    // The first one exists already, and the last two exceed the limit.
    let five = "1000000720000000200000012000000220000003"
    guard case .imported(_, 2, _) = try add(codes: five) else {
      Issue.record("two recovery codes should have been dropped")
      return
    }
    let codes = try #require(store.record?.recoveryCodes)
    #expect(codes.count == 10)
    #expect(
      codes.map { String(decoding: $0.bytes.prefix(8), as: UTF8.self) }.suffix(3) == [
        "10000007", "20000000", "20000001",
      ])
  }

  @Test("if the record is full or the name is taken, nothing changes")
  func refused() throws {
    _ = try store.enroll("imported", secret: Array("another secret.....".utf8), for: account)
    #expect(try add() == .refused(.nameTaken))
    for number in 1..<FactorRecord.maximumFactors {
      _ = try store.enroll("F\(number)", secret: Array("secret \(number)..".utf8), for: account)
    }
    let before = store.record
    #expect(try add("New") == .refused(.tooManyFactors))
    let entry = try store.entry(of: account, creating: false)
    let key = KnownFactor.secret
    let hindrance = try Importing.hindrance(to: key.span, in: entry)
    #expect(hindrance == .refused(.tooManyFactors))
    #expect(store.record == before)
    #expect(!store.steps.contains(.replace))
    // An existing key is reported first.
    guard case .present = try add("New", key: Array("secret 3..".utf8)) else {
      Issue.record("the existing factor was not found")
      return
    }
  }

  @Test(
    "if the record cannot be read or written, nothing is imported",
    arguments: [(1, .replace), (2, .secret), (3, .digest)] as [(Int, MemoryStore.Step)])
  func notWritten(row: Int, step: MemoryStore.Step) throws {
    _ = try store.enroll("Old", secret: Array("another secret.....".utf8), for: account)
    let before = store.record
    store.failure = (step, .damaged(.record))
    #expect(throws: FactorStoreError.damaged(.record), "row \(row)") {
      try add(codes: "12345678")
    }
    #expect(store.record == before, "row \(row)")
  }
}
