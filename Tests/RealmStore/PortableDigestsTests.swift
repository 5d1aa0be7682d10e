import MFACrypto
import MFAModel
import MFABase
import MFASharedStoreTestSupport
@testable import MFAStore
import Testing

@Suite("Recovery codes in another store")
struct PortableDigestsTests {
  private static let code = Array("AAAABBBBCCCCDDDD".utf8)

  private static func record(_ id: UInt8, uid: UInt32) throws -> FactorRecord {
    FactorRecord(
      user: try #require(UserName(Array("alice".utf8))), uid: uid,
      id: try #require(FactorID(bytes: [UInt8](repeating: id, count: FactorID.length))))
  }

  private static func hostKey() throws -> SealingKey {
    try SealingKey(master: [UInt8](repeating: 9, count: SealingKey.length).span)
  }

  /// Returns a record of a realm with the recovery codes of another record.
  private static func moved(
    _ record: FactorRecord, from key: inout SealingKey, to target: FactorRecord,
    _ targetKey: inout SealingKey
  ) throws -> FactorRecord {
    let portable = try record.portableDigests(&key)
    let length = portable.keys.count
    #expect(length == FactorRecord.portableKeysLength)
    let digests = portable.digests
    let sealed = try target.seal(digestKeys: portable.keys.span, &targetKey)
    var moved = target
    moved.setRecoveryCodes(
      digests.compactMap { RecoveryCodeDigest(kind: .generated, bytes: $0) }, at: 0)
    return try #require(
      moved.resealed(
        FactorRecord.Resealed(
          secrets: [], recoveryCodes: digests, grants: [], digestKeys: sealed)))
  }

  /// Returns whether a code is the recovery code of a record.
  private static func recognises(
    _ code: [UInt8], _ record: FactorRecord, _ key: inout SealingKey
  ) throws -> Bool {
    try record.digest(ofImported: code.span, kind: .generated, &key) == record.recoveryCodes.first
  }

  @Test("a recovery code is recognised in a realm, and in the next one, and no other code is")
  func recognised() throws {
    var host = try Self.hostKey()
    var realm = try TestRealm<MemoryEngine>.key()
    var record = try Self.record(1, uid: 1000)
    record.setRecoveryCodes(
      [try record.digest(of: Self.code.span, kind: .generated, &host)], at: 0)
    let moved = try Self.moved(record, from: &host, to: try Self.record(2, uid: .max), &realm)
    let isKnown = try Self.recognises(Self.code, moved, &realm)
    #expect(isKnown)
    let isOtherKnown = try Self.recognises(Array("AAAABBBBCCCCDDDE".utf8), moved, &realm)
    #expect(!isOtherKnown)
    #expect(moved.recoveryCodes != record.recoveryCodes)

    var next = try Self.hostKey()
    let again = try Self.moved(moved, from: &realm, to: try Self.record(3, uid: 7), &next)
    let isKnownAgain = try Self.recognises(Self.code, again, &next)
    #expect(isKnownAgain)
  }

  @Test("a recovery code is recognised after a change of the host's key")
  func afterRekey() throws {
    var former = try Self.hostKey()
    var present = try SealingKey(master: [UInt8](repeating: 8, count: SealingKey.length).span)
    var realm = try TestRealm<MemoryEngine>.key()
    var record = try Self.record(1, uid: 1000)
    record.setRecoveryCodes(
      [try record.digest(of: Self.code.span, kind: .generated, &former)], at: 0)
    let rekeyed = try record.resealed(from: &former, to: &present)
    let moved = try Self.moved(rekeyed, from: &present, to: try Self.record(2, uid: .max), &realm)
    let isKnown = try Self.recognises(Self.code, moved, &realm)
    #expect(isKnown)
  }

  @Test("keys that were sealed for another record do not open")
  func otherRecord() throws {
    var host = try Self.hostKey()
    var realm = try TestRealm<MemoryEngine>.key()
    var record = try Self.record(1, uid: 1000)
    record.setRecoveryCodes(
      [try record.digest(of: Self.code.span, kind: .generated, &host)], at: 0)
    let moved = try Self.moved(record, from: &host, to: try Self.record(2, uid: .max), &realm)
    let other = try #require(
      try Self.record(4, uid: .max).resealed(
        FactorRecord.Resealed(
          secrets: [], recoveryCodes: [], grants: [], digestKeys: moved.sealedDigestKeys)))
    var failure: FactorStoreError?
    do throws(FactorStoreError) {
      _ = try other.digest(ofImported: Self.code.span, kind: .generated, &realm)
    } catch {
      failure = error
    }
    #expect(failure == .damaged(.record))
  }
}
