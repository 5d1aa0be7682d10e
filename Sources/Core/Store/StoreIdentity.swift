import MFABase
import MFACrypto

/// What /etc/mfa/identity says about the host's own store, so that a store that is missing, empty,
/// older or from another machine is told from it.
///
/// The file has two slots, which are written alternately. It is written after the head of the audit
/// log: an interruption leaves a store that is newer than the file says, which is the host's own.
package struct StoreIdentity: Equatable, Sendable {
  /// The random number of the audit log; 0 before the first entry.
  package var log: UInt32 = 0
  /// How often the head of the audit log was written at least.
  package var sequence: UInt64 = 0
  /// The number of entries that the audit log has at least.
  package var entries: UInt32 = 0
  /// The /etc/machine-id of the machine that the store belongs to; nil if it was not known.
  package var machine: [UInt8]?
  /// The /etc/machine-id of the machine on which the key was made; nil if it was not known.
  package var keyMachine: [UInt8]?

  /// Creates the identity of a store in which nothing was ever recorded.
  package init(machine: [UInt8]? = nil, keyMachine: [UInt8]? = nil) {
    self.machine = machine
    self.keyMachine = keyMachine
  }

  /// The name of the file in its folder.
  package static var fileName: StaticString { "store" }

  // MARK: Binary form

  /// The length of the file in bytes.
  package static let length = 512
  static let slotLength = length / 2
  private static let magic: [UInt8] = [0x4D, 0x46, 0x41, 0x49]  // MFAI
  private static let version: UInt16 = 1

  /// A slot whose checksum has not been verified.
  struct Slot {
    let number: Int
    /// How often the file was written.
    let writes: UInt32
    let content: StoreIdentity
    let encoded: [UInt8]
    let checksum: [UInt8]

    init?(_ number: Int, of bytes: [UInt8]) {
      let slot = bytes.span.part(from: number &* slotLength, count: slotLength)
      var reader = ByteReader(slot)
      guard reader.read(count: 4) == magic, reader.read(UInt16.self) == version,
        let writes = reader.read(UInt32.self), let log = reader.read(UInt32.self),
        let sequence = reader.read(UInt64.self), let entries = reader.read(UInt32.self),
        let machine = reader.read(count: MachineIdentity.length),
        let keyMachine = reader.read(count: MachineIdentity.length)
      else { return nil }
      var content = StoreIdentity(
        machine: MachineIdentity.parsed(machine), keyMachine: MachineIdentity.parsed(keyMachine))
      content.log = log
      content.sequence = sequence
      content.entries = entries
      encoded = slot.part(from: 0, count: reader.position).copied()
      guard let checksum = reader.read(count: SealingKey.checksumLength) else { return nil }
      self.number = number
      self.writes = writes
      self.content = content
      self.checksum = checksum
    }
  }

  /// Returns the slots, the one that was written last first.
  static func slots(of bytes: [UInt8]) -> [Slot] {
    let first = Slot(0, of: bytes)
    let second = Slot(1, of: bytes)
    let secondIsNewer = second?.writes ?? 0 > first?.writes ?? 0
    return (secondIsNewer ? [second, first] : [first, second]).compactMap { $0 }
  }

  /// Returns the content of the file. `makeKey` is called only if something was ever recorded: what
  /// packaging/make-store writes has no checksum.
  ///
  /// A file in which something was recorded never counts as new again: both slots are written then.
  static func read(
    _ bytes: [UInt8], _ makeKey: () throws(FactorStoreError) -> SealingKey
  ) throws(FactorStoreError) -> ForeignStore.Known {
    if bytes.allSatisfy({ $0 == 0 }) { return .identity(StoreIdentity()) }
    let slots = slots(of: bytes)
    guard let newest = slots.first else { return .otherKey }
    if newest.content.log == 0 { return .identity(newest.content) }
    var key = try makeKey()
    for slot in slots where slot.content.log != 0 {
      let isValid = try cryptographic { () throws(SystemError) in
        try key.verifies(slot.checksum.span, of: slot.encoded, purpose: .storeIdentity)
      }
      if isValid { return .identity(slot.content) }
    }
    return .otherKey
  }

  /// Returns the slot with its checksum.
  func encoded(writes: UInt32, _ key: inout SealingKey) throws(FactorStoreError) -> [UInt8] {
    let unknown = [UInt8](repeating: 0, count: MachineIdentity.length)
    var writer = ByteWriter()
    writer.write(Self.magic)
    writer.write(Self.version)
    writer.write(writes)
    writer.write(log)
    writer.write(sequence)
    writer.write(entries)
    writer.write(machine ?? unknown)
    writer.write(keyMachine ?? unknown)
    let content = writer.bytes
    return content
      + (try cryptographic { () throws(SystemError) in
        try key.checksum(of: content, purpose: .storeIdentity)
      })
  }
}

/// The file in /etc/mfa/identity, which is read again when it has changed.
///
/// MUST 1: a file that was replaced counts at the next `read`. (`ForeignStoreTests.replaced`)
/// MUST 2: the file is trusted only if it is a regular file of mode 0600 with a single link in a folder of
/// mode 0700, and both belong to the store's owner. (`ForeignStoreTests.distrusted`)
package final class StoreIdentityFile {
  private let folder: TrustedPath
  private let owner: UInt32
  private let path: [UInt8]
  /// The version of the file at the last `read`.
  private var version: FileIdentity?
  private var known: ForeignStore.Known?
  /// The identity of this machine. A process does not outlive its machine.
  private var machine: [UInt8]??

  /// Creates a value for the file in `folder`. Nothing is read yet.
  package init(in folder: TrustedPath, owner: UInt32) {
    self.folder = folder
    self.owner = owner
    path = folder.bytes + [UInt8(ascii: "/")] + StoreIdentity.fileName.bytes
  }

  /// The /etc/machine-id of this machine, or nil if it has none.
  package var thisMachine: [UInt8]? {
    if let machine { return machine }
    let current = MachineIdentity.current
    machine = .some(current)
    return current
  }

  /// Returns what the file has. `makeKey` is called if the file has a checksum.
  package func read(
    _ makeKey: () throws(FactorStoreError) -> SealingKey
  ) throws(FactorStoreError) -> ForeignStore.Known {
    let time = Clock.nanoseconds()
    let present = try onPart(.identity) { () throws(SystemError) in try FileIdentity.of(path) }
    if let known, present != nil, present == version { return known }
    version = present
    known = nil
    guard present != nil, let bytes = try bytes() else { return .missing }
    let content = try StoreIdentity.read(bytes, makeKey)
    // A younger version may become that of another content.
    if let present, case .identity = content, present.isOld(at: time) { known = content }
    return content
  }

  /// Whether the file that `read` found was written more than `seconds` ago, or in the future.
  package func isOlder(than seconds: Int64) -> Bool {
    version?.isOutdated(after: seconds, at: Clock.nanoseconds()) ?? false
  }

  /// Opens the file for a later `write`, so that what cannot be written is known before anything is.
  package func openForWriting() throws(FactorStoreError) -> File {
    guard let directory = try directory() else { throw .foreign(.noIdentity) }
    do throws(FactorStoreError) {
      let file = try file(in: directory).open(creating: false)
      let status = try onPart(.identity) { () throws(SystemError) in try file.status() }
      guard status.size == Int64(StoreIdentity.length) else {
        throw .untrusted(.identity, .wrongSize)
      }
      return file
    } catch {
      guard case .system(.identity, let cause) = error, cause.isNotFound else { throw error }
      throw .foreign(.noIdentity)
    }
  }

  /// Writes the identity durably to the slot that was written earlier, and the first one to both slots.
  /// The caller holds the lock of the audit log.
  package func write(
    _ content: StoreIdentity, to file: borrowing File, _ key: inout SealingKey
  ) throws(FactorStoreError) {
    let bytes = try onPart(.identity) { () throws(SystemError) in
      try file.read(count: StoreIdentity.length)
    }
    let newest = StoreIdentity.slots(of: bytes).first
    var writes = newest?.writes ?? 0
    var slot = 1 &- (newest?.number ?? 1)
    for _ in 0..<(newest?.content.log ?? 0 == 0 ? 2 : 1) {
      writes = max(writes &+ 1, 1)
      let encoded = try content.encoded(writes: writes, &key)
      let offset = Int64(truncatingIfNeeded: slot &* StoreIdentity.slotLength)
      try onPart(.identity) { () throws(SystemError) in
        try file.write(encoded, at: offset)
        try file.syncData()
      }
      slot = 1 &- slot
    }
    known = nil
    version = nil
  }

  private func file(in directory: StoreDirectory) throws(FactorStoreError) -> OwnedFile {
    guard let name = FileName(StoreIdentity.fileName) else { throw .nameTooLong }
    return OwnedFile(.identity, directory: directory, name: name, owner: owner)
  }

  /// Opens and checks the folder. Returns nil if it does not exist.
  private func directory() throws(FactorStoreError) -> StoreDirectory? {
    try folder.checkParents(of: .identity)
    let status = try onPart(.identity) { () throws(SystemError) in
      try FileIdentity.of(folder.bytes)
    }
    guard status != nil else { return nil }
    let opened = try onPart(.identity) { () throws(SystemError) in try folder.lastDirectory() }
    guard try StoreDirectory.owner(of: opened, .identity) == owner else {
      throw .untrusted(.identity, .wrongOwner)
    }
    return StoreDirectory(judged: opened)
  }

  /// Returns the content of the file, or nil if it does not exist.
  private func bytes() throws(FactorStoreError) -> [UInt8]? {
    guard let directory = try directory(), let opened = try openForReading(in: directory) else {
      return nil
    }
    let status = try onPart(.identity) { () throws(SystemError) in try opened.status() }
    if let distrust = status.distrust(
      owners: (owner, owner), permissions: 0o600, mayBeReplaced: true)
    {
      throw .untrusted(.identity, distrust)
    }
    guard status.size == Int64(StoreIdentity.length) else {
      throw .untrusted(.identity, .wrongSize)
    }
    return try onPart(.identity) { () throws(SystemError) in
      try opened.read(count: StoreIdentity.length)
    }
  }

  private func openForReading(in directory: StoreDirectory) throws(FactorStoreError) -> File? {
    let name = try file(in: directory).name
    do throws(SystemError) {
      return try directory.opened.fileForReading(name)
    } catch {
      if error.isNotFound { return nil }
      throw refusal(error, of: .identity, name, in: directory.opened, owner: owner)
    }
  }
}
