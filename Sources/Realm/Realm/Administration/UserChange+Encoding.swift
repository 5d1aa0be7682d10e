import MFAAttempt
import MFABase
import MFAModel
import MFAWire

// The encoding of changes, their effects, and reports about users.
extension PacketWriter {
  mutating func field(_ change: UserChange) {
    switch change {
    case .unlock: field(UInt8(1))
    case .forget: field(UInt8(2))
    case .revoke(let id):
      field(UInt8(3))
      field(id.bytes)
    case .revokeEverything: field(UInt8(4))
    case .grant(let terms):
      field(UInt8(5))
      field(terms.kind.rawValue)
      field(terms.seconds)
      field(terms.uses)
      field(terms.reason?.utf8 ?? [])
    case .withdraw(let id):
      field(UInt8(6))
      field(id?.bytes ?? [])
    }
  }

  mutating func field(_ effect: UserChange.Effect) {
    switch effect {
    case .unlocked(let unlocking):
      field(UInt8(1))
      field(unlocking.standing)
      field(unlocking.failures)
      field(unlocking.ownStanding)
      field(unlocking.ownFailures)
      field(UInt16(clamping: unlocking.remembered))
      list(unlocking.ahead) { writer, factor in writer.field(factor) }
    case .forgotten(let remembered):
      field(UInt8(2))
      field(UInt16(clamping: remembered))
    case .revoked(let removal):
      field(UInt8(3))
      list(removal.factors) { writer, factor in writer.field(factor) }
      field(UInt8(clamping: removal.factorsLeft))
      field(UInt8(clamping: removal.grants))
      field(UInt16(clamping: removal.remembered))
      field(removal.isOfEverything)
    case .granted(let made):
      field(UInt8(4))
      field(made.grant)
      let code = made.code.value.written()
      field(code.span)
      field(made.standing)
      field(made.isEnrolled)
    case .withdrawn(let grants):
      field(UInt8(5))
      list(grants) { writer, grant in writer.field(grant) }
    }
  }

  mutating func field(_ user: AdministeredRealmUser) {
    field(user.name)
    switch user.content {
    case .usable(let summary):
      field(true)
      field(summary)
    case .unusable(let problem):
      field(false)
      field(problem)
    }
    field(user.fingerprint)
    field(user.directoryEntry)
  }

  private mutating func field(_ summary: UserSummary) {
    field(summary.user.bytes)
    field(summary.standing)
    list(summary.factors) { writer, factor in
      writer.field(factor.summary)
      writer.field(factor.origin.rawValue)
      writer.field(factor.keyLength)
      writer.field(factor.lastStep != nil)
      if let step = factor.lastStep { writer.field(step) }
    }
    field(summary.recoveryCodes)
    field(summary.importedRecoveryCodes)
    list(summary.grants) { writer, grant in writer.field(grant) }
    field(summary.failures)
    field(summary.ownFailures)
    field(summary.turns)
    field(summary.turnsOfOneSource)
    field(summary.remembered)
    field(summary.lastRemembered)
  }

  private mutating func field(_ count: FailureCount) {
    field(count.failures)
    field(count.last)
  }

  private mutating func field(_ standing: AttemptState.Standing) {
    switch standing {
    case .open: field(UInt8(0))
    case .throttled(let seconds):
      field(UInt8(1))
      field(seconds)
    case .locked: field(UInt8(2))
    }
  }

  private mutating func field(_ factor: FactorSummary) {
    field(factor.id.bytes)
    field(factor.displayName.utf8)
    field(factor.enrolledAt)
    switch factor.kind {
    case .totp(let parameters):
      field(UInt8(1))
      field(parameters.algorithm.rawValue)
      field(parameters.codeLength.rawValue)
      field(parameters.period)
    case .phone(let number, let time):
      field(UInt8(2))
      field(number.ascii)
      field(time)
    }
  }

  private mutating func field(_ grant: Grant) {
    field(grant.kind.rawValue)
    field(grant.id.bytes)
    field(grant.madeAt)
    field(grant.expiresAt)
    field(grant.usesLeft)
    field(grant.reason?.utf8 ?? [])
  }
}

extension PacketReader {
  /// The longest name of a factor, and the longest reason for a grant, in bytes: 128 Unicode scalars.
  private static var longestLine: Int { 512 }
  /// The longest written code in bytes.
  private static var longestCode: Int { 64 }
  /// The largest number of factors or grants of a user that are read.
  private static var mostOfUser: Int { 64 }

  @_lifetime(self: copy self)
  mutating func userChange() throws(PacketError) -> UserChange {
    switch try number(UInt8.self) {
    case 1: return .unlock
    case 2: return .forget
    case 3: return .revoke(try factorID())
    case 4: return .revokeEverything
    case 5:
      guard let kind = Grant.Kind(rawValue: try number(UInt8.self)) else { throw .malformed }
      let seconds = try number(UInt32.self)
      let uses = try number(UInt8.self)
      return .grant(
        UserChange.GrantTerms(kind: kind, seconds: seconds, uses: uses, reason: try reason()))
    case 6:
      let bytes = try bytes(longest: GrantID.length)
      guard !bytes.isEmpty else { return .withdraw(nil) }
      guard let id = GrantID(bytes: bytes) else { throw .malformed }
      return .withdraw(id)
    default: throw .malformed
    }
  }

  @_lifetime(self: copy self)
  mutating func userChangeEffect() throws(PacketError) -> UserChange.Effect {
    switch try number(UInt8.self) {
    case 1:
      return .unlocked(
        UserChange.Unlocking(
          standing: try standing(), failures: try number(UInt32.self),
          ownStanding: try standing(), ownFailures: try number(UInt32.self),
          remembered: Int(try number(UInt16.self)), ahead: try factors()))
    case 2: return .forgotten(remembered: Int(try number(UInt16.self)))
    case 3:
      return .revoked(
        UserChange.Removal(
          factors: try factors(), factorsLeft: Int(try number(UInt8.self)),
          grants: Int(try number(UInt8.self)), remembered: Int(try number(UInt16.self)),
          isOfEverything: try flag()))
    case 4:
      let grant = try grant()
      let written = try secret(longest: Self.longestCode)
      guard let code = RecoveryCode(written: written.span) else { throw .malformed }
      // The code is sent as it is shown, without digits that are read as others.
      guard constantTimeEquals(code.written().span, written.span) else { throw .malformed }
      return .granted(
        UserChange.NewGrant(
          grant: grant, code: GrantCode(code), standing: try standing(), isEnrolled: try flag()))
    case 5: return .withdrawn(try grants())
    default: throw .malformed
    }
  }

  @_lifetime(self: copy self)
  mutating func realmUser() throws(PacketError) -> AdministeredRealmUser {
    let name = try bytes()
    let content: AdministeredRealmUser.Content =
      if try flag() { .usable(try summary()) } else { .unusable(try bytes()) }
    return AdministeredRealmUser(
      name: name, content, fingerprint: try bytes(), directoryEntry: try bytes())
  }

  @_lifetime(self: copy self)
  private mutating func summary() throws(PacketError) -> UserSummary {
    guard let user = UserName(try bytes()) else { throw .malformed }
    var summary = UserSummary(user: user, uid: nil, standing: try standing())
    for _ in 0..<(try count()) {
      let factor = try factor()
      guard let origin = Factor.Origin(rawValue: try number(UInt8.self)) else { throw .malformed }
      let keyLength = try number(UInt8.self)
      summary.factors.append(
        UserSummary.ListedFactor(
          summary: factor, origin: origin, keyLength: keyLength,
          lastStep: try flag() ? try number(Int64.self) : nil))
    }
    summary.recoveryCodes = try number(UInt8.self)
    summary.importedRecoveryCodes = try number(UInt8.self)
    summary.grants = try grants()
    summary.failures = try failures()
    summary.ownFailures = try failures()
    summary.turns = try number(UInt8.self)
    summary.turnsOfOneSource = try number(UInt8.self)
    summary.remembered = try number(UInt16.self)
    summary.lastRemembered = try number(Int64.self)
    return summary
  }

  @_lifetime(self: copy self)
  private mutating func count() throws(PacketError) -> Int {
    let count = Int(try number(UInt16.self))
    guard count <= Self.mostOfUser else { throw .malformed }
    return count
  }

  @_lifetime(self: copy self)
  private mutating func failures() throws(PacketError) -> FailureCount {
    FailureCount(failures: try number(UInt32.self), last: try number(Int64.self))
  }

  @_lifetime(self: copy self)
  private mutating func standing() throws(PacketError) -> AttemptState.Standing {
    switch try number(UInt8.self) {
    case 0: return .open
    case 1: return .throttled(seconds: try number(Int64.self))
    case 2: return .locked
    default: throw .malformed
    }
  }

  @_lifetime(self: copy self)
  private mutating func factorID() throws(PacketError) -> FactorID {
    guard let id = FactorID(bytes: try bytes(longest: FactorID.length)) else { throw .malformed }
    return id
  }

  @_lifetime(self: copy self)
  private mutating func factors() throws(PacketError) -> [FactorSummary] {
    var factors: [FactorSummary] = []
    for _ in 0..<(try count()) { factors.append(try factor()) }
    return factors
  }

  @_lifetime(self: copy self)
  private mutating func factor() throws(PacketError) -> FactorSummary {
    let id = try factorID()
    let text = try bytes(longest: Self.longestLine)
    let name: DisplayName
    do throws(DisplayName.Refusal) { name = try DisplayName(text) } catch { throw .malformed }
    // A name is sent as it is stored, without blanks at its ends.
    guard name.utf8 == text else { throw .malformed }
    let enrolledAt = try number(Int64.self)
    return FactorSummary(
      id: id, displayName: name, enrolledAt: enrolledAt, kind: try factorKind())
  }

  @_lifetime(self: copy self)
  private mutating func factorKind() throws(PacketError) -> FactorSummary.Kind {
    switch try number(UInt8.self) {
    case 1:
      guard let algorithm = HashAlgorithm(rawValue: try number(UInt8.self)),
        let length = CodeLength(rawValue: try number(UInt8.self)),
        let parameters = TOTPParameters(
          algorithm: algorithm, codeLength: length, period: try number(UInt16.self))
      else { throw .malformed }
      return .totp(parameters)
    case 2:
      let ascii = try bytes(longest: MaskedPhoneNumber.maximumLength)
      guard let masked = MaskedPhoneNumber(ascii: ascii) else { throw .malformed }
      return .phone(masked, usableFrom: try number(Int64.self))
    default: throw .malformed
    }
  }

  @_lifetime(self: copy self)
  private mutating func grants() throws(PacketError) -> [Grant] {
    var grants: [Grant] = []
    for _ in 0..<(try count()) { grants.append(try grant()) }
    return grants
  }

  @_lifetime(self: copy self)
  private mutating func grant() throws(PacketError) -> Grant {
    guard let kind = Grant.Kind(rawValue: try number(UInt8.self)),
      let id = GrantID(bytes: try bytes(longest: GrantID.length))
    else { throw .malformed }
    let (made, expires) = (try number(Int64.self), try number(Int64.self))
    let uses = try number(UInt8.self)
    let grant = Grant(
      kind: kind, id: id, madeAt: made, expiresAt: expires, usesLeft: uses, reason: try reason(),
      digest: [UInt8](repeating: 0, count: RecoveryCodeDigest.length))
    guard let grant else { throw .malformed }
    return grant
  }

  /// Reads the reason for a grant, which can be empty.
  @_lifetime(self: copy self)
  private mutating func reason() throws(PacketError) -> Grant.Reason? {
    let text = try bytes(longest: Self.longestLine)
    guard !text.isEmpty else { return nil }
    let reason: Grant.Reason
    do throws(DisplayName.Refusal) { reason = try Grant.Reason(text) } catch { throw .malformed }
    guard reason.utf8 == text else { throw .malformed }
    return reason
  }
}
