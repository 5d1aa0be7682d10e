import MFABytes
import MFAFactors
import MFAStoreFiles
import MFASystem

/// The folder `mail` of the store, which has an empty file for each account whose notices are to be
/// mailed. The percent-encoded name of the account is the name of the file.
///
/// MUST 1: a notice that arrives during a delivery starts another one: a file is removed before the
/// delivery begins. (`MailFolderTests.removedFirst`)
/// MUST 2: no content of the folder keeps the notices of an account from being mailed.
/// (`MailFolderTests.oddNames`, `MailFolderTests.many`, `MailFolderTests.notRemovable`)
struct MailFolder {
  private let location: StoreLocation?

  /// The largest number of files in one run.
  static var most: Int { 1000 }

  init(_ location: StoreLocation? = .standard) { self.location = location }

  /// Creates the file of an account, unless it exists.
  func add(_ account: Account) throws(FactorStoreError) {
    let directory = try directory()
    guard let name = FileName(percentEncoding: account.name) else { throw .nameTooLong }
    do throws(SystemError) {
      _ = try directory.opened.create(name)
    } catch {
      guard error.isExisting else { throw .system(.directory, error) }
    }
  }

  /// Removes each file, and then calls `deliver` with the user whose account the file named. Directories
  /// without entries are removed too: the service manager starts deliveries until nothing is left.
  func empty(_ deliver: (UserName) -> Void) throws(FactorStoreError) {
    let directory = try directory()
    var names: [FileName] = []
    try onPart(.directory) { () throws(SystemError) in
      try directory.opened.forEachEntry { name in
        names.append(name)
        return names.count < Self.most
      }
    }
    var failure: SystemError?
    for name in names {
      do throws(SystemError) {
        try directory.opened.remove(name)
      } catch {
        failure = error
        continue
      }
      if let user = name.percentDecoded.flatMap({ UserName($0) }) { deliver(user) }
    }
    if let failure { throw .system(.directory, failure) }
  }

  private func directory() throws(FactorStoreError) -> StoreDirectory {
    guard let path = location?.directory else { throw .damaged(.directory) }
    try path.checkParents(of: .directory)
    let store = try onPart(.directory) { () throws(SystemError) in try path.lastDirectory() }
    let owner = try StoreDirectory.owner(of: store, .directory)
    return try StoreDirectory(StoreFile.mail.name, in: store, owner: owner, .directory)
  }
}
