import FactorStore
import Factors
import Import
import Secrets
import SignIn
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
    let found = content.factor
    let name = Self.freeName(wanted, in: entry.record)
    let result: Importing.Result
    if isTrial {
      let hindrance = try found.secret.withSpan { key throws(FactorStoreError) in
        try Importing.hindrance(to: key, in: entry)
      }
      guard let hindrance else { return .possible(name: name, content.warnings) }
      result = hindrance
    } else {
      guard let displayName = Self.displayName(name) else {
        return .refused("\(name) cannot be a factor's name")
      }
      let description = Importing.Description(
        displayName: displayName, parameters: found.parameters, timeOffset: found.timeOffset,
        usedUntil: found.watermark(at: now))
      let codes =
        if let codes = content.recoveryCodes { codes.digits.prefix(.max) } else {
          SecretBytes(count: 0)
        }
      result = try found.secret.withSpan { key throws(FactorStoreError) in
        try Importing.add(
          description, key: key, recoveryCodes: codes.span, to: entry, of: account, now: now,
          from: Source(actor))
      }
    }
    switch result {
    case .imported(let factor, let dropped):
      note("imported", subject, factor: factor.id.hexadecimal)
      deliver(account)
      return .imported(
        name: name,
        content.warnings + (dropped > 0 ? [.recoveryCodesDropped(count: dropped)] : []))
    case .present(let factor): return .present(name: "\(VisibleText(factor.displayName))")
    case .refused(.tooManyFactors):
      return .refused("the account has \(FactorRecord.maximumFactors) factors; revoke one first")
    case .refused(.nameTaken), .refused(.noSuchFactor):
      return .refused("another factor has the name \(name); rename it")
    }
  }

  private static func displayName(_ name: String) -> DisplayName? {
    do throws(DisplayName.Refusal) {
      return try DisplayName(Array(name.utf8))
    } catch {
      return nil
    }
  }

  /// `wanted`, or that with the first number that makes it one that no factor has.
  private static func freeName(_ wanted: String, in record: FactorRecord?) -> String {
    var name = wanted
    var number = 2
    while let record, record.factors.contains(where: { $0.displayName.utf8 == Array(name.utf8) }) {
      name = "\(wanted) (\(number))"
      number += 1
    }
    return name
  }

  static func randomID() throws(FactorStoreError) -> FactorID {
    do throws(CryptographyError) {
      return try FactorID.generate()
    } catch {
      throw .cryptography
    }
  }
}
