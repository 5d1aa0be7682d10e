import MFABase
@testable import MFAStore
import MFAModel

/// Reads a factor record. The input is the encoding without the store's seal.
///
/// A record that parses is encoded to the same bytes and is not longer than the store's limit. The
/// sealed form can be opened again, and is refused if any bit is changed, if it is truncated, or
/// for a different account.
enum RecordTarget {
  static func check(_ input: [UInt8]) throws {
    let account = Account(name: Array("alice".utf8), uid: 1000)
    try checkRefusal(of: SealedRecord(bytes: input), for: account, "bytes without a seal")
    guard let record = FactorRecord(encoded: input.span) else { return }
    try require(record.encoded() == input, "a record is encoded differently")
    try require(input.count <= FactorRecord.maximumLength, "a record is longer than the limit")
    try require(
      record.factors.count <= FactorRecord.maximumFactors
        && record.recoveryCodes.count <= FactorRecord.maximumRecoveryCodes
        && record.grants.count <= FactorRecord.maximumGrants
        && record.notices.count <= FactorRecord.maximumNotices, "a list is longer than its limit")
    for factor in record.factors {
      try requireShowable(factor.displayName.utf8, "the name of a factor")
      _ = factor.clock(at: .max)
      _ = factor.clock(at: .min)
    }
    for grant in record.grants {
      try requireShowable(grant.reason?.utf8 ?? [], "the reason of a grant")
    }
    for notice in record.notices { try requirePrintableASCII(notice.source.text, "a source") }
    try checkChanges(of: record)
    try checkSeal(of: record, fingerprint(of: input))
  }

  /// Checks that a record reads back equal after each kind of change.
  private static func checkChanges(of record: FactorRecord) throws {
    var changed = record
    changed.removeExpiredGrants(at: 1_800_000_000)
    changed.beginGeneration()
    changed.note(
      .revoked, [UInt8](repeating: 0x61, count: 300), about: .recoveryCodes, from: .unknown,
      at: .max)
    changed.mailed(upTo: .max)
    if let factor = record.factors.first { _ = try changed.remove(factor.id) }
    if let grant = changed.grants.first { _ = changed.use(grant.id) }
    if let code = changed.recoveryCodes.first {
      changed.spendRecoveryCode(code)
    }
    try require(
      FactorRecord(encoded: changed.encoded().span) == changed,
      "a changed record reads back differently")
  }

  private static func checkSeal(of record: FactorRecord, _ choice: UInt64) throws {
    var key = try Samples.key()
    let owner = Account(name: record.user.bytes, uid: record.uid)
    let sealed = try SealedRecord(record, &key)
    try require(sealed.bytes.count <= SealedRecord.maximumLength, "a sealed record is too long")
    try require(
      try sealed.open(&key, account: owner) == record, "a sealed record opens differently")
    let changed = changingOneBit(of: sealed.bytes, choice)
    try checkRefusal(of: SealedRecord(bytes: changed), for: owner, "a changed record")
    let cut = sealed.bytes.dropLast(1 + Int(choice % UInt64(sealed.bytes.count)))
    try checkRefusal(of: SealedRecord(bytes: Array(cut)), for: owner, "a truncated record")
    let other = Account(name: record.user.bytes, uid: record.uid ^ 1)
    if record.isEnrolled { try checkRefusal(of: sealed, for: other, "a record of a different uid") }
  }

  private static func checkRefusal(
    of sealed: SealedRecord, for account: Account, _ what: String
  ) throws {
    var key = try Samples.key()
    let record: FactorRecord?
    do throws(FactorStoreError) { record = try sealed.open(&key, account: account) } catch {
      return
    }
    throw Violation(description: "\(what) is accepted: \(String(describing: record))")
  }

  static func samples() throws -> [[UInt8]] {
    let empty = try Samples.record()
    var one = empty
    try one.add(try Samples.factor(1))
    var all = try Samples.record(user: [UInt8](repeating: 0x75, count: UserName.maximumLength))
    for number in 0..<FactorRecord.maximumFactors {
      try all.add(try Samples.longestFactor(UInt8(number)))
    }
    all.setRecoveryCodes(
      try (0..<FactorRecord.maximumRecoveryCodes).map { number in
        try requireValue(
          RecoveryCodeDigest(
            kind: number % 2 == 0 ? .generated : .imported,
            bytes: [UInt8](repeating: UInt8(number), count: RecoveryCodeDigest.length)),
          "a digest")
      }, at: 1)
    for number in 0..<FactorRecord.maximumGrants {
      try require(all.add(try Samples.longestGrant(UInt8(number))), "a grant is not added")
    }
    all.beginGeneration()
    for kind in Notice.Kind.allCases {
      all.note(
        kind, [UInt8](repeating: 0x6E, count: 255), about: .recoveryCodes,
        from: Source([UInt8](repeating: 0x3A, count: Source.maximumLength)), at: .min)
    }
    var granted = empty
    try require(granted.add(try Samples.longestGrant(1)), "a grant is not added")
    let valid = [empty, one, granted, all].map { $0.encoded() }
    return valid + deceptiveNames.map { replacing("phone 1", with: $0, in: one.encoded()) }
  }

  /// Invalid names with the same length as the names that they replace.
  private static let deceptiveNames = ["phone  ", " phone1", "phone\u{7F}1", "phone\n1"]

  private static func replacing(_ name: String, with other: String, in bytes: [UInt8]) -> [UInt8] {
    var result = bytes
    let name = Array(name.utf8)
    for start in 0..<max(bytes.count - name.count, 0)
    where Array(bytes[start..<start + name.count]) == name {
      result.replaceSubrange(start..<start + name.count, with: Array(other.utf8))
    }
    return result
  }
}
