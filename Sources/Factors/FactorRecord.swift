public import OneTimePassword
import Secrets

/// What is kept for one user: the part of the store that changes rarely.
///
/// A record may be without factors: of somebody who was granted a ticket, or who has notices that
/// were not told. Such a user is not enrolled.
///
/// MUST 1: what is written parses back equal, and nothing else parses. (`FactorRecordTests.roundTrip`,
/// `.everyTruncation`, `.trailingBytes`)
/// MUST 2: a version that is not known is refused as such. (`FactorRecordTests.otherVersions`)
public struct FactorRecord: Equatable, Sendable {
  /// What a record holds. A copy of the record shares it until one of them changes: records are handed
  /// from function to function, and each copy of a large value is code in the module.
  private final class Storage: @unchecked Sendable {
    let user: UserName
    let uid: UInt32
    let id: FactorID
    var generation: UInt32 = 0
    var factors: [Factor] = []
    var recoveryCodes: [RecoveryCodeDigest] = []
    var grants: [Grant] = []
    var notices: [Notice] = []
    var noticesMailed: UInt32 = 0

    init(user: UserName, uid: UInt32, id: FactorID) {
      self.user = user
      self.uid = uid
      self.id = id
    }

    func copy() -> Storage {
      let copy = Storage(user: user, uid: uid, id: id)
      copy.generation = generation
      copy.factors = factors
      copy.recoveryCodes = recoveryCodes
      copy.grants = grants
      copy.notices = notices
      copy.noticesMailed = noticesMailed
      return copy
    }
  }

  private var storage: Storage

  /// The storage, for a change: no other record shares it.
  private var own: Storage {
    @inline(never)
    mutating get {
      if !isKnownUniquelyReferenced(&storage) { storage = storage.copy() }
      return storage
    }
  }

  /// The account the factors belong to.
  public var user: UserName { storage.user }

  /// The account's numeric identity when they were enrolled: a name that was given to somebody else
  /// does not inherit them.
  public var uid: UInt32 { storage.uid }

  /// What ties the attempt state to this record: 16 random bytes.
  public var id: FactorID { storage.id }

  /// How often the record was changed. A change that was begun with an earlier generation is refused.
  public private(set) var generation: UInt32 {
    get { storage.generation }
    set { own.generation = newValue }
  }

  /// The factors, oldest first, at most `maximumFactors`, ids and names unique.
  public private(set) var factors: [Factor] {
    get { storage.factors }
    set { own.factors = newValue }
  }

  /// What is kept of the recovery codes that are left, at most `maximumRecoveryCodes`.
  public private(set) var recoveryCodes: [RecoveryCodeDigest] {
    get { storage.recoveryCodes }
    set { own.recoveryCodes = newValue }
  }

  /// What administrators granted, oldest first, at most `maximumGrants`, ids unique.
  public private(set) var grants: [Grant] {
    get { storage.grants }
    set { own.grants = newValue }
  }

  /// What happened lately, oldest first, at most `maximumNotices`, numbers rising.
  public private(set) var notices: [Notice] {
    get { storage.notices }
    set { own.notices = newValue }
  }

  /// The number of the last notice that was mailed, or will never be.
  public private(set) var noticesMailed: UInt32 {
    get { storage.noticesMailed }
    set { own.noticesMailed = newValue }
  }

  /// Compares everything that two records hold.
  @inline(never)
  public static func == (left: FactorRecord, right: FactorRecord) -> Bool {
    let (left, right) = (left.storage, right.storage)
    return left === right
      || (left.user == right.user && left.uid == right.uid && left.id == right.id
        && left.generation == right.generation && left.factors == right.factors
        && left.recoveryCodes == right.recoveryCodes && left.grants == right.grants
        && left.notices == right.notices && left.noticesMailed == right.noticesMailed)
  }

  /// The most factors a user may have.
  public static let maximumFactors = 8

  /// The most recovery codes a user may have.
  public static let maximumRecoveryCodes = 10

  /// The most grants a user may have.
  public static let maximumGrants = 4

  /// The most notices that are kept. One place for each factor and for the recovery codes, so that
  /// the latest notice about each is always kept, and three more.
  public static let maximumNotices = 12

  /// The newest format. A record of generation 0 is written in version 1, which has no generation.
  public static let version: UInt16 = 2

  /// The version that secrets and digests are bound to. They stay valid when the format changes.
  private static let contextVersion: UInt16 = 1

  /// The longest record in bytes, before the store adds its seal.
  public static let maximumLength = 10_240

  /// Why bytes are no record.
  public enum Refusal: Error, Equatable, Sendable {
    case notARecord
    case otherVersion(UInt16)
    case damaged
  }

  /// An empty record of a user's.
  public init(user: UserName, uid: UInt32, id: FactorID) {
    storage = Storage(user: user, uid: uid, id: id)
  }

  /// Whether there is a factor.
  public var isEnrolled: Bool { !factors.isEmpty }

  /// Whether there is nothing to keep.
  public var isVacant: Bool { factors.isEmpty && grants.isEmpty && notices.isEmpty }

  // MARK: Changing

  /// Begins the next generation. The store does so for each change that it enters in the audit log.
  public mutating func beginGeneration() { generation = Self.generation(after: generation) }

  /// Returns the generation that follows `generation`. It starts again at 1 after 2^32 - 1 changes,
  /// more than any store will see.
  public static func generation(after generation: UInt32) -> UInt32 {
    generation == .max ? 1 : generation &+ 1
  }

  /// Why a factor cannot be added or renamed.
  public enum ChangeRefusal: Error, Equatable, Sendable {
    case tooManyFactors
    case nameTaken
    case noSuchFactor
  }

  /// Adds a factor behind the others.
  public mutating func add(_ factor: Factor) throws(ChangeRefusal) {
    guard factors.count < Self.maximumFactors else { throw .tooManyFactors }
    guard !factors.contains(where: { $0.displayName == factor.displayName || $0.id == factor.id })
    else { throw .nameTaken }
    factors.append(factor)
  }

  /// Gives a factor another name.
  public mutating func rename(_ id: FactorID, to name: DisplayName) throws(ChangeRefusal) {
    guard let index = factors.firstIndex(where: { $0.id == id }) else { throw .noSuchFactor }
    guard !factors.contains(where: { $0.displayName == name && $0.id != id }) else {
      throw .nameTaken
    }
    factors[index].displayName = name
  }

  /// Takes a factor away and tells whether it was the most recently enrolled one. Recovery codes go
  /// with the last one.
  public mutating func remove(_ id: FactorID) throws(ChangeRefusal) -> Bool {
    guard let index = factors.firstIndex(where: { $0.id == id }) else { throw .noSuchFactor }
    let wasNewest = index == factors.count - 1
    factors.remove(at: index)
    if factors.isEmpty { recoveryCodes = [] }
    return wasNewest
  }

  /// Takes away all that lets anybody in: factors, recovery codes and grants.
  public mutating func removeEverything() {
    factors = []
    recoveryCodes = []
    grants = []
  }

  /// Says how far ahead the clock of a factor's authenticator is, in time steps.
  public mutating func setTimeOffset(
    of id: FactorID, to offset: Int32
  ) throws(ChangeRefusal) {
    guard let index = factors.firstIndex(where: { $0.id == id }) else { throw .noSuchFactor }
    factors[index].timeOffset = offset
  }

  /// Puts other recovery codes in the place of those there are; no more than
  /// `maximumRecoveryCodes` are kept.
  public mutating func setRecoveryCodes(_ codes: [RecoveryCodeDigest]) {
    recoveryCodes = Array(codes.prefix(Self.maximumRecoveryCodes))
  }

  /// Takes a recovery code out, and puts another in its place where there is one.
  public mutating func spendRecoveryCode(
    _ code: RecoveryCodeDigest, replacement: RecoveryCodeDigest?
  ) {
    guard let index = recoveryCodes.firstIndex(of: code) else { return }
    recoveryCodes.remove(at: index)
    if let replacement { recoveryCodes.append(replacement) }
  }

  // MARK: Grants

  /// Adds a grant; false when there are as many as there may be, or one of its id.
  public mutating func add(_ grant: Grant) -> Bool {
    guard grants.count < Self.maximumGrants, !grants.contains(where: { $0.id == grant.id }) else {
      return false
    }
    grants.append(grant)
    return true
  }

  /// Takes a grant away; nil when there is none of the id.
  public mutating func withdraw(_ id: GrantID) -> Grant? {
    guard let index = grants.firstIndex(where: { $0.id == id }) else { return nil }
    return grants.remove(at: index)
  }

  /// Counts a use of a grant, and takes it away with the last one. False when there is none of the id.
  public mutating func use(_ id: GrantID) -> Bool {
    guard let index = grants.firstIndex(where: { $0.id == id }) else { return false }
    if let left = grants[index].afterUse {
      grants[index] = left
    } else {
      grants.remove(at: index)
    }
    return true
  }

  /// Takes away what is good no more at `now`, in seconds since the epoch.
  public mutating func removeExpiredGrants(at now: Int64) {
    grants.removeAll { $0.expiresAt <= now }
  }

  // MARK: Notices

  /// The number of the last notice; 0 before the first one.
  public var lastNotice: UInt32 { notices.last?.number ?? noticesMailed }

  /// Adds a notice of what happened to `subject` at `time`, in seconds since the epoch. Bytes of
  /// `detail` beyond 255 are cut. When there are too many notices, an older one is removed.
  public mutating func note(
    _ kind: Notice.Kind, _ detail: [UInt8] = [], about subject: Notice.Subject, from source: Source,
    at time: Int64
  ) {
    let (number, overflow) = lastNotice.addingReportingOverflow(1)
    // Nobody has this happen four thousand million times; what would, is not numbered anew.
    guard !overflow else { return }
    notices.append(
      Notice(
        number: number, kind: kind, time: time, detail: Array(detail.prefix(255)), source: source,
        subject: subject))
    guard notices.count > Self.maximumNotices else { return }
    let index = notices.firstIndex { !isLatest($0) }
    notices.remove(at: index ?? 0)
  }

  /// Whether a notice is the latest about a factor of the record, or about the recovery codes. Such
  /// notices are never removed, so an attacker cannot push the notice of their factor out.
  private func isLatest(_ notice: Notice) -> Bool {
    let subject = notice.subject
    guard subject == .recoveryCodes || factors.contains(where: { .factor($0.id) == subject }) else {
      return false
    }
    return !isPending(subject, after: notice.number)
  }

  /// The notices after the number `last`, oldest first.
  @inline(never)
  public func notices(after last: UInt32) -> [Notice] { notices.filter { $0.number > last } }

  /// What a notice about a factor has as its subject: the factor, if the record holds another one.
  public func subject(of id: FactorID) -> Notice.Subject {
    factors.contains { $0.id != id } ? .factor(id) : .account
  }

  /// Whether a sign-in with a factor may confirm the notices after the number `last`.
  ///
  /// It may if none of them is about this factor. Otherwise an attacker could enrol a factor and
  /// confirm its notice with it. The exception is a user for whom no other way is left: there are
  /// unconfirmed notices about every factor and about the recovery codes. Then only the oldest factor may: an
  /// attacker's own is never that, as long as the owner has one.
  public func mayConfirm(after last: UInt32, with id: FactorID) -> Bool {
    guard isPending(.factor(id), after: last) else { return true }
    guard factors.first?.id == id, factors.allSatisfy({ isPending(.factor($0.id), after: last) })
    else { return false }
    return recoveryCodes.isEmpty || isPending(.recoveryCodes, after: last)
  }

  @inline(never)
  private func isPending(_ subject: Notice.Subject, after last: UInt32) -> Bool {
    notices.contains { $0.number > last && $0.subject == subject }
  }

  /// Takes note that every notice up to `number` was mailed.
  public mutating func mailed(upTo number: UInt32) {
    noticesMailed = max(noticesMailed, min(number, lastNotice))
  }

  /// A factor by its id.
  public func factor(_ id: FactorID) -> Factor? { factors.first { $0.id == id } }

  // MARK: Binary form

  private static let magic: [UInt8] = [0x4D, 0x46, 0x41, 0x52]  // MFAR
  private static let totpKind: UInt8 = 1

  /// The binary form of what it holds, whichever of its notices were mailed.
  public func encodedForLedger() -> [UInt8] {
    var record = self
    record.noticesMailed = 0
    return record.encoded()
  }

  /// The binary form.
  public func encoded() -> [UInt8] {
    var writer = ByteWriter()
    writer.write(Self.magic)
    writer.write(generation == 0 ? 1 : Self.version)
    writer.writeShort(user.bytes)
    writer.write(uid)
    writer.write(id.bytes)
    if generation > 0 { writer.write(generation) }
    writer.write(UInt8(truncatingIfNeeded: factors.count))
    for factor in factors {
      writer.write(factor.id.bytes)
      writer.write(factor.enrolledAt)
      writer.writeShort(factor.displayName.utf8)
      writer.write(factor.origin.rawValue)
      writer.write(factor.timeOffset)
      switch factor.kind {
      case .totp(let parameters, let sealedSecret):
        writer.write(Self.totpKind)
        writer.write(parameters.algorithm.rawValue)
        writer.write(parameters.codeLength.rawValue)
        writer.write(parameters.period)
        writer.writeShort(sealedSecret)
      }
    }
    writer.write(UInt8(truncatingIfNeeded: recoveryCodes.count))
    for code in recoveryCodes {
      writer.write(code.kind.rawValue)
      writer.write(code.bytes)
    }
    writer.write(UInt8(truncatingIfNeeded: grants.count))
    for grant in grants {
      writer.write(grant.kind.rawValue)
      writer.write(grant.id.bytes)
      writer.write(grant.madeAt)
      writer.write(grant.expiresAt)
      writer.write(grant.usesLeft)
      writer.writeShort(grant.reason?.utf8 ?? [])
      writer.write(grant.digest)
    }
    writer.write(noticesMailed)
    writer.write(UInt8(truncatingIfNeeded: notices.count))
    for notice in notices {
      writer.write(notice.number)
      writer.write(notice.kind.rawValue)
      writer.write(notice.time)
      writer.writeShort(notice.detail)
      writer.writeShort(notice.source.text)
      if generation > 0 { writer.writeShort(notice.subject.bytes) }
    }
    return writer.bytes
  }

  /// Reads the binary form.
  public init(encoded: Span<UInt8>) throws(Refusal) {
    var reader = ByteReader(encoded)
    guard reader.read(count: 4) == Self.magic else { throw .notARecord }
    guard let version = reader.read(UInt16.self) else { throw .damaged }
    guard (1...Self.version).contains(version) else { throw .otherVersion(version) }
    guard let name = reader.readShort(), let user = UserName(name),
      let uid = reader.read(UInt32.self),
      let idBytes = reader.read(count: FactorID.length), let id = FactorID(bytes: idBytes),
      let generation = version == 1 ? 0 : reader.read(UInt32.self),
      version == 1 || generation > 0, let count = reader.read(UInt8.self)
    else { throw .damaged }
    self.init(user: user, uid: uid, id: id)
    self.generation = generation
    for _ in 0..<count {
      guard let factor = Self.readFactor(&reader) else { throw .damaged }
      do throws(ChangeRefusal) { try add(factor) } catch { throw .damaged }
    }
    guard let codes = Self.readRecoveryCodes(&reader) else { throw .damaged }
    recoveryCodes = codes
    guard let grantCount = reader.read(UInt8.self) else { throw .damaged }
    for _ in 0..<grantCount {
      guard let grant = Self.readGrant(&reader), add(grant) else { throw .damaged }
    }
    guard let mailed = reader.read(UInt32.self), let notices = Self.readNotices(&reader, version),
      reader.isAtEnd
    else { throw .damaged }
    noticesMailed = mailed
    self.notices = notices
  }

  private static func readGrant(_ reader: inout ByteReader) -> Grant? {
    guard let kind = reader.read(UInt8.self).flatMap({ Grant.Kind(rawValue: $0) }),
      let id = reader.read(count: GrantID.length).flatMap({ GrantID(bytes: $0) }),
      let madeAt = reader.read(Int64.self), let expiresAt = reader.read(Int64.self),
      let usesLeft = reader.read(UInt8.self), let text = reader.readShort(),
      let reason = canonicalReason(text),
      let digest = reader.read(count: RecoveryCodeDigest.length)
    else { return nil }
    return Grant(
      kind: kind, id: id, madeAt: madeAt, expiresAt: expiresAt, usesLeft: usesLeft,
      reason: reason.value, digest: digest)
  }

  /// A reason that was stored, or that there is none.
  private struct StoredReason {
    let value: Grant.Reason?
  }

  private static func canonicalReason(_ bytes: [UInt8]) -> StoredReason? {
    guard !bytes.isEmpty else { return StoredReason(value: nil) }
    do throws(DisplayName.Refusal) {
      let reason = try Grant.Reason(bytes)
      return reason.utf8 == bytes ? StoredReason(value: reason) : nil
    } catch {
      return nil
    }
  }

  private static func readNotices(
    _ reader: inout ByteReader, _ version: UInt16
  ) -> [Notice]? {
    guard let count = reader.read(UInt8.self), count <= maximumNotices else { return nil }
    var notices: [Notice] = []
    for _ in 0..<count {
      guard let number = reader.read(UInt32.self), number > notices.last?.number ?? 0,
        let kind = reader.read(UInt8.self).flatMap({ Notice.Kind(rawValue: $0) }),
        let time = reader.read(Int64.self), let detail = reader.readShort(),
        let text = reader.readShort(), Source(text).text == text,
        let subject = Notice.Subject(version == 1 ? [] : reader.readShort())
      else { return nil }
      notices.append(
        Notice(
          number: number, kind: kind, time: time, detail: detail, source: Source(text),
          subject: subject))
    }
    return notices
  }

  private static func readRecoveryCodes(_ reader: inout ByteReader) -> [RecoveryCodeDigest]? {
    guard let count = reader.read(UInt8.self), count <= maximumRecoveryCodes else { return nil }
    var codes: [RecoveryCodeDigest] = []
    for _ in 0..<count {
      guard let kind = reader.read(UInt8.self).flatMap({ RecoveryCodeDigest.Kind(rawValue: $0) }),
        kind == .generated || kind == .imported,
        let bytes = reader.read(count: RecoveryCodeDigest.length),
        let code = RecoveryCodeDigest(kind: kind, bytes: bytes)
      else { return nil }
      codes.append(code)
    }
    return codes
  }

  private static func readFactor(_ reader: inout ByteReader) -> Factor? {
    guard let idBytes = reader.read(count: FactorID.length), let id = FactorID(bytes: idBytes),
      let enrolledAt = reader.read(Int64.self), let name = reader.readShort(),
      let displayName = canonicalName(name),
      let origin = reader.read(UInt8.self).flatMap({ Factor.Origin(rawValue: $0) }),
      let timeOffset = reader.read(Int32.self),
      reader.read(UInt8.self) == totpKind,
      let algorithm = reader.read(UInt8.self).flatMap({ HashAlgorithm(rawValue: $0) }),
      let codeLength = reader.read(UInt8.self).flatMap({ CodeLength(rawValue: $0) }),
      let period = reader.read(UInt16.self),
      let parameters = TOTPParameters(
        algorithm: algorithm, codeLength: codeLength, period: period),
      let sealedSecret = reader.readShort(), sealedSecret.count <= Factor.longestSealedSecret
    else { return nil }
    return Factor(
      id: id, displayName: displayName, enrolledAt: enrolledAt,
      kind: .totp(parameters, sealedSecret: sealedSecret), origin: origin, timeOffset: timeOffset)
  }

  /// A name that was stored must be one that `DisplayName` would store.
  private static func canonicalName(_ bytes: [UInt8]) -> DisplayName? {
    do throws(DisplayName.Refusal) {
      let name = try DisplayName(bytes)
      return name.utf8 == bytes ? name : nil
    } catch {
      return nil
    }
  }

  /// What a recovery code's digest is bound to: version, user, uid and record.
  public func recoveryCodeContext() -> [UInt8] {
    var writer = ByteWriter()
    writer.write(Self.contextVersion)
    writer.writeShort(user.bytes)
    writer.write(uid)
    writer.write(id.bytes)
    return writer.bytes
  }

  /// What a factor's sealed secret is bound to: version, user, uid, record, factor and parameters,
  /// so that it opens nowhere else.
  public func associatedData(
    factor: FactorID, parameters: TOTPParameters
  ) -> [UInt8] {
    var writer = ByteWriter()
    writer.write(Self.contextVersion)
    writer.writeShort(user.bytes)
    writer.write(uid)
    writer.write(id.bytes)
    writer.write(factor.bytes)
    writer.write(Self.totpKind)
    writer.write(parameters.algorithm.rawValue)
    writer.write(parameters.codeLength.rawValue)
    writer.write(parameters.period)
    return writer.bytes
  }
}
