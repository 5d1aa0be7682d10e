import MFABase
import MFAModel

// The names under which a uid has a record. A record belongs to a name and a uid: after `usermod -l`, the
// user has another name, and the record is still there under the earlier one.
//
// The file `uids/1000` has the name of each record of the uid 1000, one a line, percent-encoded like the name
// of the record's file. Names are only added: a name whose record is gone, or has another uid, is skipped.
//
// MUST 1: a user without a factor whose uid has a record with factors, under a name that no account with this
// uid has now, does not sign in and does not enrol. (`EarlierNameTests.renamed`)
// MUST 2: the name of a record is on the disk before the record is. (`EarlierNameTests.interrupted`)
extension LocalFactorStore {
  /// The largest size of a file with names, in bytes.
  private static var longestNames: Int { 16_384 }

  /// Throws `.renamed` if the uid of a user without a factor has a record with factors under a name that no
  /// account has now.
  func requireNoEarlierName(of account: Account) throws(FactorStoreError) {
    if let earlier = try earlierName(of: account) { throw .renamed(from: earlier) }
  }

  private func earlierName(of account: Account) throws(FactorStoreError) -> UserName? {
    guard let directory = try uids(), let file = try openNames(of: account.uid, in: directory)
    else { return nil }
    let bytes = try onPart(.uids) { () throws(SystemError) in
      try file.read(count: Self.longestNames)
    }
    for line in Self.names(in: bytes) where line != FileName(percentEncoding: account.name) {
      guard let bytes = line.percentDecoded, let user = UserName(bytes),
        try hasFactors(Account(name: user.bytes, uid: account.uid), in: line)
      else { continue }
      let other: Account?
      do throws(SystemError) {
        other = try Account.named(user.bytes)
      } catch {
        throw .system(.uids, error)
      }
      // An account that has got the name with another uid does not own the record either.
      if other?.name != user.bytes || other?.uid != account.uid { return user }
    }
    return nil
  }

  private static func names(in bytes: [UInt8]) -> [FileName] {
    bytes.split(separator: UInt8(ascii: "\n")).compactMap { FileName(Array($0)) }
  }

  /// Returns whether the record in a file is that of an account, and has factors.
  private func hasFactors(_ account: Account, in file: FileName) throws(FactorStoreError) -> Bool {
    guard let sealed = try RecordFile.read(file, in: factors(), owner: owner),
      let claimed = sealed.claimedAccount, claimed == account
    else { return false }
    var key = try key()
    return try sealed.open(&key, account: account)?.isEnrolled ?? false
  }

  private func openNames(
    of uid: UInt32, in directory: StoreDirectory
  ) throws(FactorStoreError) -> File? {
    let name = try Self.fileName(ofUID: uid)
    do throws(SystemError) {
      let file = try directory.opened.fileForReading(name)
      return file
    } catch {
      if error.isNotFound { return nil }
      throw refusal(error, of: .uids, name, in: directory.opened, owner: owner)
    }
  }

  private static func fileName(ofUID uid: UInt32) throws(FactorStoreError) -> FileName {
    guard let name = FileName(bytes(of: decimal(Int64(uid)))) else { throw .nameTooLong }
    return name
  }

  /// Adds the name of a record to those of its uid, durably, before the record is written.
  func noteName(of account: Account) throws(FactorStoreError) {
    guard let directory = try uids(), let name = FileName(percentEncoding: account.name) else {
      return
    }
    let names = OwnedFile(
      .uids, directory: directory, name: try Self.fileName(ofUID: account.uid), owner: owner)
    let file = try names.open(creating: true)
    guard
      try onPart(.uids, { () throws(SystemError) in try file.lock(seconds: OwnedFile.patience) })
    else { throw .system(.uids, .busy(.lock)) }
    let bytes = try onPart(.uids) { () throws(SystemError) in
      try file.read(count: Self.longestNames)
    }
    guard !Self.names(in: bytes).contains(name) else { return }
    // An interrupted process leaves a part of a name.
    let isWhole = bytes.isEmpty || bytes.last == UInt8(ascii: "\n")
    let line = (isWhole ? [] : [UInt8(ascii: "\n")]) + name.bytes + [UInt8(ascii: "\n")]
    guard bytes.count + line.count <= Self.longestNames else {
      throw .untrusted(.uids, .tooLarge)
    }
    try onPart(.uids) { () throws(SystemError) in
      try file.write(line, at: Int64(bytes.count))
      try file.sync()
      if bytes.isEmpty { try directory.opened.sync() }
    }
  }

  /// Returns the account that the record in a file names, or nil if there is none. The record is not
  /// verified.
  package func claimedAccount(_ file: FileName) throws(FactorStoreError) -> Account? {
    try RecordFile.read(file, in: factors(), owner: owner)?.claimedAccount
  }

  /// Moves a record to another name of its uid, or to another uid of its name: attempts, failures and used codes stay counted, and
  /// remembered sign-ins end. After an interruption, the step that is missing is repeated by another call.
  ///
  /// - Returns: whether there was a record under the earlier name.
  package func rename(
    _ earlier: Account, to account: Account, entering event: AuditLogEvent,
    removing removal: AuditLogEvent
  ) throws(FactorStoreError) -> Bool {
    guard let old = UserName(earlier.name), let new = UserName(account.name) else {
      throw .nameTooLong
    }
    guard old != new else {
      return try entryUnderAnyName(of: earlier, creating: false)
        .move(toUID: account.uid, of: new, entering: event)
    }
    guard try copyRecord(earlier, to: account, new, entering: event) else { return false }
    _ = try discard(user: old, account: earlier, entering: removal)
    return true
  }

  /// Writes the record of the earlier name under the other one, unless it is there.
  private func copyRecord(
    _ earlier: Account, to account: Account, _ name: UserName, entering event: AuditLogEvent
  ) throws(FactorStoreError) -> Bool {
    let source = try entryUnderAnyName(of: earlier, creating: false)
    guard var record = try source.record(of: name, uid: account.uid) else { return false }
    let target = try entryUnderAnyName(of: account, creating: true)
    if target.kept?.id == record.id { return true }
    guard target.record == nil else { throw .belongsToAnother }
    if let kept = target.kept { record.continueGenerations(after: kept.generation) }
    _ = try target.replace(
      record: record, attempts: source.attempts.forgetting().forgettingAnswers(), entering: event)
    withExtendedLifetime(source) {}
    return true
  }
}
