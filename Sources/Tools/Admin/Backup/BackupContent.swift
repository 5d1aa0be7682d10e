import MFAAttempt
import MFABase
import MFACrypto
import MFAModel
import MFAStore

/// A backup that was read as a whole. Nothing of it may be used before `verify` has returned.
struct BackupContent: ~Copyable {
  /// The facts at the beginning of a backup.
  struct Manifest: Equatable {
    static let format = "1"

    let host: [UInt8]
    let time: Int64
    let keyIdentity: [UInt8]

    var text: [UInt8] {
      let first = "format \(Self.format)\nversion \(Release.version)\nhost "
      let second = "\ntime \(time)\nkey "
      let key = String(decoding: Hexadecimal.text(of: keyIdentity), as: UTF8.self)
      return Array(first.utf8) + host + Array("\(second)\(key)\n".utf8)
    }
  }

  let path: String
  let manifest: Manifest
  /// The key that the backup contains, or nil.
  let key: SecretBytes?
  let users: [LocalFactorStore.StoredUser]
  let log: [LocalFactorStore.LogFile]
  /// The files of the configuration.
  let configuration: [ConfigurationFile.Layer]
  /// The services that asked for a code, each with the options of `mfa-admin enable`.
  let services: [String]
  private let checksum: [UInt8]
  /// What the checksum covers, file by file.
  private let covered: [[UInt8]]

  private init(
    _ path: String, _ manifest: Manifest, _ files: Sorted, key: consuming SecretBytes?,
    checksum: [UInt8], covered: [[UInt8]]
  ) {
    self.path = path
    self.manifest = manifest
    self.key = key
    users = files.users
    log = files.log
    configuration = files.configuration
    services = files.services
    self.checksum = checksum
    self.covered = covered
  }

  /// Reads a backup.
  static func read(_ path: String) throws(AdminError) -> BackupContent {
    let place = try BackupPlace(path)
    let file = try place.open()
    let size = try place.onFile(try file.status()).size
    var offset: Int64 = 0
    var covered: [[UInt8]] = []
    var files: [Member] = []
    var key: SecretBytes?
    var hasKey = false
    while true {
      let start = offset
      let near = try place.onFile(try file.read(count: TarMember.longestHeader, at: start))
      guard let member = TarMember(header: near),
        member.name.starts(with: BackupFile.folder.utf8)
      else { throw damaged(path, "byte \(start)") }
      let name = String(
        decoding: member.name.dropFirst(BackupFile.folder.utf8.count), as: UTF8.self)
      let (header, padding) = (member.header, member.padding)
      let content = start + Int64(header.count)
      let length = member.length + padding.count
      offset = content + Int64(length)
      guard offset + Int64(TarMember.end.count) <= size else {
        throw damaged(path, "its end is missing")
      }
      if name == BackupFile.key {
        guard member.length == SealingKey.length, !hasKey else { throw damaged(path, name) }
        var secret = SecretBytes(count: member.length)
        let isWhole = try place.onFile(
          try secret.withMutableSpan { span throws(SystemError) in
            try file.read(into: &span, at: content)
          })
        let after = content + Int64(member.length)
        let zeros = try place.onFile(try file.read(count: padding.count, at: after))
        guard isWhole, zeros == padding else { throw damaged(path, name) }
        key = .some(consume secret)
        hasKey = true
        covered.append(header)
        continue
      }
      let bytes = try place.onFile(try file.read(count: length, at: content))
      let text = Array(bytes.prefix(member.length))
      guard bytes == text + padding else { throw damaged(path, name) }
      guard name == BackupFile.checksum else {
        covered.append(header + bytes)
        files.append(Member(name: name, content: text))
        continue
      }
      let end = offset
      let rest = try place.onFile(try file.read(count: TarMember.end.count + 1, at: end))
      guard rest == TarMember.end,
        let checksum = Hexadecimal.bytes(
          of: Array(text.dropLast()), count: SealingKey.checksumLength),
        text.last == UInt8(ascii: "\n"), let first = files.first,
        first.name == BackupFile.manifest
      else { throw damaged(path, name) }
      return BackupContent(
        path, try manifest(first.content, path), try sorted(files.dropFirst(), path), key: key,
        checksum: checksum, covered: covered)
    }
  }

  private static func damaged(_ path: String, _ place: String) -> AdminError {
    .backup(.damaged(path, at: place))
  }

  private struct Member {
    let name: String
    let content: [UInt8]
  }

  private static func manifest(_ bytes: [UInt8], _ path: String) throws(AdminError) -> Manifest {
    let lines = bytes.split(separator: UInt8(ascii: "\n"))
    func value(_ name: String) -> [UInt8]? {
      lines.first { $0.starts(with: Array("\(name) ".utf8)) }
        .map { Array($0.dropFirst(name.utf8.count + 1)) }
    }
    guard let format = value("format") else {
      throw .backup(.damaged(path, at: BackupFile.manifest))
    }
    guard format == Array(Manifest.format.utf8) else { throw .backup(.otherVersion(path)) }
    guard let host = value("host"),
      let time = value("time").flatMap({ Int64(String(decoding: $0, as: UTF8.self)) }),
      let identity = value("key").flatMap({
        Hexadecimal.bytes(of: $0, count: SealingKey.identityLength)
      })
    else { throw .backup(.damaged(path, at: BackupFile.manifest)) }
    return Manifest(host: host, time: time, keyIdentity: identity)
  }

  private struct Sorted {
    var users: [LocalFactorStore.StoredUser] = []
    var log: [LocalFactorStore.LogFile] = []
    var configuration: [ConfigurationFile.Layer] = []
    var services: [String] = []
  }

  /// Sorts the files by their meaning. A file that no backup has is an error.
  private static func sorted(
    _ files: ArraySlice<Member>, _ path: String
  ) throws(AdminError) -> Sorted {
    var sorted = Sorted()
    var records: [(name: FileName, content: [UInt8])] = []
    var attempts: [[UInt8]: [UInt8]] = [:]
    for member in files {
      if let name = file(member.name, below: BackupFile.factors) {
        records.append((name, member.content))
      } else if let name = file(member.name, below: BackupFile.attempts) {
        attempts[name.bytes] = member.content
      } else if let name = file(member.name, below: BackupFile.log) {
        sorted.log.append(LocalFactorStore.LogFile(name: name.bytes, content: member.content))
      } else if member.name.hasPrefix(BackupFile.configuration + "/") {
        let place = member.name.dropFirst(BackupFile.configuration.count)
        sorted.configuration.append(
          ConfigurationFile.Layer(path: Array(place.utf8), text: member.content))
      } else if member.name == BackupFile.services {
        sorted.services = String(decoding: member.content, as: UTF8.self).split(separator: "\n")
          .map(String.init)
      } else {
        throw damaged(path, member.name)
      }
    }
    sorted.users = records.map {
      LocalFactorStore.StoredUser(
        name: $0.name, record: $0.content, attempts: attempts[$0.name.bytes])
    }
    return sorted
  }

  private static func file(_ name: String, below folder: String) -> FileName? {
    guard name.hasPrefix(folder) else { return nil }
    return FileName(Array(name.utf8.dropFirst(folder.utf8.count)))
  }

  /// Verifies the checksum with the key of the backup.
  func verify(_ key: inout SealingKey) throws(AdminError) {
    var digest = BackupDigest()
    for bytes in covered { try digest.add(bytes, &key) }
    guard digest.value == checksum else { throw .backup(.damaged(path, at: "its checksum")) }
  }
}

/// A file that an administrator names, in a folder that only root can change.
struct BackupPlace: ~Copyable {
  let path: String
  private let directory: Directory
  private let name: FileName
  private let draft: FileName

  /// Opens the folder of an absolute path.
  init(_ path: String) throws(AdminError) {
    guard let trusted = TrustedPath(Array(path.utf8)),
      let draft = FileName([UInt8(ascii: ".")] + trusted.last.bytes + Array(".part".utf8))
    else { throw .notAPath(path) }
    let directory = try Self.folder(of: trusted, path)
    self.directory = directory
    self.path = path
    self.draft = draft
    name = trusted.last
  }

  private static func folder(
    of trusted: TrustedPath, _ path: String
  ) throws(AdminError) -> Directory {
    do throws(SystemError) {
      return try trusted.parent()
    } catch {
      throw .backup(.file(path, error))
    }
  }

  /// Throws if the file exists.
  func requireAbsence() throws(AdminError) {
    let found = try onFile(try directory.identity(of: name))
    guard found == nil else { throw .backup(.exists(path)) }
  }

  /// Creates a file that only root can read or write, under a temporary name.
  func createDraft() throws(AdminError) -> File {
    try onFile { () throws(SystemError) in
      do throws(SystemError) { try directory.unlink(draft) } catch  where error.isNotFound {}
      let file = try directory.create(draft)
      try file.changeMode(to: 0o600)
      return file
    }
  }

  /// Gives the file its name.
  func publishDraft() throws(AdminError) {
    try onFile { () throws(SystemError) in
      try directory.rename(draft, to: name)
      try directory.sync()
    }
  }

  /// Writes a file with a secret.
  func write(secret: borrowing SecretBytes) throws(AdminError) {
    let file = try createDraft()
    let span = secret.span
    try onFile { () throws(SystemError) in
      try file.changeMode(to: 0o400)
      try file.write(span)
      try file.sync()
    }
    try publishDraft()
  }

  /// Opens the file, which must belong to root and not be writable by other users.
  func open() throws(AdminError) -> File {
    let file = try onFile(try directory.fileForReading(name))
    if let distrust = try onFile(try file.status()).distrust {
      throw .backup(.file(path, .untrusted(distrust)))
    }
    return file
  }

  /// Evaluates an expression, and converts its error.
  func onFile<Result: ~Copyable>(
    _ body: @autoclosure () throws(SystemError) -> Result
  ) throws(AdminError) -> Result {
    try onFile { () throws(SystemError) in try body() }
  }

  /// Runs `body`, and converts its error.
  func onFile<Result: ~Copyable>(
    _ body: () throws(SystemError) -> Result
  ) throws(AdminError) -> Result {
    do throws(SystemError) { return try body() } catch { throw .backup(.file(path, error)) }
  }
}

/// The reason why a backup cannot be made or restored.
package enum BackupProblem: Equatable {
  /// The file exists already.
  case exists(String)
  /// The file or its folder cannot be used, or another user than root can change it or a folder of the path.
  case file(String, SystemError)
  /// The file is not a backup, or is damaged; the second value says where.
  case damaged(String, at: String)
  /// The backup has a format that this version does not know.
  case otherVersion(String)
  /// Neither the backup nor the host has the key that the backup was sealed with.
  case noKey(String)
  /// The file does not have the key that the backup was sealed with.
  case otherKey(String, key: String)
  /// The store has records.
  case storeInUse(records: Int)
  /// The key is being changed.
  case keyChanging

  /// What failed, and why.
  package var message: String {
    switch self {
    case .exists(let path): "\(VisibleText.escaping(path)) exists"
    case .file(let path, let error):
      VisibleText.escaping(path) + (error.distrust == nil ? ": " : " is not trusted: ") + error.text
    case .damaged(let path, let place):
      "\(VisibleText.escaping(path)) is not a complete backup: \(VisibleText.escaping(place)); "
        + "nothing was changed"
    case .otherVersion(let path):
      "\(VisibleText.escaping(path)) was written by a later version; nothing was changed"
    case .noKey(let path):
      "\(VisibleText.escaping(path)) was sealed with a key that this host does not have; nothing was "
        + "changed"
    case .otherKey(let path, let key):
      "\(VisibleText.escaping(path)) was not sealed with the key in \(VisibleText.escaping(key)); "
        + "nothing was changed"
    case .storeInUse(1): "the store has 1 record; nothing was changed"
    case .storeInUse(let count): "the store has \(count) records; nothing was changed"
    case .keyChanging: "a change of the key was begun and is not complete"
    }
  }

  /// What the administrator can do next.
  package var hint: String {
    switch self {
    case .exists: "name another file, or use --overwrite"
    case .file(_, let error) where error.distrust == nil:
      "check the path, the permissions and the free disk space"
    case .file:
      "use a folder that belongs to root, below folders that only root may write to, such as /root"
    case .damaged: "use another copy; tar -tvf lists what a backup contains"
    case .otherVersion: "install that version"
    case .noKey: "name the file with the key that was kept with the backup: --key FILE"
    case .otherKey: "name the key that was in use when the backup was made"
    case .storeInUse:
      "use --replace to put the backup in its place; the present store is then backed up first"
    case .keyChanging: "complete it first: mfa-admin rekey"
    }
  }
}
