import MFABase
import MFAMessages

/// The stored factors, recovery codes, grants and notices of one user. This part of the store
/// rarely changes.
///
/// A record can be without factors, for example if the user was given a ticket or has pending
/// notices. Such a user is not enrolled.
///
/// MUST 1: an encoded record parses back equal, and nothing else parses.
/// (`FactorRecordTests.roundTrip`, `.everyTruncation`, `.trailingBytes`)
/// MUST 2: an unknown version is reported as such. (`FactorRecordTests.otherVersions`)
package struct FactorRecord: Equatable, Sendable {
  /// The name of the account that the factors belong to.
  package private(set) var user: UserName

  /// The account's uid when the record was created. A later account with the same name does not
  /// inherit the factors.
  package private(set) var uid: UInt32

  /// 16 random bytes that bind the attempt state to this record.
  package let id: FactorID

  /// The number of changes to the record. A change that began with an earlier generation is
  /// refused.
  package private(set) var generation: UInt32 = 0

  /// The factors, oldest first, at most `maximumFactors`. Ids and names are unique.
  package private(set) var factors: [Factor] = []

  /// The digests of the unused recovery codes, at most `maximumRecoveryCodes`.
  package private(set) var recoveryCodes: [RecoveryCodeDigest] = []

  /// Tickets and bypass codes, at most `maximumGrants`, and program passwords, at most
  /// `maximumProgramPasswords`; oldest first. Ids are unique, and so are the names of program passwords.
  package private(set) var grants: [Grant] = []

  /// Recent notices, oldest first, at most `maximumNotices`. Their numbers increase.
  package private(set) var notices: [Notice] = []

  /// The number of the last notice that was mailed or that will never be mailed.
  package private(set) var noticesMailed: UInt32 = 0

  /// The language in which the user reads messages, or nil if it is not known.
  package private(set) var language: Language?

  /// The sealed keys with which the digests of recovery codes and grants are verified; nil if these
  /// were made with the present key.
  package private(set) var sealedDigestKeys: [UInt8]?

  /// When the user removed a phone last, in seconds since the epoch; 0 if none was removed. A number
  /// that is added soon afterwards is a changed number.
  package private(set) var phoneRemovedAt: Int64 = 0

  /// When recovery codes were added last to a record with a phone, in seconds since the epoch; 0 if
  /// all of them are older than the first phone.
  package private(set) var recoveryCodesAddedAt: Int64 = 0

  /// The maximum number of factors of a user.
  package static let maximumFactors = 8

  /// The maximum number of recovery codes of a user.
  package static let maximumRecoveryCodes = 10

  /// The maximum number of tickets and bypass codes of a user.
  package static let maximumGrants = 4

  /// The maximum number of program passwords of a user.
  package static let maximumProgramPasswords = 8

  /// The maximum number of stored notices: one for each factor and one for the recovery codes, so
  /// that the latest notice about each is always kept, and three more.
  package static let maximumNotices = 12

  /// The format version.
  package static let version: UInt16 = 1

  /// Whether the record has, or had, a phone.
  private var hasHadPhone: Bool { hasPhone || phoneRemovedAt > 0 }

  /// Whether one of the factors is a phone.
  package var hasPhone: Bool { factors.contains { $0.parameters == nil } }

  /// The version in what secrets and digests are bound to. It stays the same when the format of the record
  /// changes, so that they remain valid.
  private static let contextVersion: UInt16 = 1

  /// The maximum length of a record in bytes, before the store seals it.
  package static let maximumLength = 15_360

  /// Creates an empty record.
  package init(user: UserName, uid: UInt32, id: FactorID) {
    self.user = user
    self.uid = uid
    self.id = id
  }

  /// Whether the record has a factor.
  package var isEnrolled: Bool { !factors.isEmpty }

  /// Whether the record has recovery codes, tickets or bypass codes.
  package var hasOtherCodes: Bool {
    !recoveryCodes.isEmpty || grants.contains { $0.kind != .programPassword }
  }

  /// Whether the record has no content worth storing.
  package var isVacant: Bool { factors.isEmpty && grants.isEmpty && notices.isEmpty }

  // MARK: Changes

  /// Begins the next generation. The store calls this for each change that it records in the audit
  /// log.
  package mutating func beginGeneration() { generation = Self.generation(after: generation) }

  /// Makes the next generation one that neither this record nor another version of it has had.
  package mutating func continueGenerations(after other: UInt32) {
    generation = max(generation, other)
  }

  /// Returns the generation after `generation`. It wraps around to 1 after 2^32 - 1 changes, more
  /// than any store will see.
  package static func generation(after generation: UInt32) -> UInt32 {
    generation == .max ? 1 : generation &+ 1
  }

  /// The reason why a factor cannot be added, renamed or changed.
  package enum ChangeRefusal: Error, Equatable, Sendable {
    case tooManyFactors
    case nameTaken
    case noSuchFactor
  }

  /// Appends a factor.
  package mutating func add(_ factor: Factor) throws(ChangeRefusal) {
    guard factors.count < Self.maximumFactors else { throw .tooManyFactors }
    guard !factors.contains(where: { $0.displayName == factor.displayName || $0.id == factor.id })
    else { throw .nameTaken }
    factors.append(factor)
  }

  /// Renames a factor.
  package mutating func rename(_ id: FactorID, to name: DisplayName) throws(ChangeRefusal) {
    guard let index = factors.firstIndex(where: { $0.id == id }) else { throw .noSuchFactor }
    guard !factors.contains(where: { $0.displayName == name && $0.id != id }) else {
      throw .nameTaken
    }
    factors[index].displayName = name
  }

  /// Sets the language in which the user reads messages.
  package mutating func setLanguage(_ language: Language) { self.language = language }

  /// Removes a factor and returns whether it was the most recently enrolled one. Removing the last
  /// factor also removes the recovery codes and the program passwords.
  package mutating func remove(_ id: FactorID) throws(ChangeRefusal) -> Bool {
    guard let index = factors.firstIndex(where: { $0.id == id }) else { throw .noSuchFactor }
    let wasNewest = index == factors.count - 1
    factors.remove(at: index)
    if factors.isEmpty {
      recoveryCodes = []
      grants = grants.filter { $0.kind != .programPassword }
    }
    return wasNewest
  }

  /// Removes a factor, and adds the notice about it at `now`, in seconds since the epoch. Returns whether it was the
  /// most recently enrolled one.
  @discardableResult
  package mutating func unenroll(
    _ id: FactorID, from source: Source, at now: Int64
  ) throws(ChangeRefusal) -> Bool {
    guard let factor = factor(id) else { throw .noSuchFactor }
    let wasNewest = try remove(id)
    note(.unenrolled, factor.displayName.utf8, about: subject(of: id), from: source, at: now)
    return wasNewest
  }

  /// Records that the user removed a phone at `now`, in seconds since the epoch.
  package mutating func notePhoneRemoved(at now: Int64) {
    phoneRemovedAt = max(phoneRemovedAt, now, 1)
  }

  /// Returns whether the user removed a phone in the `seconds` before `now`, in seconds since the
  /// epoch. A time in the future counts as `now`.
  package func removedPhone(inLast seconds: Int64, before now: Int64) -> Bool {
    guard phoneRemovedAt > 0 else { return false }
    let (age, overflow) = now.subtractingReportingOverflow(phoneRemovedAt)
    return overflow || age < seconds
  }

  /// Removes everything that allows a sign-in: factors, recovery codes and grants.
  package mutating func removeEverything() {
    factors = []
    recoveryCodes = []
    grants = []
    phoneRemovedAt = 0
    recoveryCodesAddedAt = 0
  }

  /// Sets how far ahead the clock of a factor's authenticator is, in time steps.
  package mutating func setTimeOffset(
    of id: FactorID, to offset: Int32
  ) throws(ChangeRefusal) {
    guard let index = factors.firstIndex(where: { $0.id == id }) else { throw .noSuchFactor }
    factors[index].timeOffset = offset
  }

  /// Replaces the recovery codes with a set that was made or extended at `now`, in seconds since the
  /// epoch. Only the first `maximumRecoveryCodes` are kept.
  package mutating func setRecoveryCodes(_ codes: [RecoveryCodeDigest], at now: Int64) {
    var kept: [RecoveryCodeDigest] = []
    for code in codes where kept.count < Self.maximumRecoveryCodes { kept.append(code) }
    recoveryCodes = kept
    if hasHadPhone { recoveryCodesAddedAt = max(recoveryCodesAddedAt, now, 1) }
  }

  /// Removes the recovery codes.
  package mutating func removeRecoveryCodes() { recoveryCodes = [] }

  /// Removes a used recovery code. No code takes its place: only a new set, which the user is shown
  /// as a whole, replaces used codes.
  package mutating func spendRecoveryCode(_ code: RecoveryCodeDigest) {
    guard let index = recoveryCodes.firstIndex(of: code) else { return }
    recoveryCodes.remove(at: index)
  }

  // MARK: Grants

  /// Adds a grant, in place of the oldest one for an enrolment if there are `maximumGrants`. Returns false if none of
  /// them is for an enrolment, if one has the same id, or if there are `maximumProgramPasswords`.
  package mutating func add(_ grant: Grant) -> Bool {
    guard !grants.contains(where: { $0.id == grant.id }) else { return false }
    let passwords = grants.count { $0.kind == .programPassword }
    if grant.kind == .programPassword {
      guard passwords < Self.maximumProgramPasswords, programPassword(named: grant.reason) == nil
      else { return false }
    } else if grants.count - passwords >= Self.maximumGrants {
      guard let used = grants.firstIndex(where: { $0.kind == .enrollment }) else { return false }
      grants.remove(at: used)
    }
    grants.append(grant)
    return true
  }

  /// Returns the program password with this name, or nil.
  package func programPassword(named name: Grant.Reason?) -> Grant? {
    grants.first { $0.kind == .programPassword && $0.reason == name }
  }

  /// Removes a grant and returns it, or nil if there is no grant with this id.
  package mutating func withdraw(_ id: GrantID) -> Grant? {
    guard let index = grants.firstIndex(where: { $0.id == id }) else { return nil }
    return grants.remove(at: index)
  }

  /// Counts a use of a grant, and removes the grant after its last use. Returns false if there is
  /// no grant with this id.
  package mutating func use(_ id: GrantID) -> Bool {
    guard let index = grants.firstIndex(where: { $0.id == id }) else { return false }
    if let left = grants[index].afterUse {
      grants[index] = left
    } else {
      grants.remove(at: index)
    }
    return true
  }

  /// Removes the grants that have expired at `now`, in seconds since the epoch.
  package mutating func removeExpiredGrants(at now: Int64) {
    grants = grants.filter { $0.expiresAt > now }
  }

  /// Returns the record under another name or uid of its user. Nothing that is sealed opens in it: see `resealed`.
  package func renamed(to user: UserName, uid: UInt32) -> FactorRecord {
    var record = self
    record.user = user
    record.uid = uid
    return record
  }

  // MARK: Changing the key

  /// What a record has under the next key.
  package struct Resealed {
    /// The sealed secrets and phone numbers, in the order of the factors.
    package var secrets: [[UInt8]]
    /// The digests of the recovery codes, in their order.
    package var recoveryCodes: [[UInt8]]
    /// The digests of the grants, in their order.
    package var grants: [[UInt8]]
    /// The sealed keys with which these digests are verified, or nil.
    package var digestKeys: [UInt8]?

    /// Creates a value.
    package init(
      secrets: [[UInt8]], recoveryCodes: [[UInt8]], grants: [[UInt8]], digestKeys: [UInt8]?
    ) {
      self.secrets = secrets
      self.recoveryCodes = recoveryCodes
      self.grants = grants
      self.digestKeys = digestKeys
    }
  }

  /// Returns the record with these secrets and digests. Returns nil if there are not as many as the
  /// record has.
  package func resealed(_ next: Resealed) -> FactorRecord? {
    guard next.secrets.count == factors.count, next.recoveryCodes.count == recoveryCodes.count,
      next.grants.count == grants.count
    else { return nil }
    var record = self
    record.sealedDigestKeys = next.digestKeys
    record.factors = zip(factors, next.secrets).map { factor, secret in factor.resealed(secret) }
    record.recoveryCodes = zip(recoveryCodes, next.recoveryCodes).compactMap { code, digest in
      RecoveryCodeDigest(kind: code.kind, bytes: digest)
    }
    record.grants = zip(grants, next.grants).compactMap { grant, digest in
      digest.count == RecoveryCodeDigest.length ? grant.with(digest: digest) : nil
    }
    return record
  }

  // MARK: Notices

  /// The number of the last notice; 0 if there was none.
  package var lastNotice: UInt32 { notices.last?.number ?? noticesMailed }

  /// Adds a notice about `subject` at `time`, in seconds since the epoch. `detail` is cut to 255
  /// bytes. If there are too many notices, an older one is removed.
  package mutating func note(
    _ kind: Notice.Kind, _ detail: [UInt8] = [], about subject: Notice.Subject, from source: Source,
    at time: Int64
  ) {
    let (number, overflow) = lastNotice.addingReportingOverflow(1)
    // After 2^32 - 1 notices, more than any user will get, further notices are dropped, because
    // numbers are never reused.
    guard !overflow else { return }
    notices.append(
      Notice(
        number: number, kind: kind, time: time,
        detail: detail.span.part(from: 0, count: 255).copied(), source: source,
        subject: subject))
    guard notices.count > Self.maximumNotices else { return }
    let index = notices.firstIndex { !isLatest($0) }
    notices.remove(at: index ?? 0)
  }

  /// Returns whether a notice is the latest about a factor of the record or about the recovery
  /// codes. Such notices are never removed, so an attacker cannot displace the notice about their
  /// own factor.
  private func isLatest(_ notice: Notice) -> Bool {
    let subject = notice.subject
    guard subject == .recoveryCodes || factors.contains(where: { .factor($0.id) == subject }) else {
      return false
    }
    return !isPending(subject, after: notice.number)
  }

  /// Returns the notices after the number `last`, oldest first.
  @inline(never)
  package func notices(after last: UInt32) -> [Notice] { notices.filter { $0.number > last } }

  /// Returns the subject of a notice about a factor: the factor if the record also has a different
  /// one, otherwise the account.
  package func subject(of id: FactorID) -> Notice.Subject {
    factors.contains { $0.id != id } ? .factor(id) : .account
  }

  /// Returns whether a sign-in with a factor may confirm the notices after the number `last`.
  ///
  /// It may if none of them is about this factor. Without this rule, an attacker could enrol a
  /// factor and use it to confirm the notice about it. The exception is a user who has no other way to sign in: there are
  /// unconfirmed notices about every factor and about the recovery codes. In this case only the
  /// oldest factor may confirm the notices. As long as the user keeps a factor of their own, an
  /// attacker's factor is never the oldest.
  package func mayConfirm(after last: UInt32, with id: FactorID) -> Bool {
    guard isPending(.factor(id), after: last) else { return true }
    guard factors.first?.id == id, factors.allSatisfy({ isPending(.factor($0.id), after: last) })
    else { return false }
    return recoveryCodes.isEmpty || isPending(.recoveryCodes, after: last)
  }

  @inline(never)
  private func isPending(_ subject: Notice.Subject, after last: UInt32) -> Bool {
    notices.contains { $0.number > last && $0.subject == subject }
  }

  /// Records that every notice up to `number` was mailed.
  package mutating func mailed(upTo number: UInt32) {
    noticesMailed = max(noticesMailed, min(number, lastNotice))
  }

  /// Returns the factor with this id, or nil.
  package func factor(_ id: FactorID) -> Factor? { factors.first { $0.id == id } }

  // MARK: Binary form

  private static let magic: [UInt8] = [0x4D, 0x46, 0x41, 0x52]  // MFAR
  private static let totpKind: UInt8 = 1
  private static let phoneKind: UInt8 = 2

  /// Returns the binary form for the audit log, which does not depend on the notices mailed so far.
  package func encodedForAuditLog() -> [UInt8] {
    var record = self
    record.noticesMailed = 0
    return record.encoded()
  }

  /// Returns the binary form.
  package func encoded() -> [UInt8] {
    var writer = ByteWriter()
    writer.write(Self.magic)
    writer.write(Self.version)
    writer.writeShort(user.bytes)
    writer.write(uid)
    writer.write(id.bytes)
    writer.write(generation)
    writer.write(language.map { $0.rawValue &+ 1 } ?? 0)
    writer.writeShort(sealedDigestKeys ?? [])
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
      case .phone(let number, let usableFrom, let sealedNumber):
        writer.write(Self.phoneKind)
        writer.writeShort(number.ascii)
        writer.write(usableFrom)
        writer.writeShort(sealedNumber)
      }
    }
    writer.write(phoneRemovedAt)
    writer.write(recoveryCodesAddedAt)
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
      if let scope = grant.scope {
        writer.writeShort(scope.servicesText)
        writer.writeShort(scope.networksText)
      }
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
      writer.writeShort(notice.subject.bytes)
    }
    return writer.bytes
  }

  /// Returns the version of the binary form, or nil if it is not that of a record.
  package static func version(ofEncoded encoded: Span<UInt8>) -> UInt16? {
    var reader = ByteReader(encoded)
    guard reader.read(count: 4) == magic else { return nil }
    return reader.read(UInt16.self)
  }

  /// Parses the binary form. Returns nil if it is damaged or has another version.
  package init?(encoded: Span<UInt8>) {
    var reader = ByteReader(encoded)
    guard reader.read(count: 4) == Self.magic, reader.read(UInt16.self) == Self.version,
      let name = reader.readShort(), let user = UserName(name),
      let uid = reader.read(UInt32.self),
      let idBytes = reader.read(count: FactorID.length), let id = FactorID(bytes: idBytes),
      let generation = reader.read(UInt32.self), let language = Self.readLanguage(&reader),
      let digestKeys = reader.readShort(), let count = reader.read(UInt8.self)
    else { return nil }
    self.init(user: user, uid: uid, id: id)
    self.generation = generation
    self.language = language.value
    if !digestKeys.isEmpty { sealedDigestKeys = digestKeys }
    for _ in 0..<count {
      guard let factor = Self.readFactor(&reader) else { return nil }
      do throws(ChangeRefusal) { try add(factor) } catch { return nil }
    }
    guard let removed = reader.read(Int64.self), removed >= 0,
      let added = reader.read(Int64.self), added >= 0
    else { return nil }
    phoneRemovedAt = removed
    recoveryCodesAddedAt = added
    guard let codes = Self.readRecoveryCodes(&reader) else {
      return nil
    }
    recoveryCodes = codes
    guard let grantCount = reader.read(UInt8.self) else { return nil }
    for _ in 0..<grantCount {
      guard let grant = Self.readGrant(&reader), add(grant) else { return nil }
    }
    guard let mailed = reader.read(UInt32.self), let notices = Self.readNotices(&reader),
      reader.isAtEnd
    else { return nil }
    noticesMailed = mailed
    self.notices = notices
  }

  /// A language that is optional in a record.
  private struct StoredLanguage {
    let value: Language?
  }

  /// Returns the language of a record, or nil if its number is unknown.
  private static func readLanguage(_ reader: inout ByteReader) -> StoredLanguage? {
    guard let number = reader.read(UInt8.self) else { return nil }
    // 0 stands for no language.
    guard number > 0 else { return StoredLanguage(value: nil) }
    return Language(rawValue: number &- 1).map { StoredLanguage(value: $0) }
  }

  private static func readGrant(_ reader: inout ByteReader) -> Grant? {
    guard let kind = reader.read(UInt8.self).flatMap({ Grant.Kind(rawValue: $0) }),
      let id = reader.read(count: GrantID.length).flatMap({ GrantID(bytes: $0) }),
      let madeAt = reader.read(Int64.self), let expiresAt = reader.read(Int64.self),
      let usesLeft = reader.read(UInt8.self), let text = reader.readShort()
    else { return nil }
    // Nil for an empty text, which stands for no reason.
    let reason = Grant.Reason(text)
    guard reason?.utf8 ?? [] == text else { return nil }
    var scope: ProgramScope?
    if kind == .programPassword {
      guard let services = reader.readShort(), let networks = reader.readShort() else { return nil }
      scope = ProgramScope(services: services, networks: networks)
    }
    guard let digest = reader.read(count: RecoveryCodeDigest.length) else { return nil }
    return Grant(
      kind: kind, id: id, madeAt: madeAt, expiresAt: expiresAt, usesLeft: usesLeft,
      reason: reason, scope: scope, digest: digest)
  }

  private static func readNotices(_ reader: inout ByteReader) -> [Notice]? {
    guard let count = reader.read(UInt8.self), count <= maximumNotices else { return nil }
    var notices: [Notice] = []
    for _ in 0..<count {
      guard let number = reader.read(UInt32.self), number > notices.last?.number ?? 0,
        let kind = reader.read(UInt8.self).flatMap({ Notice.Kind(rawValue: $0) }),
        let time = reader.read(Int64.self), let detail = reader.readShort(),
        let text = reader.readShort(), Source(text).text == text,
        let subject = reader.readShort().flatMap({ Notice.Subject($0) })
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
      let timeOffset = reader.read(Int32.self), let kind = readKind(&reader)
    else { return nil }
    if case .totp = kind, origin == .testNumber { return nil }
    return Factor(
      id: id, displayName: displayName, enrolledAt: enrolledAt, kind: kind, origin: origin,
      timeOffset: timeOffset)
  }

  private static func readKind(_ reader: inout ByteReader) -> Factor.Kind? {
    let kind = reader.read(UInt8.self)
    if kind == phoneKind {
      guard let number = reader.readShort().flatMap({ MaskedPhoneNumber(ascii: $0) }),
        let usableFrom = reader.read(Int64.self), let sealedNumber = reader.readShort(),
        sealedNumber.count <= Factor.longestSealedSecret
      else { return nil }
      return .phone(number, usableFrom: usableFrom, sealedNumber: sealedNumber)
    }
    guard kind == totpKind,
      let algorithm = reader.read(UInt8.self).flatMap({ HashAlgorithm(rawValue: $0) }),
      let codeLength = reader.read(UInt8.self).flatMap({ CodeLength(rawValue: $0) }),
      let period = reader.read(UInt16.self),
      let parameters = TOTPParameters(
        algorithm: algorithm, codeLength: codeLength, period: period),
      let sealedSecret = reader.readShort(), sealedSecret.count <= Factor.longestSealedSecret
    else { return nil }
    return .totp(parameters, sealedSecret: sealedSecret)
  }

  /// Returns the stored name if `DisplayName` would store it in the same form, or nil.
  private static func canonicalName(_ bytes: [UInt8]) -> DisplayName? {
    guard let name = DisplayName(bytes), name.utf8 == bytes else { return nil }
    return name
  }

  /// Returns the context that the digest of a recovery code is bound to: version, user, uid and
  /// record.
  package func recoveryCodeContext() -> [UInt8] {
    var writer = ByteWriter()
    writer.write(Self.contextVersion)
    writer.writeShort(user.bytes)
    writer.write(uid)
    writer.write(id.bytes)
    return writer.bytes
  }

  /// Returns the context that the sealed keys of the record's digests are bound to.
  package func digestKeysContext() -> [UInt8] {
    ("digest keys" as StaticString).bytes + recoveryCodeContext()
  }

  /// Returns the context that a factor's sealed secret or phone number is bound to, so that it opens
  /// nowhere else: version, user, uid, record, factor, and the parameters of a secret.
  package func associatedData(
    factor: FactorID, parameters: TOTPParameters?
  ) -> [UInt8] {
    var writer = ByteWriter()
    writer.write(Self.contextVersion)
    writer.writeShort(user.bytes)
    writer.write(uid)
    writer.write(id.bytes)
    writer.write(factor.bytes)
    guard let parameters else {
      writer.write(Self.phoneKind)
      return writer.bytes
    }
    writer.write(Self.totpKind)
    writer.write(parameters.algorithm.rawValue)
    writer.write(parameters.codeLength.rawValue)
    writer.write(parameters.period)
    return writer.bytes
  }
}
