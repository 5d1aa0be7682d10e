import MFABase
import MFACrypto
import MFAStore

/// A backup that is being written: a tar archive whose last file is a checksum of all files before it,
/// made with the key of the store.
///
/// MUST 1: only root can read the file, from its creation on. (`BackupTests.mode`)
/// MUST 2: the file has its name only when it is complete and on the disk. (`BackupTests.interrupted`)
struct BackupWriter: ~Copyable {
  private let place: BackupPlace
  private let file: File
  private let time: Int64
  private var offset: Int64 = 0
  private var digest: BackupDigest
  private var key: SealingKey

  /// Creates the file under a temporary name.
  init(
    _ place: consuming BackupPlace, key: consuming SealingKey, time: Int64
  ) throws(AdminError) {
    let file = try place.createDraft()
    self.file = file
    self.place = place
    self.key = key
    self.time = time
    digest = BackupDigest()
  }

  /// Adds a file.
  mutating func add(_ name: String, _ content: [UInt8]) throws(AdminError) {
    try add(Array(name.utf8), content)
  }

  /// Adds a file.
  mutating func add(_ name: [UInt8], _ content: [UInt8]) throws(AdminError) {
    let member = try member(name, length: content.count)
    let bytes = member.header + content + member.padding
    try digest.add(bytes, &key)
    try write(bytes)
  }

  /// Adds a file with a secret. The checksum covers its header only: a backup whose key was changed
  /// cannot be verified with it.
  mutating func add(_ name: String, secret: borrowing SecretBytes) throws(AdminError) {
    let member = try member(Array(name.utf8), length: secret.count)
    try digest.add(member.header, &key)
    try write(member.header)
    let (start, span) = (offset, secret.span)
    try place.onFile(try file.write(span, at: start))
    offset += Int64(secret.count)
    try write(member.padding)
  }

  /// Writes the checksum, and gives the file its name.
  consuming func finish() throws(AdminError) {
    let content = Hexadecimal.text(of: digest.value) + [UInt8(ascii: "\n")]
    let member = try member(Array(BackupFile.checksum.utf8), length: content.count)
    try write(member.header + content + member.padding + TarMember.end)
    try place.onFile(try file.sync())
    try place.publishDraft()
  }

  private func member(_ name: [UInt8], length: Int) throws(AdminError) -> TarMember {
    guard
      let member = TarMember(
        name: Array(BackupFile.folder.utf8) + name, time: time, length: length)
    else { throw .store(.damaged(.auditLog)) }
    return member
  }

  private mutating func write(_ bytes: [UInt8]) throws(AdminError) {
    let start = offset
    try place.onFile(try file.write(bytes, at: start))
    offset += Int64(bytes.count)
  }
}

/// The names in a backup.
enum BackupFile {
  static let folder = "mfa-backup/"
  static let manifest = "manifest"
  static let key = "key"
  static let checksum = "checksum"
  static let factors = "factors/"
  static let attempts = "attempts/"
  static let log = "log/"
  static let configuration = "configuration"
  static let services = "services"
}

/// The running checksum of the files of a backup.
struct BackupDigest {
  private(set) var value = [UInt8](repeating: 0, count: SealingKey.checksumLength)

  mutating func add(_ bytes: [UInt8], _ key: inout SealingKey) throws(AdminError) {
    do throws(SystemError) {
      value = try key.checksum(of: value + bytes, purpose: .backup)
    } catch {
      throw .store(.cryptography)
    }
  }
}
