import MFAStore

/// A change as a transaction.
struct EtcdChange {
  let realm: EtcdRealm
  private let change: EngineChange
  private let keys: EtcdKeys
  private let failures: EtcdFailures?
  private let logEnd: EtcdLogEnd?
  private let token = Token.random()
  /// The keys that the transaction returns if it fails.
  private var returned: [[UInt8]] = []
  /// The keys whose values begin with the token.
  private var marked: [[UInt8]] = []
  private(set) var transaction = EtcdTransaction()

  /// The failures of the host after the change, or nil.
  private(set) var nextFailures: EtcdFailures?

  /// The maximum length of a line of the log, and of a sealed end, in bytes.
  private static let longestLine = 65_536
  /// The maximum length of an answer in bytes.
  private static let longestAnswer = 1024

  /// Whether all parts have lengths that a store produces. A request is then shorter than the 1.5 MiB that
  /// etcd accepts.
  static func isSmall(_ change: EngineChange) -> Bool {
    change.rows.allSatisfy {
      max($0.record.count, $0.attempts.count) <= EngineRow.longestPart
    }
      && change.answer?.answer.count ?? 0 <= longestAnswer
      && change.answer?.nonce.count ?? EngineAnswer.nonceLength == EngineAnswer.nonceLength
      && (1...EngineKey.longestID).contains(change.budget?.host.count ?? 1)
  }

  /// Prepares a change of the realm.
  ///
  /// - Parameters:
  ///   - change: the change.
  ///   - realm: the realm as it was read last.
  ///   - keys: the keys of the realm.
  ///   - failures: the failures of the budget's host as they were read last.
  ///   - logEnd: the end of the log as it was read last.
  ///   - lease: the lease of the answer.
  /// - Throws: `conflict` or `budgetUsedUp`, if the change cannot succeed.
  init(
    _ change: EngineChange, _ realm: EtcdRealm, _ keys: EtcdKeys, failures: EtcdFailures?,
    logEnd: EtcdLogEnd?, lease: Int64
  ) throws(EngineError) {
    self.change = change
    self.realm = realm
    self.keys = keys
    self.failures = failures
    self.logEnd = logEnd
    compare(.value(keys.realm, realm.bytes), keys.realm)
    for row in change.rows { try put(row) }
    if let (from, to) = change.configuration {
      compare(.value(keys.configuration, EtcdKeys.big(from)), keys.configuration)
      transaction.success.append(.put(keys.configuration, EtcdKeys.big(to), lease: 0))
    }
    if let answer = change.answer {
      let key = keys.answer(answer.nonce)
      compare(.version(key, 0), key)
      put(key, answer.answer, lease: lease)
    }
    if let budget = change.budget { try count(budget) }
  }

  private mutating func compare(_ comparison: EtcdTransaction.Comparison, _ key: [UInt8]) {
    transaction.compare.append(comparison)
    transaction.failure.append(.get(key))
    returned.append(key)
  }

  /// Writes a value with the token.
  private mutating func put(_ key: [UInt8], _ content: [UInt8], lease: Int64 = 0) {
    transaction.success.append(.put(key, token + content, lease: lease))
    marked.append(key)
  }

  /// Writes a row over its version.
  private mutating func put(_ row: EngineRowChange) throws(EngineError) {
    guard let version = Int64(exactly: row.version) else { throw .conflict }
    let key = keys.row(row.key)
    compare(.version(key, version), key)
    put(key, EtcdKeys.big(UInt32(clamping: row.record.count)) + row.record + row.attempts)
  }

  /// Counts a failure within the budget, or only requires that the budget is not used up.
  private mutating func count(_ budget: HostBudget) throws(EngineError) {
    guard let failures, failures.count < budget.limit else { throw .budgetUsedUp }
    guard budget.isFailure else {
      let limit = EtcdTransaction.Comparison.valueBelow(failures.key, EtcdKeys.big(budget.limit))
      // A key that does not exist has no value to compare.
      compare(failures.version == 0 ? .version(failures.key, 0) : limit, failures.key)
      return
    }
    compare(.version(failures.key, failures.version), failures.key)
    let next = failures.count + 1
    transaction.success.append(.put(failures.key, EtcdKeys.big(next), lease: 0))
    nextFailures = EtcdFailures(key: failures.key, version: failures.version + 1, count: next)
    // A host whose clock is a little late still finds its own period.
    let (last, overflow) = budget.period.subtractingReportingOverflow(2)
    guard !overflow else { return }
    let old = keys.failures(before: last)
    transaction.success.append(.remove(old.first, old.end))
  }

  /// Appends a line to the log.
  mutating func enter(_ entering: (_ end: [UInt8]) -> EngineLogLine?) throws(EngineError) {
    guard let logEnd else { throw .refused }
    guard let line = entering(logEnd.end) else { throw .abandoned }
    let (next, overflow) = logEnd.number.addingReportingOverflow(1)
    guard !overflow, line.number == next, line.text.count <= Self.longestLine,
      line.end.count <= Self.longestLine
    else { throw .refused }
    compare(.version(keys.logEnd, logEnd.version), keys.logEnd)
    put(keys.logEnd, EtcdKeys.big(next) + line.end)
    let content = EtcdKeys.big(UInt32(clamping: line.text.count)) + line.text + line.end
    transaction.success.append(.put(keys.line(next), content, lease: 0))
  }

  /// Reads a line of the log.
  static func line(_ entry: EtcdEntry, _ keys: EtcdKeys) throws(EngineError) -> EngineLogLine {
    let number = entry.key.suffix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    guard entry.key == keys.line(number), entry.value.count >= 4 else { throw .refused }
    let length = entry.value[..<4].reduce(0) { $0 << 8 | Int($1) }
    guard length <= entry.value.count - 4 else { throw .refused }
    return EngineLogLine(
      number: number, text: Array(entry.value[4..<(4 + length)]),
      end: Array(entry.value[(4 + length)...]))
  }

  // MARK: - After a failure

  private func present(_ key: [UInt8], _ reply: EtcdReply) throws(EngineError) -> EtcdEntry? {
    guard let index = returned.firstIndex(of: key) else { throw .refused }
    return try reply.entry(index, key)
  }

  /// Returns the failures of the host that a failed transaction has found, or nil.
  func presentFailures(_ reply: EtcdReply) throws(EngineError) -> EtcdFailures? {
    guard let failures else { return nil }
    return try EtcdFailures(failures.key, present(failures.key, reply))
  }

  /// Returns the end of the log that a failed transaction has found, or nil.
  func presentLogEnd(_ reply: EtcdReply) throws(EngineError) -> EtcdLogEnd? {
    guard returned.contains(keys.logEnd) else { return nil }
    return try EtcdLogEnd(present(keys.logEnd, reply))
  }

  /// Throws if a failed transaction cannot succeed any more.
  ///
  /// libcurl sends a request again if a connection that it kept is lost before the first byte of an
  /// answer. The second copy of a commit fails because of the first one.
  func throwIfChanged(_ reply: EtcdReply) throws(EngineError) {
    for key in marked where try present(key, reply)?.value.starts(with: token) == true {
      throw .unreachable
    }
    guard try present(keys.realm, reply)?.value == realm.bytes else { throw .conflict }
    for row in change.rows
    where try UInt64(present(keys.row(row.key), reply)?.version ?? 0) != row.version {
      throw .conflict
    }
    if let (from, _) = change.configuration,
      try present(keys.configuration, reply)?.value != EtcdKeys.big(from)
    {
      throw .conflict
    }
    if let answer = change.answer, try present(keys.answer(answer.nonce), reply) != nil {
      throw .conflict
    }
  }
}
