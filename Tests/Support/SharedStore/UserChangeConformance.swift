import MFAAttempt
import MFABase
import MFAModel
import MFASignInTestSupport
import MFAStore
import Testing

/// What the changes of an administrator do in every store.
extension FactorStoreConformance {
  private static var bob: Account { Account(name: Array("bob".utf8), uid: 1001) }

  /// Makes a change, as an administrator does.
  private func apply(
    _ change: UserChange, to account: Account? = nil, at now: Int64 = Self.now
  ) throws -> UserChange.Outcome {
    let store = try open()
    let account = account ?? self.account
    let context = UserChange.Context(
      settings: .defaults, by: Self.event.actor, from: Source(Array("root".utf8)), at: now)
    return try store.deciding { () throws(FactorStoreError) in
      let entry =
        change.createsRecord
        ? try store.entry(of: account, creating: true) : try store.existingEntry(of: account)
      guard let entry else { return .notFound }
      return try change.apply(to: entry, context)
    }
  }

  /// Makes a change that must succeed, and returns its effect. `number` is that of the entry in the audit log; nil if
  /// nothing must be changed.
  private func effect(
    of change: UserChange, on account: Account? = nil, at now: Int64 = Self.now, entry: UInt32?
  ) throws -> UserChange.Effect {
    guard case .made(let effect, let entered) = try apply(change, to: account, at: now) else {
      throw FactorStoreError.damaged(.record)
    }
    #expect(entered == .entered(entered.mark), "\(change)")
    #expect(entered.mark?.number == entry, "\(change)")
    return effect
  }

  private func isNotFound(_ change: UserChange, _ account: Account? = nil) throws -> Bool {
    guard case .notFound = try apply(change, to: account) else { return false }
    return true
  }

  private func remember(_ count: Int) throws {
    let entry = try open().entry(of: account, creating: false)
    for number in 1...count {
      try entry.write(
        entry.attempts.remembering(SignInOriginDigest(.address, UInt64(number)), at: Self.now))
    }
    try entry.sync()
  }

  private func rememberedCount() throws -> Int? {
    try open().snapshot(of: account)?.attempts.remembered.entries.count
  }

  /// Nothing is changed or created for a user without data, except by a grant.
  func changesOfMissingUser() throws {
    try enroll()
    let id = try #require(GrantID(bytes: [1, 2, 3, 4]))
    for change in [
      .unlock, .forget, .revoke(.zero), .revokeEverything, .withdraw(nil), .withdraw(id),
    ] as [UserChange] {
      #expect(try isNotFound(change, Self.bob), "\(change)")
    }
    #expect(try open().existingEntry(of: Self.bob) == nil)
    #expect(try isNotFound(.revoke(.zero)) && isNotFound(.withdraw(nil)))
    #expect(try open().snapshot(of: account)?.record.generation == 1)
  }

  /// Unlocking clears failures, so that a code is accepted again. Used codes stay used.
  func unlocking() throws {
    try enroll()
    var time = Self.now
    for _ in 0..<100 {
      _ = try attempt(try KnownFactor.wrongCode(at: time), at: time)
      time += 100_000
    }
    let code = try KnownFactor.code(at: time)
    guard case .rejected(.locked) = try attempt(code, at: time) else {
      Issue.record("the factors are not locked")
      return
    }
    guard case .unlocked(let found) = try effect(of: .unlock, at: time, entry: 2) else {
      Issue.record("another effect")
      return
    }
    #expect(found.standing == .locked && found.failures == 100 && found.ahead.isEmpty)
    guard case .accepted = try attempt(code, at: time) else {
      Issue.record("the factors are still locked")
      return
    }
    _ = try effect(of: .unlock, at: time, entry: nil)
    guard case .rejected = try attempt(code, at: time) else {
      Issue.record("a used code was accepted")
      return
    }
  }

  /// Forgetting, unlocking and revoking clear remembered sign-ins, also of a user who is not locked.
  func rememberedSignIns() throws {
    let factor = try enroll()
    let other = try enroll("Other")
    try remember(1)
    guard case .forgotten(1) = try effect(of: .forget, entry: 3),
      case .forgotten(0) = try effect(of: .forget, entry: nil)
    else {
      Issue.record("another number")
      return
    }
    try remember(2)
    guard case .unlocked(let found) = try effect(of: .unlock, entry: 4) else {
      Issue.record("another effect")
      return
    }
    #expect(try found.remembered == 2 && found.failures == 0 && rememberedCount() == 0)
    try remember(3)
    guard case .revoked(let one) = try effect(of: .revoke(other.id), entry: 5) else {
      Issue.record("another effect")
      return
    }
    #expect(one.factors.map(\.id) == [other.id] && one.factorsLeft == 1 && one.remembered == 3)
    #expect(try rememberedCount() == 0)
    try remember(4)
    guard case .revoked(let rest) = try effect(of: .revokeEverything, entry: 6) else {
      Issue.record("another effect")
      return
    }
    #expect(rest.factors.map(\.id) == [factor.id] && rest.factorsLeft == 0 && rest.remembered == 4)
    #expect(try open().keptSnapshot(of: account)?.attempts.remembered.entries.isEmpty != false)
  }

  /// After a revocation no code is accepted, and the user is told at the next sign-in.
  func revocation() throws {
    let factor = try enroll()
    _ = try effect(of: .revoke(factor.id), entry: 2)
    #expect(try isNotFound(.revoke(factor.id)) && isNotFound(.revokeEverything))
    try enroll()
    _ = try effect(of: .revokeEverything, entry: 4)
    #expect(try open().snapshot(of: account) == nil)
    guard case .rejected(.notEnrolled) = try attempt(try KnownFactor.code(at: Self.now)) else {
      Issue.record("a revoked factor was asked for")
      return
    }
    #expect(try isNotFound(.revokeEverything))
    let notices = try open().kept(for: account)?.notices.map(\.kind)
    #expect(notices == [.unenrolled, .revoked])
  }

  /// A grant is accepted until it is withdrawn, and its effect has the only copy of the code.
  func grants() throws {
    let terms = UserChange.GrantTerms(
      kind: .ticket, seconds: 600, uses: 1,
      reason: Grant.Reason(Array("lost phone".utf8)))
    let change = UserChange.grant(terms)
    guard case .granted(let made) = try effect(of: change, entry: 1) else {
      Issue.record("no grant")
      return
    }
    #expect(made.grant.expiresAt == Self.now + 600 && made.grant.reason == terms.reason)
    #expect(made.standing == .open && !made.isEnrolled)
    #expect(made.grant.digest.allSatisfy { $0 == 0 })
    let redeemed = try Attempt.redeem(
      ticket: made.code.value, by: account, in: try open(),
      Attempt.Context(settings: .defaults, clock: { Self.now }))
    guard case .good(made.grant.id) = redeemed else {
      Issue.record("\(redeemed)")
      return
    }
    for number in 2...4 { _ = try effect(of: change, entry: UInt32(number)) }
    guard case .tooManyGrants = try apply(change) else {
      Issue.record("more grants than a record has room for")
      return
    }
    guard case .withdrawn(let one) = try effect(of: .withdraw(made.grant.id), entry: 5),
      case .withdrawn(let rest) = try effect(of: .withdraw(nil), entry: 6)
    else {
      Issue.record("another effect")
      return
    }
    #expect(one == [made.grant] && rest.count == 3)
    #expect(rest.allSatisfy { $0.digest.allSatisfy { $0 == 0 } })
    #expect(try open().kept(for: account)?.grants.isEmpty != false)
    #expect(try isNotFound(.withdraw(nil)))
    // A grant after the others expired takes their place.
    for _ in 0..<4 { _ = try apply(change) }
    guard case .made = try apply(change, at: Self.now + 600) else {
      Issue.record("expired grants were counted")
      return
    }
  }

  /// A program password is found by its user alone, and until an administrator withdraws it.
  func programPasswords() throws {
    let factor = try enroll()
    let scope = ProgramScope(services: Array("dovecot".utf8), networks: [])
    guard let scope, let name = Grant.Reason(Array("mail".utf8)) else {
      throw FactorStoreError.damaged(.record)
    }
    let store = try open()
    let (grant, text) = try store.deciding { () throws(FactorStoreError) -> (Grant, SecretText) in
      let entry = try store.entry(of: account, creating: false)
      guard var record = entry.record else { throw .damaged(.record) }
      let new = try Attempt.newProgramPassword(
        named: name, scope, of: record, entry, madeAt: Self.now, expiresAt: Self.now + 600)
      let grant = new.grant
      guard record.add(grant) else { throw .damaged(.record) }
      _ = try entry.replace(record: record, attempts: entry.attempts, entering: Self.event)
      return (grant, SecretText(new.password.written()))
    }
    func found(_ account: Account?, changed: Bool = false) throws -> Grant? {
      var typed = text.bytes
      if changed { typed[typed.count - 1] = typed[typed.count - 1] == 0x61 ? 0x62 : 0x61 }
      guard let password = ProgramPassword(answer: typed.span) else {
        throw FactorStoreError.damaged(.record)
      }
      return try Attempt.programPassword(password, of: account, in: try open())
    }
    #expect(try found(account) == grant)
    #expect(try found(account, changed: true) == nil)
    #expect(try found(Self.bob) == nil)
    #expect(try found(nil) == nil)
    guard case .withdrawn(let withdrawn) = try effect(of: .withdraw(grant.id), entry: 3) else {
      Issue.record("another effect")
      return
    }
    #expect(withdrawn == [grant.withoutDigest])
    #expect(try found(account) == nil)
    #expect(try open().kept(for: account)?.factor(factor.id) != nil)
  }
}

/// A typed password, which can be copied.
private struct SecretText {
  let bytes: [UInt8]

  init(_ secret: borrowing SecretBytes) { bytes = secret.span.indices.map { secret.span[$0] } }
}
