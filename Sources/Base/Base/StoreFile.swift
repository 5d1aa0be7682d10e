/// A file or folder in the local store.
package enum StoreFile: CaseIterable, Sendable {
  /// The folder of the users' sealed records.
  case factors
  /// The folder of the users' attempt states.
  case attempts
  /// The folder of the names under which each uid has a record.
  case uids
  /// The audit log.
  case auditLog
  /// The end of the audit log's chain.
  case auditLogHead
  /// The last entry about each user in the audit log.
  case auditLogIndex
  /// The file that running helpers lock.
  case helpers
  /// The folder with an empty file for each user whose notices are to be mailed.
  case mail
  /// The folder of the list of messages to phones.
  case phone

  /// The name in the store's folder.
  package var name: StaticString {
    switch self {
    case .factors: "factors"
    case .attempts: "attempts"
    case .uids: "uids"
    case .auditLog: "audit-log"
    case .auditLogHead: "audit-log.head"
    case .auditLogIndex: "audit-log.index"
    case .helpers: "helpers"
    case .mail: "mail"
    case .phone: "phone"
    }
  }

  /// The path in the installed store.
  package var path: String { Self.path(of: name) }

  /// The name of the folder with an empty file for each user of a realm whose notices a verifier is to mail.
  /// It is not a case, because the module contains the names of all cases.
  package static var realmMailName: StaticString { "realm-mail" }

  /// The path of this folder in the installed store.
  package static var realmMailPath: String { path(of: realmMailName) }

  private static func path(of name: StaticString) -> String {
    utf8Text(InstalledPath.store.bytes + [UInt8(ascii: "/")] + name.bytes)
  }
}
