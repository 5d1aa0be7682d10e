import MFAAttempt
import MFABase
import MFAModel
import MFAWire

// The encoding of changes, their effects, and reports about users.
extension UserChange {
  private static let forms: [UserChange] = [
    .unlock, .forget, .revoke(.zero), .revokeEverything,
    .grant(GrantTerms(kind: .ticket, seconds: 0, uses: 0, reason: nil)), .withdraw(nil),
  ]

  mutating func fields(_ coder: inout Coder) throws(PacketError) {
    try coder.form(&self, of: Self.forms)
    switch self {
    case .unlock: try coder.constant(1)
    case .forget: try coder.constant(2)
    case .revoke(var id):
      try coder.constant(3)
      try coder.identifier(&id)
      self = .revoke(id)
    case .revokeEverything: try coder.constant(4)
    case .grant(var terms):
      try coder.constant(5)
      try coder.choice(&terms.kind)
      try coder.number(&terms.seconds)
      try coder.number(&terms.uses)
      try coder.reason(&terms.reason)
      self = .grant(terms)
    case .withdraw(var id):
      try coder.constant(6)
      try coder.identifier(&id)
      self = .withdraw(id)
    }
  }
}

extension UserChange.Effect {
  private static let forms: [UserChange.Effect] = [
    .unlocked(.placeholder), .forgotten(remembered: 0), .revoked(.placeholder),
    .granted(.placeholder), .withdrawn([]),
  ]

  mutating func fields(_ coder: inout Coder) throws(PacketError) {
    try coder.form(&self, of: Self.forms)
    switch self {
    case .unlocked(var unlocking):
      try coder.constant(1)
      try unlocking.fields(&coder)
      self = .unlocked(unlocking)
    case .forgotten(var remembered):
      try coder.constant(2)
      try coder.number(&remembered, as: UInt16.self)
      self = .forgotten(remembered: remembered)
    case .revoked(var removal):
      try coder.constant(3)
      try removal.fields(&coder)
      self = .revoked(removal)
    case .granted(var made):
      try coder.constant(4)
      try made.fields(&coder)
      self = .granted(made)
    case .withdrawn(var grants):
      try coder.constant(5)
      try coder.grants(&grants)
      self = .withdrawn(grants)
    }
  }
}

extension UserChange.Unlocking {
  static var placeholder: Self {
    Self(
      standing: .open, failures: 0, ownStanding: .open, ownFailures: 0, remembered: 0, ahead: [])
  }

  mutating func fields(_ coder: inout Coder) throws(PacketError) {
    try coder.standing(&standing)
    try coder.number(&failures)
    try coder.standing(&ownStanding)
    try coder.number(&ownFailures)
    try coder.standing(&daemonStanding)
    try coder.number(&daemonFailures)
    try coder.number(&remembered, as: UInt16.self)
    try coder.factors(&ahead)
  }
}

extension UserChange.Removal {
  static var placeholder: Self {
    Self(factors: [], factorsLeft: 0, grants: 0, remembered: 0, isOfEverything: false)
  }

  mutating func fields(_ coder: inout Coder) throws(PacketError) {
    try coder.factors(&factors)
    try coder.number(&factorsLeft, as: UInt8.self)
    try coder.number(&grants, as: UInt8.self)
    try coder.number(&remembered, as: UInt16.self)
    try coder.flag(&isOfEverything)
  }
}

extension UserChange.NewGrant {
  static var placeholder: Self {
    Self(grant: .placeholder, code: GrantCode(.placeholder), standing: .open, isEnrolled: false)
  }

  mutating func fields(_ coder: inout Coder) throws(PacketError) {
    try coder.grant(&grant)
    var written = code.value.written()
    try coder.secret(&written, longest: RecoveryCode.writtenLength)
    guard let read = RecoveryCode(written: written.span) else { throw .malformed }
    // The code is sent as it is shown, without digits that are read as others.
    guard constantTimeEquals(read.written().span, written.span) else { throw .malformed }
    code = GrantCode(read)
    try coder.standing(&standing)
    try coder.flag(&isEnrolled)
  }
}

extension UserSummary {
  static var placeholder: UserSummary {
    UserSummary(user: .placeholder, uid: nil, standing: .open)
  }

  mutating func fields(_ coder: inout Coder) throws(PacketError) {
    try coder.user(&user)
    try coder.standing(&standing)
    let factor = ListedFactor(
      summary: .placeholder, origin: .enrolled, keyLength: 0, lastStep: nil)
    try coder.longList(&factors, most: Coder.mostOfUser, placeholder: factor) {
      (factor: inout ListedFactor, coder: inout Coder) throws(PacketError) in
      try factor.summary.fields(&coder)
      try coder.choice(&factor.origin)
      try coder.number(&factor.keyLength)
      try coder.number(&factor.lastStep)
    }
    try coder.number(&recoveryCodes)
    try coder.number(&importedRecoveryCodes)
    try coder.grants(&grants)
    for count in [\UserSummary.failures, \UserSummary.ownFailures, \UserSummary.daemonFailures] {
      try coder.number(&self[keyPath: count].failures)
      try coder.number(&self[keyPath: count].last)
    }
    try coder.number(&turns)
    try coder.number(&turnsOfOneSource)
    try coder.number(&remembered)
    try coder.number(&lastRemembered)
  }
}

extension Coder {
  /// The largest number of factors or grants of a user.
  fileprivate static var mostOfUser: Int { 64 }
  /// The longest reason for a grant in bytes: 128 Unicode scalars.
  private static var longestReason: Int { 512 }

  fileprivate mutating func standing(
    _ standing: inout AttemptState.Standing
  ) throws(PacketError) {
    try form(&standing, of: [.open, .throttled(seconds: 0), .locked])
    switch standing {
    case .open: try constant(1)
    case .throttled(var seconds):
      try constant(2)
      try number(&seconds)
      standing = .throttled(seconds: seconds)
    case .locked: try constant(3)
    }
  }

  fileprivate mutating func factors(_ factors: inout [FactorSummary]) throws(PacketError) {
    try longList(&factors, most: Self.mostOfUser, placeholder: .placeholder) {
      (factor: inout FactorSummary, coder: inout Coder) throws(PacketError) in
      try factor.fields(&coder)
    }
  }

  fileprivate mutating func grants(_ grants: inout [Grant]) throws(PacketError) {
    try longList(&grants, most: Self.mostOfUser, placeholder: .placeholder) {
      (grant: inout Grant, coder: inout Coder) throws(PacketError) in try coder.grant(&grant)
    }
  }

  /// A grant without its digest.
  fileprivate mutating func grant(_ grant: inout Grant) throws(PacketError) {
    var (kind, id, reason) = (grant.kind, grant.id, grant.reason)
    var (madeAt, expiresAt, usesLeft) = (grant.madeAt, grant.expiresAt, grant.usesLeft)
    try choice(&kind)
    try identifier(&id)
    try number(&madeAt)
    try number(&expiresAt)
    try number(&usesLeft)
    try self.reason(&reason)
    var scope: ProgramScope?
    if kind == .programPassword {
      scope = grant.scope
      try self.scope(&scope)
    }
    let read = Grant(
      kind: kind, id: id, madeAt: madeAt, expiresAt: expiresAt, usesLeft: usesLeft, reason: reason,
      scope: scope,
      digest: [UInt8](repeating: 0, count: RecoveryCodeDigest.length))
    guard let read else { throw .malformed }
    grant = read
  }

  /// The reason for a grant; an empty string for none.
  fileprivate mutating func reason(_ reason: inout Grant.Reason?) throws(PacketError) {
    var text = reason?.utf8 ?? []
    try bytes(&text, longest: Self.longestReason)
    reason = Grant.Reason(text)
    guard reason?.utf8 ?? [] == text else { throw .malformed }
  }
}
