import MFAAttempt
import MFABase
import MFAModel
import MFAStore
import MFAWire

/// A folder of the store which has an empty file for each account whose notices are to be mailed. The
/// percent-encoded name of the account is the name of the file.
///
/// MUST 1: a notice that arrives during a delivery starts another one: a file is removed before the
/// delivery begins. (`MailFolderTests.removedFirst`)
/// MUST 2: no content of the folder keeps the notices of an account from being mailed.
/// (`MailFolderTests.oddNames`, `MailFolderTests.many`, `MailFolderTests.notRemovable`)
/// MUST 3: after a delivery that could not begin, the account has a file again.
/// (`MailFolderTests.postponed`)
package struct MailFolder {
  private let name: StaticString
  private let location: StoreLocation?
  /// The path of the mailer.
  private let mailer: StaticString

  /// The largest number of files in one run.
  static var most: Int { 1000 }

  /// Uses the folder `name` of a store, for the mailer at the path `mailer`.
  package init(
    _ name: StaticString, in location: StoreLocation? = .standard,
    mailer: StaticString = Delivery.mailer
  ) {
    self.name = name
    self.location = location
    self.mailer = mailer
  }

  /// Creates the file of an account, if there is a mailer. Returns false if that failed.
  package func addIfMailed(_ account: Account) -> Bool {
    guard Program.isThere(mailer) else { return true }
    do throws(FactorStoreError) {
      try add(account)
      return true
    } catch {
      return false
    }
  }

  /// Creates the file of an account, unless it exists.
  package func add(_ account: Account) throws(FactorStoreError) {
    let directory = try directory()
    guard let name = FileName(percentEncoding: account.name) else { throw .nameTooLong }
    try Self.create(name, in: directory)
  }

  private static func create(
    _ name: FileName, in directory: StoreDirectory
  ) throws(FactorStoreError) {
    do throws(SystemError) {
      _ = try directory.opened.create(name)
    } catch {
      guard error.isExisting else { throw .system(.directory, error) }
    }
  }

  /// Removes each file, and then calls `deliver` with the user whose account the file named. If `deliver`
  /// returns false, the delivery could not begin, and the file is created again. Directories without entries
  /// are removed too: the service manager starts deliveries until nothing is left. Returns whether all
  /// deliveries began.
  package func empty(_ deliver: (UserName) -> Bool) throws(FactorStoreError) -> Bool {
    let directory = try directory()
    var names: [FileName] = []
    try onPart(.directory) { () throws(SystemError) in
      try directory.opened.forEachEntry { name in
        names.append(name)
        return names.count < Self.most
      }
    }
    var failure: FactorStoreError?
    var haveAllBegun = true
    for name in names {
      do throws(SystemError) {
        try directory.opened.remove(name)
      } catch {
        failure = .system(.directory, error)
        continue
      }
      guard let user = name.percentDecoded.flatMap({ UserName($0) }), !deliver(user) else {
        continue
      }
      haveAllBegun = false
      do throws(FactorStoreError) { try Self.create(name, in: directory) } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return haveAllBegun
  }

  private func directory() throws(FactorStoreError) -> StoreDirectory {
    guard let path = location?.directory else { throw .damaged(.directory) }
    try path.checkParents(of: .directory)
    let store = try onPart(.directory) { () throws(SystemError) in try path.lastDirectory() }
    let owner = try StoreDirectory.owner(of: store, .directory)
    return try StoreDirectory(name, in: store, owner: owner, .directory)
  }
}

/// The accounts whose notices are to be mailed.
///
/// The service itself starts no mailer: a mailer may need another identity, the network, and files
/// that the sandbox of the service hides.
enum MailQueue {
  /// The folder `mail` of the store, which the service manager watches. When a file appears, the
  /// service manager starts `mfad --mail`.
  case folder
  /// There is no service manager, and no sandbox: this process starts the helper.
  case helper

  /// Has the notices in an account's record mailed. Returns false if that failed.
  func add(_ account: Account) -> Bool {
    switch self {
    case .helper: return Delivery.start(for: account)
    case .folder: return MailFolder(StoreFile.mail.name).addIfMailed(account)
    }
  }

  /// Mails the notices of the accounts in the folder. What could not be mailed stays in the record,
  /// and the next notice of the account mails it too.
  static func empty() throws(FactorStoreError) {
    _ = try MailFolder(StoreFile.mail.name).empty { user in
      deliver(to: user)
      return true
    }
  }

  private static func deliver(to user: UserName) {
    let delivery = Management(
      caller: Account(name: user.bytes, uid: ProcessIdentity.current.user), servesAllUsers: true,
      terminal: nil, host: LocalAuthenticationHost(), log: Log.write, audit: { _, _, _ in },
      mail: Mailing.send)
    // What could not be mailed stays in the record.
    do throws(HelperFailure) { try delivery.deliver(to: user) } catch {}
  }
}
