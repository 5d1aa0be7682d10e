import MFABase
import MFAStore
import MFAModel

// The committed result of an attempt, for a request that is repeated because its answer was lost.
//
// A repeated request must get the verdict that was committed: a second comparison would reject the code as
// used. The stored form has no notices, because the first answer may have shown them.
//
// MUST 1: only a result that was committed together with its attempt state is returned again.
// (`SharedFactorStoreTests.repeatedRequest`)
extension Attempt {
  /// Returns the result that an earlier run of this request committed, or nil if there is none.
  static func committedReport<Store: FactorStore>(
    to account: Account, in store: Store
  ) throws(FactorStoreError) -> Report? {
    guard Store.Entry.keepsAnswers, let answer = try store.committedAnswer(to: account) else {
      return nil
    }
    guard let report = Report(encoded: answer.span) else { throw .damaged(.attempts) }
    return report
  }

  /// Returns whether the request of this store accepted a code of a factor or a recovery code of the account.
  package static func hasAccepted<Store: FactorStore>(
    from account: Account, in store: Store
  ) throws(FactorStoreError) -> Bool {
    switch try committedReport(to: account, in: store)?.result {
    case .accepted(.factor), .accepted(.recoveryCode): true
    case .accepted(.bypassCode), .rejected, nil: false
    }
  }
}

extension Attempt.Report {
  /// The kinds of results that are stored.
  private enum Kind: UInt8 {
    case factor = 1
    case recoveryCode = 2
    case bypassCode = 3
    case wrong = 4
    case replayed = 5
    case lockedNow = 6
    case ofAnotherTime = 7
  }

  /// Returns the stored form; empty for a result that is not committed.
  func encoded() -> [UInt8] {
    var writer = ByteWriter()
    switch result {
    case .accepted(.factor(let factor)):
      writer.write(Kind.factor.rawValue)
      Self.write(factor, to: &writer)
    case .accepted(.recoveryCode(let left, _)):
      writer.write(Kind.recoveryCode.rawValue)
      writer.write(UInt32(clamping: left))
    case .accepted(.bypassCode(nil, _, _)): return []
    case .accepted(.bypassCode(let grant?, _, _)):
      writer.write(Kind.bypassCode.rawValue)
      writer.write(grant.id.bytes)
      writer.write(grant.madeAt)
      writer.write(grant.expiresAt)
      writer.write(grant.usesLeft)
      let reason = grant.reason?.utf8 ?? []
      writer.write(UInt16(clamping: reason.count))
      writer.write(reason)
    case .rejected(.wrong(let wait)):
      writer.write(Kind.wrong.rawValue)
      writer.write(wait)
    case .rejected(.ofAnotherTime(let secondsAhead, let wait)):
      writer.write(Kind.ofAnotherTime.rawValue)
      writer.write(secondsAhead)
      writer.write(wait)
    case .rejected(.replayed(let factor, let wait)):
      writer.write(Kind.replayed.rawValue)
      Self.write(factor, to: &writer)
      writer.write(wait)
    case .rejected(.lockedNow(let factor)):
      writer.write(Kind.lockedNow.rawValue)
      Self.write(factor, to: &writer)
    case .rejected(.throttled), .rejected(.locked), .rejected(.notACode), .rejected(.notEnrolled),
      .rejected(.notYet), .rejected(.typeNotAllowed), .rejected(.repeated):
      return []
    }
    writer.write(typedLength.map { UInt8(clamping: $0) } ?? 0)
    writer.write(UInt8(clockMayBeWrong ? 1 : 0))
    writer.write(message?.number ?? 0)
    return writer.bytes
  }

  private static func write(_ factor: FactorID?, to writer: inout ByteWriter) {
    writer.write(factor?.bytes ?? FactorID.zero.bytes)
  }

  /// Parses the stored form. Returns nil for any other bytes.
  init?(encoded: Span<UInt8>) {
    var reader = ByteReader(encoded)
    guard let number = reader.read(UInt8.self), let kind = Kind(rawValue: number),
      let result = Self.result(kind, &reader), let length = reader.read(UInt8.self),
      let clock = reader.read(UInt8.self), let message = reader.read(UInt64.self), reader.isAtEnd
    else { return nil }
    self.init(
      result, typedLength: length == 0 ? nil : Int(length), clockMayBeWrong: clock == 1,
      message: message == 0 ? nil : SendID(number: message))
  }

  private static func result(_ kind: Kind, _ reader: inout ByteReader) -> Attempt.Result? {
    switch kind {
    case .factor: return factor(&reader).map { .accepted(.factor($0.id)) }
    case .recoveryCode:
      return reader.read(UInt32.self).map { .accepted(.recoveryCode(left: Int($0), nil)) }
    case .bypassCode:
      return grant(&reader).map {
        .accepted(.bypassCode($0, usesLeft: $0.usesLeftAfterUse, nil))
      }
    case .wrong: return reader.read(Int64.self).map { .rejected(.wrong(wait: $0)) }
    case .ofAnotherTime:
      guard let ahead = reader.read(Int64.self), let wait = reader.read(Int64.self) else {
        return nil
      }
      return .rejected(.ofAnotherTime(secondsAhead: ahead, wait: wait))
    case .replayed:
      guard let factor = factor(&reader), let wait = reader.read(Int64.self) else { return nil }
      return .rejected(.replayed(factor.id, wait: wait))
    case .lockedNow:
      return factor(&reader).map { .rejected(.lockedNow(replayed: $0.id)) }
    }
  }

  /// A factor's id as it is stored; nil for an unknown factor.
  private struct StoredFactor {
    let id: FactorID?
  }

  private static func factor(_ reader: inout ByteReader) -> StoredFactor? {
    guard let bytes = reader.read(count: FactorID.length), let id = FactorID(bytes: bytes) else {
      return nil
    }
    return StoredFactor(id: id == .zero ? nil : id)
  }

  /// Returns the grant, without the digest of its code.
  private static func grant(_ reader: inout ByteReader) -> Grant? {
    guard let bytes = reader.read(count: GrantID.length), let id = GrantID(bytes: bytes),
      let madeAt = reader.read(Int64.self), let expiresAt = reader.read(Int64.self),
      let usesLeft = reader.read(UInt8.self), let length = reader.read(UInt16.self),
      let text = reader.read(count: Int(length))
    else { return nil }
    let reason = Grant.Reason(text)
    guard reason != nil || text.isEmpty else { return nil }
    return Grant(
      kind: .bypass, id: id, madeAt: madeAt, expiresAt: expiresAt, usesLeft: usesLeft,
      reason: reason, digest: [UInt8](repeating: 0, count: RecoveryCodeDigest.length))
  }
}
