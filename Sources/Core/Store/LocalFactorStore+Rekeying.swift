import MFABase
import MFACrypto
import MFAModel

// The steps in which `mfa-admin rekey` changes the key while users sign in.
//
// 1. `beginKeyChange` writes the next key beside the present one. From then on everything is verified
//    with either key. A user's data is written with the key that the record was sealed with.
// 2. `beginNextKey` ends the part of the audit log that the present key proves. Entries are written
//    with the next key, which every writer reads again under the log's lock.
// 3. `reseal` seals each user's data with the next key, under the user's lock, and enters that in the
//    log. A process reads the key under this lock too: one that writes to the data after this step knows
//    the next key, and one that wrote before it has finished.
// 4. `endKeyChange` gives the next key the name of the present one, which is gone then.
//
// MUST 1: each record and each attempt state opens with a key that is on the disk, after a kill at any
// point. (`RekeyTests.interruptedAtEachStep`, and Tests/Faults)
// MUST 2: a step that was done is not done again, so that the command can be repeated.
// (`RekeyTests.repeated`)
// MUST 3: files that the log does not allow are not accepted because of the change.
// (`RekeyTests.restoredMeanwhile`)
extension LocalFactorStore {
  /// Whether there is a next key.
  package func isKeyChanging() throws(FactorStoreError) -> Bool { try key().isChanging }

  /// Writes the next key beside the present one, unless it is there already. It gets the owner and the
  /// group of the present one.
  package func beginKeyChange() throws(FactorStoreError) {
    guard try !isKeyChanging() else { return }
    let keyFile = try openedKeyFile()
    let present = try keyFile.open(storeOwner: owner)
    let master = try cryptographic { () throws(SystemError) in
      try SecretBytes.random(count: SealingKey.length)
    }
    try onPart(.key) { () throws(SystemError) in
      try keyFile.create(keyFile.nextName, master, like: try present.status())
    }
  }

  /// Begins the part of the audit log that the next key proves, with this entry, unless it has begun.
  package func beginNextKey(
    entering event: AuditLogEvent
  ) throws(FactorStoreError) -> AuditLogCheckpoint? {
    var key = try key()
    let section = try onPart(.auditLogHead) { () throws(SystemError) in try UninterruptedSection() }
    let checkpoint = try auditLog().beginNextKey(entering: event, &key)
    _ = consume section
    return checkpoint
  }

  /// Returns whether the next key's part of the audit log has an entry about an account.
  func hasEntry(
    of account: Account, _ key: inout SealingKey
  ) throws(FactorStoreError) -> Bool {
    try auditLog().hasEntry(of: account.name, uid: account.uid, &key)
  }

  /// The result of sealing the data of one user.
  package enum Resealing: Equatable, Sendable {
    /// The data was sealed with the next key already, or there is none.
    case unchanged
    /// The data is sealed with the next key now.
    case resealed
  }

  /// Seals the data in the files `name` with the next key, and records that in the audit log if there
  /// is a record.
  ///
  /// - Throws: the reason why a sign-in would refuse the data, which is then left as it is.
  package func reseal(
    _ name: FileName, entering event: AuditLogEvent
  ) throws(FactorStoreError) -> Resealing {
    if let record = try RecordFile.read(name, in: factors(), owner: owner) {
      guard let account = record.claimedAccount,
        FileName(percentEncoding: account.name) == name
      else { throw .damaged(.record) }
      if try entry(of: account, creating: false).reseal(entering: event) { return .resealed }
    }
    return try resealAttempts(name)
  }

  /// Seals an attempt state without a record with the next key.
  private func resealAttempts(_ name: FileName) throws(FactorStoreError) -> Resealing {
    let attempts = AttemptsFile(directory: try attempts(), name: name, owner: owner)
    guard try attempts.readIfPresent() != nil else { return .unchanged }
    let section = try onPart(.attempts) { () throws(SystemError) in try UninterruptedSection() }
    let locked = try attempts.lock(creating: false)
    var next = try key()
    let bytes = try onPart(.attempts) { () throws(SystemError) in
      try locked.read(count: AttemptSlots.length)
    }
    var slots = try AttemptSlots(bytes: bytes, &next)
    var result = Resealing.unchanged
    if let state = slots.state, try !AttemptSlots.isSealed(bytes, &next),
      try RecordFile.read(name, in: factors(), owner: owner) == nil
    {
      for _ in 0..<2 {
        try slots.write(state.forgetting().forgettingAnswers(), to: locked, &next)
        try onPart(.attempts) { () throws(SystemError) in try locked.syncData() }
        slots.synced()
      }
      result = .resealed
    }
    // The lock ends with the open file, which must stay open until here.
    withExtendedLifetime(locked) {}
    _ = consume section
    return result
  }

  /// Calls `body` with the name of each user's files, in no particular order.
  package func forEachUserFile(_ body: (FileName) -> Void) throws(FactorStoreError) {
    for (directory, part) in [
      (try factors(), FactorStoreError.Part.factors), (try attempts(), .attempts),
    ] {
      try onPart(part) { () throws(SystemError) in
        try directory.opened.forEachEntry { name in
          if name.percentDecoded != nil { body(name) }
          return true
        }
      }
    }
  }

  /// Gives the next key the name of the present one. Everything must be sealed with it.
  package func endKeyChange() throws(FactorStoreError) {
    let keyFile = try openedKeyFile()
    guard try isKeyChanging() else { return }
    try onPart(.key) { () throws(SystemError) in
      try keyFile.directory.rename(keyFile.nextName, to: keyFile.name)
      try keyFile.directory.sync()
    }
  }
}
