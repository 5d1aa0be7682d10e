import FactorStore
import Factors
import Import
import Secrets
import System

// Factors of other programs.
extension Administration {
  /// Takes over what `source` holds, of one user or of everybody, and tells what came of each; with
  /// `isTrial` it only tells what would.
  func importFactors(
    from source: ImportSource, user: String?, isTrial: Bool
  ) throws(AdminError) -> [ImportReport] {
    let only = try user.map { text throws(AdminError) in try subject(text).name.bytes }
    let items = try source.items { name throws(AdminError) in
      try subject(String(decoding: name, as: UTF8.self)).account?.uid
    }
    var reports: [ImportReport] = []
    for item in items {
      if let only, item.user != only { continue }
      let outcome: ImportReport.Outcome
      do throws(AdminError) {
        outcome = try importFactor(item, isTrial: isTrial)
      } catch {
        outcome = .refused(error.message)
      }
      reports.append(ImportReport(user: item.user, line: item.line, outcome: outcome))
    }
    return reports
  }

  private func importFactor(
    _ item: ImportSource.Item, isTrial: Bool
  ) throws(AdminError) -> ImportReport.Outcome {
    let content: ImportSource.Content
    switch item.content {
    case .success(let found): content = found
    case .failure(let refusal): return .refused(refusal.text)
    }
    guard let user = item.user else { return .refused("the line names no user") }
    let subject = try subject(String(decoding: user, as: UTF8.self))
    // Another spelling is another user's file.
    guard let account = subject.account, account.name == user else {
      throw .noSuchUser(subject.name)
    }
    switch try finding(subject) {
    case .unusable(let trouble): throw .unusable(subject.name, trouble)
    case .nothing:
      if isTrial { return .possible(name: item.name, content.warnings) }
    case .usable: break
    }
    let entry = try onUser(subject) { () throws(FactorStoreError) in
      try store.entry(of: account, creating: !isTrial)
    }
    return try onUser(subject) { () throws(FactorStoreError) in
      try add(content, named: item.name, to: entry, of: account, subject, isTrial: isTrial)
    }
  }

  private func add(
    _ content: ImportSource.Content, named wanted: String, to entry: LocalFactorStoreEntry,
    of account: Account, _ subject: Subject, isTrial: Bool
  ) throws(FactorStoreError) -> ImportReport.Outcome {
    var record = FactorRecord(user: subject.name, uid: account.uid, id: try Self.randomID())
    var attempts = AttemptState(record: record.id)
    if let present = entry.record {
      record = present
      attempts = entry.attempts
    }
    for factor in record.factors {
      let secret = try entry.secret(of: factor)
      let isSame = content.factor.secret.withSpan { constantTimeEquals($0, secret.span) }
      if isSame { return .present(name: "\(VisibleText(factor.displayName))") }
    }
    guard record.factors.count < FactorRecord.maximumFactors else {
      return .refused("the account has \(FactorRecord.maximumFactors) factors; revoke one first")
    }
    let name = Self.freeName(wanted, in: record)
    if isTrial { return .possible(name: name, content.warnings) }

    let id = try Self.randomID()
    let parameters = content.factor.parameters
    let sealed = try content.factor.secret.withSpan { secret throws(FactorStoreError) in
      try entry.seal(secret, for: id, parameters: parameters, in: record)
    }
    do throws(DisplayName.Refusal) {
      let factor = Factor(
        id: id, displayName: try DisplayName(Array(name.utf8)), enrolledAt: now,
        kind: .totp(parameters, sealedSecret: sealed), origin: .imported,
        timeOffset: content.factor.timeOffset)
      do throws(FactorRecord.ChangeRefusal) { try record.add(factor) } catch {
        return .refused("another factor has the name \(name); rename it")
      }
    } catch {
      return .refused("\(name) cannot be a factor's name")
    }
    var codes = record.recoveryCodes
    let codesBefore = codes.count
    var dropped = 0
    if let imported = content.recoveryCodes {
      for index in 0..<imported.count {
        guard codes.count < FactorRecord.maximumRecoveryCodes else {
          dropped += 1
          continue
        }
        codes.append(
          try entry.digest(of: imported.code(at: index).span, kind: .imported, in: record))
      }
    }
    if codes.count > codesBefore { record.setRecoveryCodes(codes) }
    let step = content.factor.watermark(at: now)
    try entry.replace(
      record: record, attempts: attempts.keeping(record).adding(id, confirmedAt: step))
    note("imported", subject, factor: id.hexadecimal)
    return .imported(
      name: name, content.warnings + (dropped > 0 ? [.recoveryCodesDropped(count: dropped)] : []))
  }

  /// `wanted`, or that with the first number that makes it one that no factor has.
  private static func freeName(_ wanted: String, in record: FactorRecord) -> String {
    var name = wanted
    var number = 2
    while record.factors.contains(where: { $0.displayName.utf8 == Array(name.utf8) }) {
      name = "\(wanted) (\(number))"
      number += 1
    }
    return name
  }

  static func randomID() throws(FactorStoreError) -> FactorID {
    let bytes: [UInt8]
    do throws(CryptographyError) {
      bytes = try randomBytes(count: FactorID.length)
    } catch {
      throw .cryptography
    }
    guard let id = FactorID(bytes: bytes) else { throw .cryptography }
    return id
  }
}
