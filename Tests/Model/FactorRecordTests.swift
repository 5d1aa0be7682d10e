import MFABase
import MFAModel
import MFAMessages
import Testing

@Suite struct FactorRecordTests {
  /// Returns records of every size, with extreme values in every field.
  private static func samples() throws -> [FactorRecord] {
    var samples = try (0...UInt8(FactorRecord.maximumFactors)).map { try record($0) }
    samples.append(try record(1, user: "x", uid: 0))
    samples.append(try record(1, user: String(repeating: "n", count: 255), uid: .max))
    samples.append(try record(1, user: "J\u{FC}rgen.O'Neill+\u{1}", uid: 65_534))
    for algorithm in HashAlgorithm.allCases {
      for length in CodeLength.allCases {
        for period in [15, 30, 120] as [UInt16] {
          var sample = try record(0)
          let parameters = try TOTPParameters(
            algorithm: algorithm, codeLength: length, period: period
          ).orThrow()
          try sample.add(try factor(1, parameters: parameters, sealedSecret: []))
          samples.append(sample)
        }
      }
    }
    for time in [Int64.min, -1, 0, .max] {
      var sample = try record(0)
      let longest = [UInt8](repeating: 0xAB, count: Factor.longestSealedSecret)
      try sample.add(try factor(1, sealedSecret: longest, enrolledAt: time))
      samples.append(sample)
    }
    for (number, time) in [("+15105551234", 0), ("+29012345", Int64.max)] {
      var sample = try record(1)
      try sample.add(try phone(2, number, usableFrom: time))
      samples.append(sample)
      sample.setLanguage(.french)
      samples.append(sample)
      try sample.add(try phone(3, "+33612345678", usableFrom: -1, origin: .testNumber))
      samples.append(sample)
    }
    var recoverable = try record(2)
    recoverable.setRecoveryCodes(try (0..<10).map { try digest($0) }, at: 1)
    samples.append(recoverable)
    var withPasswords = try record(1)
    for password in [
      try programPassword(1, "mail", services: "dovecot"),
      try programPassword(2, "web", services: "nginx cups", networks: "192.0.2.0/24 ::1/128"),
    ] {
      let isAdded = withPasswords.add(password)
      #expect(isAdded)
    }
    samples.append(withPasswords)
    for kind in [Grant.Kind.ticket, .bypass] {
      var granted = try record(0)
      for number in 0..<UInt8(FactorRecord.maximumGrants) {
        let changed1 = try granted.add(
          grant(number, kind: kind, reason: number == 0 ? nil : "lost"))
        #expect(changed1)
      }
      samples.append(granted)
    }
    var noticed = try record(0)
    noticed.beginGeneration()
    let subjects: [Notice.Subject] = [
      .account, .factor(identifier(1)), .factor(identifier(0xFF)), .recoveryCodes, .grant,
    ]
    for (number, kind) in Notice.Kind.allCases.enumerated() {
      noticed.note(
        kind, Array("Pixel".utf8), about: subjects[number % subjects.count],
        from: Source(Array("192.0.2.7".utf8)), at: -1)
      noticed.mailed(upTo: 3)
    }
    samples.append(noticed)
    for offset in [Int32.min, -1, 1, .max] {
      var sample = try record(2)
      try sample.setTimeOffset(of: identifier(2), to: offset)
      samples.append(sample)
    }
    return samples
  }

  /// Returns a digest of 32 equal bytes; the kind alternates.
  private static func digest(_ byte: UInt8) throws -> RecoveryCodeDigest {
    try RecoveryCodeDigest(
      kind: byte % 2 == 0 ? .generated : .imported, bytes: [UInt8](repeating: byte, count: 32)
    ).orThrow()
  }

  private static func grant(
    _ number: UInt8, kind: Grant.Kind = .ticket, reason: String? = nil
  ) throws -> Grant {
    try Grant(
      kind: kind, id: GrantID(bytes: [1, 2, 3, number]).orThrow(), madeAt: 100, expiresAt: 200,
      usesLeft: number + 1, reason: reason.map { try #require(Grant.Reason(Array($0.utf8))) },
      digest: [UInt8](repeating: number, count: 32)
    ).orThrow()
  }

  /// Returns the longest possible record, with names and secrets of the maximum length.
  private static func longest() throws -> FactorRecord {
    let user = try UserName([UInt8](repeating: 0x6E, count: UserName.maximumLength)).orThrow()
    var record = FactorRecord(user: user, uid: .max, id: identifier(1))
    record.beginGeneration()
    let secret = [UInt8](repeating: 0xAB, count: Factor.longestSealedSecret)
    for number in 0..<UInt8(FactorRecord.maximumFactors) {
      // 63 scalars of four bytes and one of three: 255 bytes.
      let last = try Unicode.Scalar(0x4E00 + UInt16(number)).orThrow()
      let text = String(repeating: "\u{1F511}", count: 63) + String(last)
      try record.add(
        Factor(
          id: identifier(number), displayName: try name(text), enrolledAt: .max,
          kind: .totp(.standard, sealedSecret: secret)))
    }
    record.setRecoveryCodes(try (0..<10).map { try digest($0) }, at: 1)
    // 127 scalars of two bytes and one of one: 255 bytes.
    let reason = String(repeating: "\u{E9}", count: 127) + "!"
    for number in 0..<UInt8(FactorRecord.maximumGrants) {
      let changed2 = try record.add(grant(number, reason: reason))
      #expect(changed2)
    }
    let longestName = String(repeating: "s", count: ProgramScope.longestText)
    let networks = Array(repeating: "2001:db8:ffff:ffff::/64", count: 5).joined(separator: " ")
    for number in 0..<UInt8(FactorRecord.maximumProgramPasswords) {
      let last = String(UnicodeScalar(0x41 + number))
      let password = try programPassword(
        0x80 + number, reason.dropLast() + last, services: longestName, networks: networks)
      let isAdded = record.add(password)
      #expect(isAdded)
    }
    for _ in 0...FactorRecord.maximumNotices {
      record.note(
        .enrolled, [UInt8](repeating: 0x6E, count: 300), about: .factor(identifier(1)),
        from: Source([UInt8](repeating: 0x6E, count: 300)), at: .max)
    }
    return record
  }

  /// MUST 1.
  @Test func roundTrip() throws {
    for sample in try Self.samples() + [Self.longest()] {
      let encoded = sample.encoded()
      #expect(decoded(encoded) == sample)
      #expect(encoded.count <= FactorRecord.maximumLength)
    }
  }

  private static func programPassword(
    _ number: UInt8, _ name: some StringProtocol, services: String, networks: String = ""
  ) throws -> Grant {
    let scope = try ProgramScope(
      services: Array(services.utf8), networks: Array(networks.utf8)
    ).orThrow()
    return try Grant(
      kind: .programPassword, id: GrantID(bytes: [number, 0, 0, 0]).orThrow(), madeAt: 1,
      expiresAt: 2,
      usesLeft: 1, reason: Grant.Reason(Array(name.utf8)), scope: scope,
      digest: [UInt8](repeating: number, count: 32)
    ).orThrow()
  }

  /// Program passwords do not take the places of tickets and bypass codes, and end with the last factor.
  @Test func programPasswords() throws {
    var sample = try record(1)
    func add(_ grants: [Grant]) -> [Bool] { grants.map { sample.add($0) } }
    func password(_ number: UInt8, _ name: String? = nil) throws -> Grant {
      try Self.programPassword(number, name ?? "p\(number)", services: "dovecot")
    }
    let most = UInt8(FactorRecord.maximumProgramPasswords)
    #expect(add(try (0..<most).map { try password($0) }).allSatisfy { $0 })
    #expect(add([try password(99)]) == [false])
    let withdrawn = sample.withdraw(try GrantID(bytes: [0, 0, 0, 0]).orThrow())
    #expect(withdrawn?.reason?.utf8 == Array("p0".utf8))
    #expect(add([try password(99, "p1")]) == [false], "the name")
    let others = UInt8(FactorRecord.maximumGrants)
    #expect(
      add(try (0..<others).map { try Self.grant($0 + 0x40, reason: "lost") }).allSatisfy { $0 })
    #expect(add([try Self.grant(0x50, reason: "lost"), try password(99)]) == [false, true])
    _ = try sample.remove(try sample.factors.first.orThrow().id)
    #expect(sample.grants.count == FactorRecord.maximumGrants)
    #expect(sample.grants.allSatisfy { $0.kind != .programPassword })
  }

  @Test func generations() throws {
    var sample = try record(1)
    #expect(decoded(sample.encoded())?.generation == 0)
    sample.beginGeneration()
    #expect(decoded(sample.encoded()) == sample && decoded(sample.encoded())?.generation == 1)
    #expect(FactorRecord.generation(after: .max) == 1)
  }

  @Test func languages() throws {
    var sample = try record(1)
    #expect(decoded(sample.encoded())?.language == nil)
    for language in Language.allCases {
      sample.setLanguage(language)
      let encoded = sample.encoded()
      #expect(decoded(encoded) == sample && decoded(encoded)?.language == language)
    }
    var unknown = sample.encoded()
    unknown[4 + 2 + 1 + 5 + 4 + 16 + 4] = UInt8(Language.allCases.count + 1)
    #expect(decoded(unknown) == nil)
  }

  /// MUST 1.
  @Test func everyTruncation() throws {
    for sample in try Self.samples() + [Self.longest()] {
      let encoded = sample.encoded()
      // Of a long record, every 11th truncation.
      for count in stride(from: 0, to: encoded.count, by: encoded.count > 4_096 ? 11 : 1) {
        #expect(decoded(Array(encoded.prefix(count))) == nil, "\(count) of \(encoded.count)")
      }
    }
  }

  /// MUST 1.
  @Test func trailingBytes() throws {
    for sample in try Self.samples() {
      for extra in [[0], [0xFF], [UInt8](repeating: 0, count: 4_096)] as [[UInt8]] {
        #expect(decoded(sample.encoded() + extra) == nil)
      }
    }
  }

  /// MUST 1: a record with any bit changed is refused, or decodes to a different record with the
  /// same encoding.
  @Test func everyChangedBitIsRefusedOrSignificant() throws {
    let sample = try record(3)
    let encoded = sample.encoded()
    for index in encoded.indices {
      for bit in 0..<8 {
        var other = encoded
        other[index] ^= 1 << bit
        guard let record = decoded(other) else { continue }
        #expect(record != sample, "byte \(index), bit \(bit)")
        #expect(record.encoded() == other, "byte \(index), bit \(bit)")
      }
    }
  }

  /// MUST 1.
  @Test func phones() throws {
    var sample = try record(1)
    try sample.add(try phone(2, "+15105551234"))
    #expect(decoded(sample.encoded()) == sample)
    _ = try sample.remove(identifier(2))
    #expect(decoded(sample.encoded()) == sample)
  }

  /// MUST 1.
  @Test func digestKeys() throws {
    for language in [Language?.none, .french] {
      var plain = try record(2)
      if let language { plain.setLanguage(language) }
      let secrets = plain.factors.map(\.sealed)
      let sample = try #require(
        plain.resealed(
          FactorRecord.Resealed(
            secrets: secrets, recoveryCodes: plain.recoveryCodes.map(\.bytes),
            grants: plain.grants.map(\.digest), digestKeys: [1, 2, 3])))
      #expect(sample != plain)
      let encoded = sample.encoded()
      let read = try #require(decoded(encoded))
      #expect(read == sample && read.language == plain.language)
      #expect(read.sealedDigestKeys == [1, 2, 3])
      for length in 6..<encoded.count {
        #expect(decoded(Array(encoded.prefix(length))) == nil, "length \(length)")
      }
      for index in encoded.indices {
        var other = encoded
        other[index] ^= 1
        guard let record = decoded(other) else { continue }
        #expect(record.encoded() == other, "byte \(index)")
      }
    }
  }

  /// MUST 2.
  @Test func otherVersions() throws {
    let encoded = try record(2).encoded()
    for version in UInt16.min...UInt16.max where version != FactorRecord.version {
      var other = encoded
      other[4] = UInt8(version >> 8)
      other[5] = UInt8(version & 0xFF)
      #expect(decoded(other) == nil)
      // The length and the other fields depend on that version.
      for known in [other, Array(other.prefix(6))] {
        #expect(formatVersion(known) == version)
      }
    }
  }

  @Test func otherFilesAreRefused() throws {
    let encoded = try record(1).encoded()
    #expect(formatVersion([]) == nil)
    for index in 0..<4 {
      var other = encoded
      other[index] ^= 0x20
      #expect(formatVersion(other) == nil, "byte \(index)")
    }
    #expect(
      formatVersion(AttemptState(record: .zero).encoded(sequence: 1)) == nil)
    #expect(formatVersion([UInt8](repeating: 0, count: 4_096)) == nil)
    #expect(formatVersion([UInt8](repeating: 0xFF, count: 4_096)) == nil)
  }

  // MARK: Invalid values

  private struct Field: Sendable {
    let offset: Int
    let bytes: [UInt8]
    let whatFor: String
  }

  /// Offsets in a record with one factor of alice: magic 4, version 2, name 1 + 5, uid 4, id 16,
  /// count 1, then the factor: id 16, time 8, name 1 + 7, origin 1, offset 4, kind 1, algorithm 1,
  /// digits 1, period 2, secret 1 + 3; and the number of recovery codes, 1.
  private static let fields = [
    Field(offset: 6, bytes: [0], whatFor: "an empty user name"),
    Field(offset: 7, bytes: [0], whatFor: "a NUL in the user name"),
    Field(offset: 8, bytes: [0x2F], whatFor: "a slash in the user name"),
    Field(offset: 38, bytes: [0], whatFor: "a factor count that is too low"),
    Field(offset: 38, bytes: [2], whatFor: "a factor count that is too high"),
    Field(offset: 38, bytes: [9], whatFor: "a factor count above the limit"),
    Field(offset: 64, bytes: [0x20], whatFor: "a display name with a leading space"),
    Field(offset: 64, bytes: [0x1B], whatFor: "a display name with an escape character"),
    Field(offset: 70, bytes: [0x20], whatFor: "a display name with a trailing space"),
    Field(offset: 66, bytes: [0xFF], whatFor: "a display name that is not UTF-8"),
    Field(offset: 76, bytes: [0], whatFor: "kind 0"),
    Field(offset: 76, bytes: [2], whatFor: "kind 2"),
    Field(offset: 77, bytes: [0], whatFor: "algorithm 0"),
    Field(offset: 77, bytes: [4], whatFor: "algorithm 4"),
    Field(offset: 78, bytes: [5], whatFor: "5 digits"),
    Field(offset: 78, bytes: [9], whatFor: "9 digits"),
    Field(offset: 79, bytes: [0, 14], whatFor: "a period of 14 s"),
    Field(offset: 79, bytes: [0, 121], whatFor: "a period of 121 s"),
    Field(offset: 79, bytes: [1, 30], whatFor: "a period of 286 s"),
    Field(offset: 81, bytes: [2], whatFor: "a secret length that is too low"),
    Field(offset: 81, bytes: [4], whatFor: "a secret length that is too high"),
    Field(offset: 71, bytes: [0], whatFor: "origin 0"),
    Field(offset: 71, bytes: [3], whatFor: "origin 3"),
    Field(offset: 101, bytes: [1], whatFor: "a missing recovery code"),
    Field(offset: 101, bytes: [11], whatFor: "a recovery code count above the limit"),
    Field(offset: 102, bytes: [1], whatFor: "a missing grant"),
    Field(offset: 102, bytes: [5], whatFor: "a grant count above the limit"),
    Field(offset: 107, bytes: [1], whatFor: "a missing notice"),
    Field(offset: 107, bytes: [9], whatFor: "a notice count above the limit"),
  ]

  /// Invalid fields in a record with one notice and one grant that has a reason. Offsets are counted
  /// from the byte that holds the number of grants.
  private static let laterFields: [Field] = [
    Field(offset: 1, bytes: [0], whatFor: "grant kind 0"),
    Field(offset: 1, bytes: [4], whatFor: "grant kind 4, without a scope"),
    Field(offset: 1, bytes: [5], whatFor: "grant kind 5"),
    Field(offset: 6, bytes: [0x7F], whatFor: "a grant created after its end"),
    Field(offset: 22, bytes: [0], whatFor: "a grant without uses"),
    Field(offset: 24, bytes: [0x20], whatFor: "a reason with a leading space"),
    Field(offset: 24, bytes: [0x1B], whatFor: "a reason with an escape character"),
    Field(offset: 65, bytes: [0, 0, 0, 0], whatFor: "notice 0"),
    Field(offset: 69, bytes: [0], whatFor: "notice kind 0"),
    Field(offset: 69, bytes: [14], whatFor: "notice kind 14"),
    Field(offset: 85, bytes: [0x20], whatFor: "a source with a space"),
    Field(offset: 89, bytes: [1], whatFor: "a subject without its bytes"),
    Field(offset: 89, bytes: [4], whatFor: "subject 4"),
  ]

  @Test func invalidGrantsAndNoticesAreRefused() throws {
    var sample = try record(0)
    sample.beginGeneration()
    let start = sample.encoded().count - 6
    let changed3 = try sample.add(Self.grant(0, reason: "lost"))
    #expect(changed3)
    sample.note(
      .enrolled, Array("Pixel".utf8), about: .account, from: Source(Array("tty1".utf8)), at: 1)
    let encoded = sample.encoded()
    #expect(decoded(encoded) != nil)
    #expect(encoded.count - start == 90)
    for row in Self.laterFields {
      var other = encoded
      let offset = start + row.offset
      other.replaceSubrange(offset..<offset + row.bytes.count, with: row.bytes)
      #expect(decoded(other) == nil, "\(row), \(row.whatFor)")
    }
  }

  // MARK: Grants and notices

  @Test func grantUsesAreLimited() throws {
    var sample = try record(0)
    #expect(sample.isVacant)
    let grant = try Self.grant(1)
    let changed4 = sample.add(grant)
    #expect(changed4)
    let changed5 = sample.add(grant)
    #expect(!changed5, "two grants with the same id")
    #expect(!sample.isVacant)
    #expect(!sample.isEnrolled)
    let changed6 = sample.use(grant.id)
    #expect(changed6)
    #expect(sample.grants.first?.usesLeft == 1)
    let changed7 = sample.use(grant.id)
    #expect(changed7)
    #expect(sample.isVacant)
    let changed8 = sample.use(grant.id)
    #expect(!changed8)
  }

  @Test func grantsAreLimitedAndExpire() throws {
    var sample = try record(0)
    for number in 0..<4 as Range<UInt8> {
      let changed9 = try sample.add(Self.grant(number))
      #expect(changed9)
    }
    let changed10 = try sample.add(Self.grant(9))
    #expect(!changed10)
    // What a used bypass code may still do takes no room.
    let bypass = try Self.grant(7, kind: .bypass)
    let enrollment = try bypass.enrollment(Self.grant(8).id, at: 100).orThrow()
    var full = sample
    _ = full.withdraw(try Self.grant(3).id)
    let isAdded = full.add(enrollment)
    let isReplaced = try full.add(Self.grant(9))
    let isRefused = try full.add(Self.grant(10))
    #expect(isAdded && isReplaced && !isRefused)
    #expect(!full.grants.contains { $0.id == enrollment.id } && full.grants.count == 4)
    let grant = try Self.grant(2)
    for (row, now, isGood) in [
      (1, 99, false), (2, 100, true), (3, 199, true), (4, 200, false), (5, Int64.min, false),
      (6, .max, false),
    ] as [(Int, Int64, Bool)] {
      #expect(grant.isGood(at: now) == isGood, "row \(row)")
    }
    let changed11 = sample.withdraw(grant.id)
    #expect(changed11 == grant)
    let changed12 = sample.withdraw(grant.id)
    #expect(changed12 == nil)
    sample.removeExpiredGrants(at: 199)
    #expect(sample.grants.count == 3)
    sample.removeExpiredGrants(at: 200)
    #expect(sample.isVacant)
  }

  @Test func noticesAreNumberedAndLimited() throws {
    var sample = try record(0)
    for number in 1...20 as ClosedRange<UInt32> {
      sample.note(.resynchronized, about: .account, from: .unknown, at: Int64(number))
      #expect(sample.lastNotice == number)
    }
    #expect(sample.notices.map(\.number) == Array(9...20))
    sample.mailed(upTo: 99)
    #expect(sample.noticesMailed == 20)
    sample.mailed(upTo: 3)
    #expect(sample.noticesMailed == 20)
  }

  /// An attacker who enrolled a factor cannot displace its notice with other notices.
  @Test func latestNoticeAboutAFactorIsKept() throws {
    var sample = try record(UInt8(FactorRecord.maximumFactors))
    sample.beginGeneration()
    sample.setRecoveryCodes([try Self.digest(0)], at: 1)
    for factor in sample.factors {
      sample.note(.enrolled, about: .factor(factor.id), from: .unknown, at: 1)
    }
    for _ in 0..<50 {
      sample.note(.recoveryCodesMade, about: .recoveryCodes, from: .unknown, at: 2)
      sample.note(.unenrolled, about: .factor(identifier(0xEE)), from: .unknown, at: 2)
      sample.note(.resynchronized, about: .factor(identifier(2)), from: .unknown, at: 2)
      sample.note(.bypassUsed, about: .grant, from: .unknown, at: 2)
      sample.note(.enrolled, about: .account, from: .unknown, at: 2)
    }
    #expect(sample.notices.count == FactorRecord.maximumNotices)
    for factor in sample.factors {
      #expect(sample.notices.contains { $0.subject == .factor(factor.id) })
    }
    #expect(sample.notices.contains { $0.subject == .recoveryCodes })
    #expect(sample.notices.map(\.number) == sample.notices.map(\.number).sorted())
    #expect(decoded(sample.encoded()) == sample)
  }

  @Test(
    arguments: [
      // The factors of the pending notices (9: the recovery codes), the factor that signs in, and
      // whether it confirms the notices.
      (1, [], 1, true), (2, [2], 1, true), (3, [2], 2, false), (4, [2, 9], 1, true),
      (5, [9], 1, true), (6, [1, 2], 1, false), (7, [1, 2, 9], 1, true), (8, [1, 9], 1, false),
      (9, [7], 1, true), (10, [7, 2], 2, false), (11, [1, 2, 9], 2, false),
    ] as [(Int, [UInt8], UInt8, Bool)])
  func changedFactorConfirmsNothing(
    row: Int, pending: [UInt8], factor: UInt8, mayConfirm: Bool
  ) throws {
    var sample = try record(2)
    sample.setRecoveryCodes([try Self.digest(0)], at: 1)
    sample.note(.enrolled, about: .factor(identifier(factor)), from: .unknown, at: 0)
    for number in pending {
      let subject = number == 9 ? Notice.Subject.recoveryCodes : .factor(identifier(number))
      sample.note(.enrolled, about: subject, from: .unknown, at: 0)
    }
    #expect(sample.mayConfirm(after: 1, with: identifier(factor)) == mayConfirm, "row \(row)")
  }

  @Test func onlyFactorConfirmsItsOwnNotice() throws {
    var sample = try record(1)
    #expect(sample.subject(of: identifier(1)) == .account)
    sample.note(.resynchronized, about: .factor(identifier(1)), from: .unknown, at: 0)
    #expect(sample.mayConfirm(after: 0, with: identifier(1)), "no other way to sign in is left")
    sample.setRecoveryCodes([try Self.digest(0)], at: 1)
    #expect(!sample.mayConfirm(after: 0, with: identifier(1)), "recovery codes are left")
    #expect(try record(2).subject(of: identifier(2)) == .factor(identifier(2)))
  }

  @Test func removeEverythingKeepsOnlyNotices() throws {
    var sample = try record(2)
    sample.setRecoveryCodes([try Self.digest(0)], at: 1)
    let changed13 = try sample.add(Self.grant(0, kind: .bypass))
    #expect(changed13)
    sample.note(.revoked, about: .account, from: .unknown, at: 0)
    var last = sample
    sample.removeEverything()
    #expect(sample.factors.isEmpty && sample.recoveryCodes.isEmpty && sample.grants.isEmpty)
    #expect(sample.notices.count == 1)
    _ = try last.remove(identifier(1))
    #expect(last.recoveryCodes.count == 1)
    _ = try last.remove(identifier(2))
    #expect(last.recoveryCodes.isEmpty, "recovery codes without a factor")
  }

  @Test func invalidFieldsAreRefused() throws {
    let encoded = try record(1).encoded()
    #expect(encoded.count == 108)
    for row in Self.fields {
      var other = encoded
      other.replaceSubrange(row.offset..<row.offset + row.bytes.count, with: row.bytes)
      #expect(decoded(other) == nil, "\(row), \(row.whatFor)")
    }
  }

  @Test func aSecretThatIsTooLongIsRefused() throws {
    var sample = try record(0)
    let tooLong = [UInt8](repeating: 1, count: Factor.longestSealedSecret + 1)
    try sample.add(try factor(1, sealedSecret: tooLong))
    #expect(decoded(sample.encoded()) == nil)
  }

  @Test func twoFactorsOfOneIdOrNameAreRefused() throws {
    let encoded = try record(2).encoded()
    let length = 46
    #expect(encoded.count == 39 + 2 * length + 23)
    var sameID = encoded
    sameID.replaceSubrange(39 + length..<39 + length + 16, with: encoded[39..<39 + 16])
    #expect(decoded(sameID) == nil)
    var sameName = encoded
    sameName.replaceSubrange(39 + length + 25..<39 + length + 32, with: encoded[64..<71])
    #expect(decoded(sameName) == nil)
  }

  // MARK: Changes

  @Test func namesAndIdsAreUnique() throws {
    var sample = try record(2)
    let before = sample
    #expect(throws: FactorRecord.ChangeRefusal.nameTaken) { try sample.add(try factor(2)) }
    let sameName = Factor(
      id: identifier(9), displayName: try name("phone 1"), enrolledAt: 0,
      kind: .totp(.standard, sealedSecret: []))
    #expect(throws: FactorRecord.ChangeRefusal.nameTaken) { try sample.add(sameName) }
    let sameID = Factor(
      id: identifier(1), displayName: try name("other"), enrolledAt: 0,
      kind: .totp(.standard, sealedSecret: []))
    #expect(throws: FactorRecord.ChangeRefusal.nameTaken) { try sample.add(sameID) }
    #expect(sample == before)
  }

  @Test func eightFactorsAreTheLimit() throws {
    var sample = try record(8)
    #expect(throws: FactorRecord.ChangeRefusal.tooManyFactors) { try sample.add(try factor(9)) }
    #expect(try sample.remove(identifier(3)) == false)
    try sample.add(try factor(9))
    #expect(sample.factors.map(\.id) == [1, 2, 4, 5, 6, 7, 8, 9].map { identifier($0) })
  }

  @Test func usedRecoveryCodeIsRemoved() throws {
    var sample = try record(1)
    sample.setRecoveryCodes([try Self.digest(1), try Self.digest(2), try Self.digest(3)], at: 1)
    sample.spendRecoveryCode(try Self.digest(2))
    #expect(sample.recoveryCodes == [try Self.digest(1), try Self.digest(3)])
    sample.spendRecoveryCode(try Self.digest(9))
    #expect(sample.recoveryCodes == [try Self.digest(1), try Self.digest(3)])
    sample.setRecoveryCodes(try (0..<12).map { try Self.digest($0) }, at: 1)
    #expect(sample.recoveryCodes.count == FactorRecord.maximumRecoveryCodes)
    #expect(RecoveryCodeDigest(kind: .generated, bytes: [1, 2, 3]) == nil)
  }

  @Test func renaming() throws {
    var sample = try record(2)
    try sample.rename(identifier(1), to: try name("tablet"))
    #expect(sample.factor(identifier(1))?.displayName == (try name("tablet")))
    // To the same name.
    try sample.rename(identifier(1), to: try name("tablet"))
    #expect(throws: FactorRecord.ChangeRefusal.nameTaken) {
      try sample.rename(identifier(2), to: try name("tablet"))
    }
    #expect(throws: FactorRecord.ChangeRefusal.noSuchFactor) {
      try sample.rename(identifier(3), to: try name("new"))
    }
    #expect(sample.factors.map(\.displayName) == [try name("tablet"), try name("phone 2")])
  }

  @Test func removalReportsNewestFactor() throws {
    var sample = try record(3)
    #expect(throws: FactorRecord.ChangeRefusal.noSuchFactor) { try sample.remove(identifier(7)) }
    #expect(try sample.remove(identifier(1)) == false)
    #expect(try sample.remove(identifier(3)) == true)
    #expect(try sample.remove(identifier(2)) == true)
    #expect(sample.factors.isEmpty)
    #expect(sample.factor(identifier(2)) == nil)
  }

  /// A sealed secret cannot be opened in any other place, because the associated data contain
  /// everything that it is bound to.
  @Test func associatedDataBindTheSecret() throws {
    let other = try TOTPParameters(algorithm: .sha256, codeLength: .six, period: 30).orThrow()
    let longer = try TOTPParameters(algorithm: .sha1, codeLength: .eight, period: 30).orThrow()
    let slower = try TOTPParameters(algorithm: .sha1, codeLength: .six, period: 60).orThrow()
    let alice = try record(1)
    let user = try UserName(Array("alice".utf8)).orThrow()
    let data = [
      alice.associatedData(factor: identifier(1), parameters: .standard),
      alice.associatedData(factor: identifier(2), parameters: .standard),
      alice.associatedData(factor: identifier(1), parameters: other),
      alice.associatedData(factor: identifier(1), parameters: longer),
      alice.associatedData(factor: identifier(1), parameters: slower),
      try record(1, user: "alicf").associatedData(factor: identifier(1), parameters: .standard),
      try record(1, uid: 1_001).associatedData(factor: identifier(1), parameters: .standard),
      FactorRecord(user: user, uid: 1_000, id: identifier(1))
        .associatedData(factor: identifier(1), parameters: .standard),
    ]
    #expect(Set(data).count == data.count)
    // The secret can still be opened after the name or the time of enrolment changed, or factors
    // were added.
    #expect(data[0] == (try record(3)).associatedData(factor: identifier(1), parameters: .standard))
  }

  @Test func userNames() {
    let long = [UInt8](repeating: 0x61, count: 255)
    for (number, bytes, isName) in [
      (1, [], false), (2, [0x61], true), (3, long, true), (4, long + [0x61], false),
      (5, [0], false), (6, [0x61, 0, 0x62], false), (7, [0x2F], false), (8, [0x61, 0x2F], false),
      (9, [0x2E, 0x2E], true), (10, [0xFF, 0xFE], true), (11, [0x20], true),
    ] as [(Int, [UInt8], Bool)] {
      #expect(UserName(bytes)?.bytes == (isName ? bytes : nil), "row \(number)")
    }
  }

  /// A number that is added after another one was removed is a changed number.
  @Test("the removal of a phone is remembered, also when the clock is set back")
  func removedPhone() throws {
    var record = try record(1)
    #expect(!record.removedPhone(inLast: 86_400, before: 100_000))
    record.notePhoneRemoved(at: 100_000)
    #expect(record.removedPhone(inLast: 86_400, before: 100_000))
    #expect(record.removedPhone(inLast: 86_400, before: 186_399))
    #expect(!record.removedPhone(inLast: 86_400, before: 186_400))
    #expect(record.removedPhone(inLast: 86_400, before: 0))
    record.notePhoneRemoved(at: 50_000)
    #expect(record.phoneRemovedAt == 100_000)
    #expect(try #require(decoded(record.encoded())) == record)
    // An administrator who removes everything allows a first phone.
    record.removeEverything()
    #expect(!record.removedPhone(inLast: 86_400, before: 100_000))
  }
}
