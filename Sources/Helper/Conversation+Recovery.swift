import FactorStore
import Factors
import HelperProtocol
import OneTimePassword
import Policy
import Secrets
import SignIn
import System

// Recovery codes, drifted clocks, and factors that another program made.
extension Conversation {
  // MARK: How the account stands

  func status() throws(HelperFailure) -> AccountStatus {
    let settings = try settings()
    let snapshot = try snapshot()
    let codes = snapshot?.record.recoveryCodes ?? []
    return AccountStatus(
      enrollment: AccountStatus.Enrollment(settings.enrollment),
      state: AccountStatus.State(settings.state),
      recoveryCodesLeft: UInt8(clamping: codes.count),
      importedRecoveryCodesLeft: UInt8(clamping: codes.count { $0.kind == .imported }),
      standing: AccountStatus.Standing(
        snapshot?.attempts.standing(settings.throttle, now: try now()) ?? .open))
  }

  // MARK: Recovery codes

  /// Puts a new set of recovery codes in the place of the old one.
  func generateRecoveryCodes(_ session: Session) throws(HelperFailure) -> RecoveryCodeList {
    guard try snapshot() != nil else { throw .factorNotFound }
    let entry = try entry(creating: false, session)
    guard var record = entry.record else { throw .factorNotFound }
    var text = SecretBytes(count: RecoveryCodeList.mostCodes * RecoveryCodeList.codeLength)
    var digests: [RecoveryCodeDigest] = []
    for number in 0..<RecoveryCodeList.mostCodes {
      let code = try newCode(of: record, entry, &digests)
      let written = code.written()
      text.withMutableSpan { text in
        let start = number * RecoveryCodeList.codeLength
        for index in written.span.indices { text[start + index] = written.span[index] }
      }
    }
    record.setRecoveryCodes(digests)
    record.note(.recoveryCodesMade, from: Self.source, at: try now())
    try replace(entry, record, entry.attempts)
    logChange("recovery-codes-made", nil)
    return RecoveryCodeList(text: text)
  }

  private func newCode(
    of record: FactorRecord, _ entry: Machine.Store.Entry, _ digests: inout [RecoveryCodeDigest]
  ) throws(HelperFailure) -> RecoveryCode {
    do throws(FactorStoreError) {
      let (code, digest) = try Attempt.newRecoveryCode(of: record, entry)
      digests.append(digest)
      return code
    } catch {
      throw failure(error)
    }
  }

  // MARK: A clock that drifted

  /// Learns how far the clock of a factor's authenticator is off from two codes in a row, which are
  /// an attempt like any other.
  func resynchronize(_ request: borrowing ResyncRequest) throws(HelperFailure) {
    let circumstances = try circumstances()
    let result: Attempt.Resynchronizing
    do throws(FactorStoreError) {
      result = try Attempt.resynchronize(
        request.factor, first: TypedCodes(whole: request.first.span),
        second: TypedCodes(whole: request.second.span), by: caller, in: try host.store(),
        circumstances)
    } catch {
      throw failure(error)
    }
    switch result {
    case .done(let factor): logChange("resynchronized", factor)
    case .wrong(let wait):
      logChange("resynchronization-failed", nil, .notice)
      guard wait == 0 else { throw .tooManyAttempts(seconds: Self.seconds(wait)) }
      throw .codesNotConsecutive
    case .refused(.waiting(let wait)): throw .tooManyAttempts(seconds: Self.seconds(wait))
    case .refused(.disabled), .refused(.open): throw .factorsDisabled
    case .notACode: throw .notACode
    case .noSuchFactor: throw .factorNotFound
    }
  }

  // MARK: Factors of other programs

  /// Enrols a factor that another program made: the person has used it, so no code confirms it.
  func importFactor(
    _ request: borrowing ImportRequest, _ session: Session
  ) throws(HelperFailure) -> Factor {
    guard request.key.count >= ImportRequest.shortestKey else { throw .secretTooShort }
    let now = try now()
    let entry = try entry(creating: true, session)
    var record = if let existing = entry.kept { existing } else { try emptyRecord() }
    try requireNew(request.key.span, request.parameters, in: record, entry)
    let factor = try factor(request, at: now, in: record, entry)
    try change { () throws(FactorRecord.ChangeRefusal) in try record.add(factor) }
    record.setRecoveryCodes(try codes(request, in: record, entry))
    record.note(.imported, factor.displayName.utf8, from: Self.source, at: now)
    let attempts = entry.record == nil ? entry.attempts.beginning(record) : entry.attempts
    // What was used before the import, there or here, is not used again. Where it is not known what
    // was used, that is everything up to now.
    let present = factor.parameters.step(at: factor.clock(at: now))
    let used = request.watermark == .min ? present : request.watermark
    try replace(entry, record, attempts.keeping(record).adding(factor.id, confirmedAt: used))
    logChange("imported", factor)
    return factor
  }

  /// The same secret twice would make each of its codes good twice.
  private func requireNew(
    _ key: Span<UInt8>, _ parameters: TOTPParameters, in record: FactorRecord,
    _ entry: Machine.Store.Entry
  ) throws(HelperFailure) {
    for factor in record.factors where entry.record != nil && factor.parameters == parameters {
      let secret = try secret(of: factor, entry)
      guard !constantTimeEquals(secret.span, key) else { throw .alreadyImported }
    }
  }

  private func secret(
    of factor: Factor, _ entry: Machine.Store.Entry
  ) throws(HelperFailure) -> SecretBytes {
    do throws(FactorStoreError) {
      return try entry.secret(of: factor)
    } catch {
      throw failure(error)
    }
  }

  private func factor(
    _ request: borrowing ImportRequest, at now: Int64, in record: FactorRecord,
    _ entry: Machine.Store.Entry
  ) throws(HelperFailure) -> Factor {
    let id = try FactorID.random()
    do throws(FactorStoreError) {
      let sealed = try entry.seal(
        request.key.span, for: id, parameters: request.parameters, in: record)
      return Factor(
        id: id, displayName: request.displayName, enrolledAt: now,
        kind: .totp(request.parameters, sealedSecret: sealed), origin: .imported,
        timeOffset: request.timeOffset)
    } catch {
      throw failure(error)
    }
  }

  /// The record's recovery codes with the imported ones behind them, as far as there is room.
  private func codes(
    _ request: borrowing ImportRequest, in record: FactorRecord, _ entry: Machine.Store.Entry
  ) throws(HelperFailure) -> [RecoveryCodeDigest] {
    var digests = record.recoveryCodes
    for number in 0..<request.recoveryCodeCount {
      let start = number * ImportRequest.recoveryCodeLength
      let code = SecretBytes(
        copying: request.recoveryCodes.span,
        in: start..<start + ImportRequest.recoveryCodeLength)
      let digest = try digest(of: code.span, in: record, entry)
      if !digests.contains(digest) { digests.append(digest) }
    }
    return digests
  }

  private func digest(
    of code: Span<UInt8>, in record: FactorRecord, _ entry: Machine.Store.Entry
  ) throws(HelperFailure) -> RecoveryCodeDigest {
    do throws(FactorStoreError) {
      return try entry.digest(of: code, kind: .imported, in: record)
    } catch {
      throw failure(error)
    }
  }
}

extension AccountStatus.Enrollment {
  fileprivate init(_ enrollment: Configuration.Enrollment) {
    self =
      switch enrollment {
      case .selfService: .selfService
      case .offered: .offered
      case .required: .required
      }
  }
}

extension AccountStatus.State {
  fileprivate init(_ state: Configuration.State) {
    self =
      switch state {
      case .enabled: .enabled
      case .disabled: .disabled
      case .observe: .observe
      }
  }
}

extension AccountStatus.Standing {
  fileprivate init(_ standing: AttemptState.Standing) {
    self =
      switch standing {
      case .open: .open
      case .waiting(let seconds): .waiting(seconds: UInt32(clamping: seconds))
      case .disabled: .disabled
      }
  }
}
