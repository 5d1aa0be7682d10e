import MFAAttempt
import MFABase
import MFAStore
import MFAModel
import MFAImport

// Imports factors from other programs.
extension Administration {
  /// Imports the factors in `source`, for one user or for all users if `user` is nil, and returns a
  /// report for each. A trial run (`isTrial`) changes nothing and reports what would happen.
  package func importFactors(
    from source: ImportSource, user: String?, isTrial: Bool
  ) throws(AdminError) -> [ImportReport] {
    let only = try user.map { text throws(AdminError) in try subject(text).name.bytes }
    let items = try source.items { name throws(AdminError) in
      try subject(String(decoding: name, as: UTF8.self)).account?.uid
    }
    var reports: [ImportReport] = []
    var planned: [Planned] = []
    for item in items {
      if let only, item.user != only { continue }
      let outcome: ImportReport.Outcome
      do throws(AdminError) {
        outcome = try importFactor(item, isTrial: isTrial, after: planned)
      } catch {
        outcome = .refused(error.message)
      }
      if case .possible(let name, _) = outcome, case .success(let content) = item.content {
        planned.append(Planned(user: item.user, name: name, factor: content.factor))
      }
      reports.append(ImportReport(user: item.user, line: item.line, outcome: outcome))
    }
    return reports
  }

  /// A factor that a trial run would have imported.
  private struct Planned {
    let user: [UInt8]?
    let name: String
    let factor: ImportableFactor
  }

  private func importFactor(
    _ item: ImportSource.Item, isTrial: Bool, after planned: [Planned]
  ) throws(AdminError) -> ImportReport.Outcome {
    let content: ImportSource.Content
    switch item.content {
    case .success(let found): content = found
    case .failure(let refusal): return .refused(refusal.text)
    }
    guard let user = item.user else { return .refused("the line names no user") }
    let subject = try subject(String(decoding: user, as: UTF8.self))
    // A file with a different spelling of the name belongs to a different user.
    guard let account = subject.account, account.name == user else {
      throw .noSuchUser(subject.name)
    }
    switch try finding(subject) {
    case .unusable(let problem): throw .unusable(subject.name, problem)
    case .nothing:
      guard !isTrial else {
        return try onUser(
          subject, try trial(content, item.name, nil, planned.filter { $0.user == user }))
      }
    case .usable: break
    }
    let entry = try onUser(subject, try store.entry(of: account, creating: !isTrial))
    return try onUser(subject) { () throws(FactorStoreError) in
      guard !isTrial else {
        return try trial(content, item.name, entry, planned.filter { $0.user == user })
      }
      return try add(content, named: item.name, to: entry, of: account, subject)
    }
  }

  /// Returns what importing would do, given the stored factors and those `planned` for the user.
  private func trial(
    _ content: ImportSource.Content, _ wanted: String, _ entry: LocalFactorStoreEntry?,
    _ planned: [Planned]
  ) throws(FactorStoreError) -> ImportReport.Outcome {
    let found = content.factor
    if let entry {
      let hindrance = try found.secret.withSpan { key throws(FactorStoreError) in
        try Importing.hindrance(to: key, in: entry)
      }
      if let hindrance { return Self.outcome(hindrance, wanted) }
    }
    for other in planned {
      let isSame = found.secret.withSpan { key in
        other.factor.secret.withSpan { Importing.isSame($0, key) }
      }
      if isSame { return .present(name: other.name) }
    }
    let count = (entry?.record?.factors.count ?? 0) + planned.count
    guard count < FactorRecord.maximumFactors else {
      return Self.outcome(.refused(.tooManyFactors), wanted)
    }
    let name = Self.freeName(wanted, in: entry?.record, besides: planned.map(\.name))
    return .possible(name: name, content.warnings)
  }

  private func add(
    _ content: ImportSource.Content, named wanted: String, to entry: LocalFactorStoreEntry,
    of account: Account, _ subject: AdministeredUser
  ) throws(FactorStoreError) -> ImportReport.Outcome {
    let found = content.factor
    let name = Self.freeName(wanted, in: entry.record, besides: [])
    guard let displayName = DisplayName(Array(name.utf8)) else {
      return .refused("\(name) cannot be a factor's name")
    }
    let description = Importing.Description(
      displayName: displayName, parameters: found.parameters, timeOffset: found.timeOffset,
      usedUntil: found.watermark(at: now))
    let codes =
      if let codes = content.recoveryCodes { codes.digits.prefix(.max) } else {
        SecretBytes(count: 0)
      }
    let result = try found.secret.withSpan { key throws(FactorStoreError) in
      try Importing.add(
        description, key: key, recoveryCodes: codes.span, to: entry,
        attempts: entry.attempts, now: now, from: Source(administrator: actor),
        by: auditLogActor)
    }
    guard case .imported(let factor, let dropped, let mark) = result else {
      return Self.outcome(result, name)
    }
    note("imported", subject.name, .entered(mark)) {
      $0.add("factor", escaping: factor.id.hexadecimal)
    }
    deliver(account)
    return .imported(
      name: name,
      content.warnings + (dropped > 0 ? [.recoveryCodesDropped(count: dropped)] : []))
  }

  /// Returns the outcome to report for a factor that was to be called `name`.
  private static func outcome(
    _ result: Importing.Result, _ name: String
  ) -> ImportReport.Outcome {
    switch result {
    case .imported: .imported(name: name, [])
    case .present(let factor): .present(name: "\(VisibleText(factor.displayName))")
    case .refused(.tooManyFactors):
      .refused("the account has \(FactorRecord.maximumFactors) factors; revoke one first")
    case .refused(.nameTaken), .refused(.noSuchFactor):
      .refused("another factor has the name \(name); rename it")
    }
  }

  /// Returns `wanted`, with a number appended if another stored or planned factor has the name.
  private static func freeName(
    _ wanted: String, in record: FactorRecord?, besides planned: [String]
  ) -> String {
    var name = wanted
    var number = 2
    let taken = (record?.factors ?? []).map(\.displayName.utf8) + planned.map { Array($0.utf8) }
    while taken.contains(Array(name.utf8)) {
      name = "\(wanted) (\(number))"
      number += 1
    }
    return name
  }
}
