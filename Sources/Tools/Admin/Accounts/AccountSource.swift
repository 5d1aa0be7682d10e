import MFABase

/// The functions that look up accounts; tests replace them.
package struct AccountSource {
  /// Looks up the account with a name in all of the system's sources (NSS).
  package let named: ([UInt8]) throws(SystemError) -> Account?

  /// Returns the text of /etc/passwd, or nil if the file cannot be used. Reading the file saves a
  /// lookup for each listed user.
  let passwordFile: () -> [UInt8]?

  /// Returns every account that the system lists.
  package let systemAccounts: () throws(SystemError) -> [KnownAccount]

  /// The accounts of this machine.
  package static var system: AccountSource {
    AccountSource(
      named: { name throws(SystemError) in try Account.named(name) },
      passwordFile: {
        do throws(TrustedPath.Refusal) { return try contents() } catch { return nil }
      },
      systemAccounts: { () throws(SystemError) in try KnownAccount.all() })
  }

  /// Returns the login accounts that the system lists (root, and UIDs from 1000 to 60000 with a
  /// login shell), sorted by name.
  func loginAccounts() throws(AdminError) -> [Account] {
    let all: [KnownAccount]
    do throws(SystemError) { all = try systemAccounts() } catch { throw .accounts(error) }
    return all.filter(\.isPersonal).map(\.account)
      .sorted { $0.name.lexicographicallyPrecedes($1.name) }
  }

  /// Returns the UIDs of the accounts in /etc/passwd by name. If a name has several lines, the
  /// first one counts.
  package func local() -> [[UInt8]: UInt32] {
    guard let text = passwordFile() else { return [:] }
    var accounts: [[UInt8]: UInt32] = [:]
    accounts.reserveCapacity(text.count / 50)
    // Read the lines backwards, so that the first line of a name overwrites later ones.
    var end = text.endIndex
    while end >= 0 {
      let start = text[..<end].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
      if let (name, uid) = Self.account(text[start..<end]) { accounts[name] = uid }
      end = start - 1
    }
    return accounts
  }

  /// Returns the name and UID in a line, or nil if the line describes no account.
  private static func account(_ line: ArraySlice<UInt8>) -> (name: [UInt8], uid: UInt32)? {
    guard let first = line.firstIndex(of: UInt8(ascii: ":")),
      let second = line[(first + 1)...].firstIndex(of: UInt8(ascii: ":")),
      let third = line[(second + 1)...].firstIndex(of: UInt8(ascii: ":")),
      let uid = number(line[(second + 1)..<third])
    else { return nil }
    return (Array(line[..<first]), uid)
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> UInt32? {
    UInt32(String(decoding: digits, as: UTF8.self))
  }

  /// The maximum size of an /etc/passwd that is read, in bytes.
  private static let longest = 64 << 20

  private static func contents() throws(TrustedPath.Refusal) -> [UInt8]? {
    guard let path = TrustedPath("/etc/passwd") else { return nil }
    let directory = try path.parent()
    do throws(SystemError) {
      let file = try directory.fileForReading(path.last)
      let status = try file.status()
      guard status.kind == .regular, status.size <= longest else { return nil }
      return try file.read(count: Int(status.size))
    } catch {
      throw .system(error)
    }
  }
}
