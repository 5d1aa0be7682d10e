import MFAAdminTestSupport
import MFAAttempt
import MFAStore
import MFAModel
import MFASignIn
import MFASignInTestSupport
import MFABase

/// A machine with the accounts and the store of a `TemporaryStore`.
struct StoreHost: Host {
  let files: TemporaryStore
  /// The rest of the machine.
  let rest: ScriptedHost
  let isMemberOf: (Account, [UInt8]) -> Bool?

  var codeSender: ScriptedSender { rest.codeSender }
  var stacks: ScriptedStacks { rest.stacks }
  var secureShell: SecureShellConfiguration { rest.secureShell }
  var sinceBoot: Int64? { rest.sinceBoot }

  func name() -> [UInt8] { rest.name() }

  func configuration(at path: [UInt8]?) throws(ConfigurationError) -> Configuration {
    try rest.configuration(at: path)
  }

  func publicConfiguration(at path: [UInt8]) throws(ConfigurationError) -> Configuration {
    try rest.publicConfiguration(at: path)
  }

  func account(named name: [UInt8]) throws(SystemError) -> Account? {
    let text = String(decoding: name, as: UTF8.self)
    return files.accounts[text].map { Account(name: name, uid: $0) }
  }

  func account(sharingUIDOf account: Account, at index: Int32) throws(SystemError) -> Account? {
    nil
  }

  func isMember(_ account: Account, of group: [UInt8]) -> Bool? { isMemberOf(account, group) }

  func store() throws(FactorStoreError) -> LocalFactorStore { files.store }

  func now() throws(SystemError) -> Int64 { try rest.now() }

  func deliverNotices(to account: Account) -> Bool { true }
}
