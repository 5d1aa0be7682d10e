import MFAStore
import MFABase
import MFACrypto
import MFAModel
import MFAAttempt

/// Makes and removes the break-glass code of this host.
package enum BreakGlassCode {
  private static let path = "\(InstalledPath.breakGlass)"

  /// Creates a code for these users, in place of an earlier one, and returns it. It is stored nowhere.
  /// Calls `enter` when only the new file's name is left to be changed.
  package static func make(
    for users: [[UInt8]], entering enter: () throws(AdminError) -> Void
  ) throws(AdminError) -> SecretBytes {
    let code: SecretBytes
    let credential: BreakGlassCredential
    do throws(SystemError) {
      guard let made = RecoveryCode(bytes: try SecretBytes.random(count: RecoveryCode.length))
      else {
        throw SystemError.cryptography
      }
      let salt = try randomBytes(count: BreakGlassCredential.saltLength)
      let cost = BreakGlassCredential.standardCostLog2
      let hash = try SlowHash.hash(
        made.bytes.span, salt: salt, costLog2: cost, count: BreakGlassCredential.hashLength)
      credential = BreakGlassCredential(
        users: users, costLog2: cost, salt: salt, hash: hash.span.indices.map { hash.span[$0] })
      code = made.written()
    } catch {
      throw .store(.cryptography)
    }
    try write(credential.text)
    try enter()
    try inFolder { (folder, name) throws(SystemError) in
      try folder.rename(try draft(name), to: name)
      try folder.sync()
    }
    return code
  }

  /// Removes the code. Returns whether there was one.
  package static func remove() throws(AdminError) -> Bool {
    try inFolder { (folder, name) throws(SystemError) in
      do throws(SystemError) {
        try folder.unlink(name)
      } catch  where error.isNotFound {
        return false
      }
      try folder.sync()
      return true
    }
  }

  /// Returns the name of an account in the spelling of the system.
  package static func name(of text: String) throws(AdminError) -> [UInt8] {
    guard let user = UserName(Array(text.utf8)) else { throw .notAUserName(text) }
    guard let account = try AccountSource.system.user(named: user).account else {
      throw .noSuchUser(user)
    }
    return account.name
  }

  /// Reports a change of the code in the system log.
  package static func log(_ result: StaticString, users: [[UInt8]]) {
    var line = LogLine()
    line.add("result", result)
    for user in users { line.add("user", escaping: user) }
    line.add("by", escaping: Console.actor)
    Log.write(.warning, line)
  }

  private static func write(_ text: [UInt8]) throws(AdminError) {
    try inFolder { (folder, name) throws(SystemError) in
      let draft = try draft(name)
      guard let key = FileName("key") else { throw .notFound(.open) }
      do throws(SystemError) { try folder.unlink(draft) } catch  where error.isNotFound {}
      let file = try folder.create(draft)
      // mfad must read the file, as it reads the key.
      try file.changeGroup(to: try folder.status(of: key).group)
      try file.changeMode(to: 0o640)
      try file.write(text)
      try file.sync()
    }
  }

  private static func draft(_ name: FileName) throws(SystemError) -> FileName {
    guard let draft = FileName([UInt8(ascii: ".")] + name.bytes) else { throw .notFound(.open) }
    return draft
  }

  private static func inFolder<Result>(
    _ body: (borrowing Directory, FileName) throws(SystemError) -> Result
  ) throws(AdminError) -> Result {
    guard let place = TrustedPath(InstalledPath.breakGlass.bytes) else { throw .notAPath(path) }
    do throws(SystemError) { return try place.inParent(body) } catch {
      throw .unwritable(path, error.distrust == nil ? error : .forbidden(.open))
    }
  }
}

extension Administration {
  /// Enters in the audit log that a break-glass code is about to be made.
  package func enterBreakGlass(for users: [[UInt8]]) throws(AdminError) {
    _ = try enterConfiguration(
      Array("break-glass".utf8), of: Array(users.joined(separator: [UInt8(ascii: ",")])))
  }

  /// Enters in the audit log that a part of the configuration is about to change.
  package func enterConfiguration(
    _ part: [UInt8], of detail: [UInt8]
  ) throws(AdminError) -> AuditLogCheckpoint {
    let event = AuditLogEvent(
      .configured, ids: part, detail: detail, by: auditLogActor, at: now)
    return try onStore(try store.enter(event))
  }
}
