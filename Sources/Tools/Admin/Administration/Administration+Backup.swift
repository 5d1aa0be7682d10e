import MFAAttempt
import MFABase
import MFACrypto
import MFAModel
import MFAStore

// Copies the store into one file while users sign in.
extension Administration {
  /// Where a backup keeps the key.
  package enum BackupKey: Equatable {
    /// Not with the backup: it must be kept elsewhere.
    case apart
    /// In the backup.
    case included
    /// In a file of its own.
    case file(String)
  }

  /// What a backup contains.
  package struct BackupReport: Equatable {
    package let path: String
    package let key: BackupKey
    package let users: Int
    package let entries: UInt32
    package let configurationFiles: Int

    /// The report as text for an administrator.
    package var text: String {
      let file = VisibleText.escaping(path)
      let users = users == 1 ? "1 user" : "\(users) users"
      let lines = entries == 1 ? "1 entry" : "\(entries) entries"
      let files = configurationFiles == 1 ? "1 file" : "\(configurationFiles) files"
      let text =
        "\(file): the data of \(users), the audit log (\(lines)), and the configuration (\(files)); "
        + "readable by root only\n"
      switch key {
      case .apart:
        return text
          + "It does not contain the key, without which its secrets cannot be read and it cannot be "
          + "restored. Keep a copy of \(InstalledPath.key) in another place.\n"
      case .included:
        return text
          + "It CONTAINS THE KEY: anyone who reads it learns the secrets of all users. Keep it like "
          + "a list of passwords.\n"
      case .file(let key):
        return text
          + "\(VisibleText.escaping(key)): the key, readable by root only. Keep the two files in "
          + "different places: anyone who has both learns the secrets of all users.\n"
      }
    }
  }

  /// Writes a backup of the store and of the configuration.
  ///
  /// Each user's data is copied under the user's lock, and the audit log last, so that it has an entry
  /// for everything that was copied. The key cannot change meanwhile. `services` are those that ask for a code,
  /// each with the options of `mfa-admin enable`.
  package func backUp(
    to path: String, key: BackupKey, overwriting: Bool, services: [String] = []
  ) throws(AdminError) -> BackupReport {
    let lock = try ConfigurationLock()
    guard try !isKeyChanging() else { throw .backup(.keyChanging) }
    let place = try BackupPlace(path)
    if !overwriting { try place.requireAbsence() }
    if case .file(let keyPath) = key {
      let keyPlace = try BackupPlace(keyPath)
      if !overwriting { try keyPlace.requireAbsence() }
      try keyPlace.write(secret: try master())
    }
    let report = try write(to: place, path, key: key, services)
    withExtendedLifetime(lock) {}
    var line = LogLine()
    line.add("result", "backed-up")
    line.add("file", escaping: Array(path.utf8))
    line.add("by", escaping: actor)
    log(.notice, line)
    return report
  }

  private func write(
    to place: consuming BackupPlace, _ path: String, key kept: BackupKey, _ services: [String]
  ) throws(AdminError) -> BackupReport {
    let sealing = try sealingKey()
    var key = sealing.shared()
    let manifest = BackupContent.Manifest(
      host: hostName, time: now, keyIdentity: try Self.identity(&key))
    var writer = try BackupWriter(place, key: sealing, time: now)
    try writer.add(BackupFile.manifest, manifest.text)
    if kept == .included { try writer.add(BackupFile.key, secret: try master()) }
    var users = 0
    for name in try userFiles() {
      let user = try onFile(name, try store.copy(name))
      if let record = user.record {
        users += 1
        try writer.add(Array(BackupFile.factors.utf8) + name.bytes, record)
      }
      if let attempts = user.attempts {
        try writer.add(Array(BackupFile.attempts.utf8) + name.bytes, attempts)
      }
    }
    for file in try onStore(try store.copyAuditLog()) {
      try writer.add(Array(BackupFile.log.utf8) + file.name, file.content)
    }
    let configuration = try ThisHost.layers().filter { $0.path != ConfigurationFile.vendorPath }
    for layer in configuration {
      try writer.add(Array(BackupFile.configuration.utf8) + layer.path, layer.text)
    }
    if !services.isEmpty {
      try writer.add(BackupFile.services, Array(services.map { $0 + "\n" }.joined().utf8))
    }
    try writer.finish()
    let reading = try onStore(try store.inspectAuditLog { _ in })
    return BackupReport(
      path: path, key: kept, users: users, entries: reading.last?.number ?? 0,
      configurationFiles: configuration.count)
  }

  /// Returns the names of all users' files, without duplicates, sorted.
  func userFiles() throws(AdminError) -> [FileName] {
    var names: [[UInt8]: FileName] = [:]
    try onStore(try store.forEachUserFile { name in names[name.bytes] = name })
    return names.values.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
  }

  /// Evaluates an expression, and converts an error of the store to one about the user of a file.
  func onFile<Result>(
    _ name: FileName, _ body: @autoclosure () throws(FactorStoreError) -> Result
  ) throws(AdminError) -> Result {
    do throws(FactorStoreError) { return try body() } catch {
      guard let user = name.percentDecoded.flatMap({ UserName($0) }) else { throw .store(error) }
      throw .unusable(user, RecordProblem(error))
    }
  }

  func sealingKey() throws(AdminError) -> SealingKey {
    try onStore(try store.presentKey())
  }

  private func master() throws(AdminError) -> SecretBytes {
    try onStore(try store.masterKey())
  }

  static func identity(_ key: inout SealingKey) throws(AdminError) -> [UInt8] {
    do throws(SystemError) { return try key.identity() } catch {
      throw .store(.cryptography)
    }
  }

  private var hostName: [UInt8] {
    do throws(SystemError) { return try HostName.current() } catch { return [] }
  }
}

// Changes the key that seals all records. `LocalFactorStore+Rekeying.swift` explains the steps.
extension Administration {
  /// A change of the key that is complete.
  package struct KeyChange: Equatable {
    /// The number of users whose data was sealed with the next key by this command.
    package let resealed: Int
    /// Whether an earlier command had begun the change.
    package let wasBegun: Bool
    /// The last entry of the change in the audit log.
    package let checkpoint: AuditLogCheckpoint

    /// The change as a sentence for an administrator.
    package var sentence: String {
      let users = resealed == 1 ? "the data of 1 user" : "the data of \(resealed) users"
      return (wasBegun ? "completed the change that was begun earlier: " : "")
        + "sealed \(users) with a new key, and removed the earlier one from \(InstalledPath.key)\n"
        + "Make a new backup, and copy the new key: earlier backups need the earlier key."
    }
  }

  /// Whether a change of the key was begun and is not complete.
  package func isKeyChanging() throws(AdminError) -> Bool {
    try onStore(try store.isKeyChanging())
  }

  /// Makes a new key, and seals everything with it while users sign in. Completes a change that an
  /// earlier command began.
  ///
  /// Throws `.audit-log` if a stored record does not match the audit log, because the new entries would hide
  /// that.
  package func rekey(progress: Progress = .silent) throws(AdminError) -> KeyChange {
    // Only one process changes the key at a time.
    let lock = try ConfigurationLock()
    let wasBegun = try isKeyChanging()
    if !wasBegun { try requireIntactStore() }
    let last = try onStore { () throws(FactorStoreError) in
      try store.beginKeyChange()
      return try store.beginNextKey(entering: event(.rekeyBegun))
    }
    if let last { note("rekey-begun", last) }
    var progress = progress
    var resealed = 0
    // Nothing can be sealed with the earlier key again, so the second round finds everything done.
    while true {
      let count = try resealAll(&progress)
      resealed += count
      if count == 0 { break }
    }
    progress.finish()
    try requireIntactStore()
    let checkpoint = try onStore { () throws(FactorStoreError) in
      let checkpoint = try store.enter(event(.rekeyed))
      try store.endKeyChange()
      return checkpoint
    }
    note("rekeyed", checkpoint)
    withExtendedLifetime(lock) {}
    return KeyChange(resealed: resealed, wasBegun: wasBegun, checkpoint: checkpoint)
  }

  /// Throws if the audit log is damaged, or a stored record does not match it.
  private func requireIntactStore() throws(AdminError) {
    let problem = try Self.lasting { () throws(AdminError) in
      try verifyAuditLog(expecting: nil, allowsUnlistedRecords: false).problem
    }
    if let problem { throw .auditLog(problem) }
  }

  /// Seals the data of all users, and returns for how many that was necessary.
  private func resealAll(_ progress: inout Progress) throws(AdminError) -> Int {
    let names = try userFiles()
    var count = 0
    for (index, name) in names.enumerated() {
      let result = try onFile(name, try store.reseal(name, entering: event(.resealed)))
      if result == .resealed { count += 1 }
      progress.step(index + 1, of: names.count)
    }
    return count
  }
}
