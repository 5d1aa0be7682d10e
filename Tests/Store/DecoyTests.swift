@testable import MFAStore
import MFABase
import MFAModel
import MFATestSupport
import Testing

@Suite("An entry of nobody")
struct DecoyTests {
  let fixture: StoreFixture

  init() throws { fixture = try StoreFixture() }

  @Test("has factors like those of a record, or one with the standard parameters")
  func factors() throws {
    let long = try #require(TOTPParameters(algorithm: .sha512, codeLength: .eight, period: 60))
    #expect(try FactorSnapshot(decoyLike: nil).record.factors.map(\.parameters) == [.standard])
    var record = try FactorSnapshot(decoyLike: nil).record
    try record.add(
      Factor(
        id: try #require(FactorID(bytes: [UInt8](repeating: 9, count: FactorID.length))),
        displayName: try DisplayName(Array("Phone".utf8)), enrolledAt: 0,
        kind: .totp(long, sealedSecret: [])))
    let decoy = try FactorSnapshot(decoyLike: record)
    #expect(decoy.record.factors.map(\.parameters) == [.standard, long])
    #expect(decoy.record.grants.isEmpty && decoy.record.recoveryCodes.isEmpty)
  }

  @Test("accepts no code, not even one of its secrets, which everybody can compute")
  func noCode() throws {
    let entry = try fixture.open().decoy(like: nil)
    let factor = try #require(entry.kept?.factors.first)
    let now: Int64 = 1_700_000_000
    var hotp = try HOTP(secret: [UInt8](repeating: 0, count: 20).span, algorithm: .sha1)
    let code = try hotp.code(at: UInt64(now / 30), digits: .six)
    let secret = try entry.secret(of: factor)
    let step = try #require(
      try Verification.latestMatch(
        of: code, secret: secret.span, parameters: .standard, now: now, adjacentIntervals: 5))
    #expect(entry.attempts.accepting([AttemptState.Match(factor: factor.id, step: step)]) == nil)
  }

  @Test("leaves nothing in the store")
  func nothingIsStored() throws {
    let entry = try fixture.open().decoy(like: nil)
    try entry.write(entry.attempts)
    try entry.sync()
    #expect(
      try Command.succeed(["/usr/bin/find", fixture.folder + "/store", "-type", "f"]).isEmpty)
  }
}
