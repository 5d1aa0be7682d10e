import MFAAttempt
import MFABase
import MFAModel
import MFAStore
import Testing

@Suite("Summaries of users")
struct UserSummaryTests {
  @Test("a summary has no byte of a sealed secret, a digest or a place")
  func noSecrets() throws {
    func secret(_ count: Int) -> [UInt8] { [UInt8](repeating: 0xA5, count: count) }
    let id = try #require(FactorID(bytes: [UInt8](repeating: 1, count: FactorID.length)))
    let user = try #require(UserName(Array("alice".utf8)))
    var record = FactorRecord(user: user, uid: 1000, id: id)
    try record.add(
      Factor(
        id: id, displayName: try #require(DisplayName(Array("phone".utf8))), enrolledAt: 17,
        kind: .totp(.standard, sealedSecret: secret(48))))
    let digest = secret(RecoveryCodeDigest.length)
    record.setRecoveryCodes(
      [
        try #require(RecoveryCodeDigest(kind: .generated, bytes: digest)),
        try #require(RecoveryCodeDigest(kind: .imported, bytes: digest)),
      ], at: 1)
    let grant = Grant(
      kind: .bypass, id: try #require(GrantID(bytes: [1, 2, 3, 4])), madeAt: 1, expiresAt: 100,
      usesLeft: 1, reason: nil, digest: digest)
    #expect(record.add(try #require(grant)))
    let attempts = AttemptState(
      record: id, failures: 7, lastFailure: 9,
      watermarks: [AttemptState.Watermark(factor: id, step: 33)]
    ).remembering(SignInOriginDigest(.address, 0xA5A5_A5A5_A5A5_A5A5), at: 20)
    let summary = UserSummary(FactorSnapshot(record: record, attempts: attempts), .open)
    #expect(summary.factors.map(\.keyLength) == [20] && summary.factors.map(\.lastStep) == [33])
    #expect(summary.recoveryCodes == 2 && summary.importedRecoveryCodes == 1)
    #expect(summary.grants.map(\.id.bytes) == [[1, 2, 3, 4]])
    #expect(summary.failures == FailureCount(failures: 7, last: 9))
    #expect(summary.remembered == 1 && summary.lastRemembered == 20)
    var (shown, whole) = ("", "")
    dump(summary, to: &shown)
    dump(record, to: &whole)
    #expect(whole.contains("165"))
    #expect(!shown.contains("165") && !shown.contains("11936128518282651045"))
  }
}
