import MFABase
import MFAModel
import MFAStore

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
        do throws(SystemError) { return try contents() } catch { return nil }
      },
      systemAccounts: { () throws(SystemError) in try KnownAccount.all() })
  }

  /// Returns the login accounts that the system lists (root, and UIDs from 1000 to 60000 with a
  /// login shell), sorted by name.
  package func loginAccounts() throws(AdminError) -> [Account] {
    let all: [KnownAccount]
    do throws(SystemError) { all = try systemAccounts() } catch { throw .accounts(error) }
    return all.filter(\.isPersonal).map(\.account)
      .sorted { $0.name.lexicographicallyPrecedes($1.name) }
  }

  /// Looks up a user by name, which is then in the spelling of the account if there is one.
  func user(named name: UserName) throws(AdminError) -> AdministeredUser {
    let account: Account?
    do throws(SystemError) { account = try named(name.bytes) } catch { throw .account(name, error) }
    guard let account, let own = UserName(account.name) else {
      return AdministeredUser(name: name, account: nil)
    }
    return AdministeredUser(name: own, account: account)
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

  private static func contents() throws(SystemError) -> [UInt8]? {
    guard let path = TrustedPath("/etc/passwd") else { return nil }
    return try path.inParent { (folder, name) throws(SystemError) in
      let file = try folder.fileForReading(name)
      let status = try file.status()
      guard status.kind == .regular, status.size <= longest else { return nil }
      return try file.read(count: Int(status.size))
    }
  }
}

/// The user that a command concerns.
package struct AdministeredUser: Equatable {
  /// The name, spelled as in the account if there is one.
  package let name: UserName

  /// The account, or nil if the system has no such account.
  package let account: Account?

  /// The account. For a name without an account, an account with a UID that no record has: the
  /// store then finds what is stored under the name, and refuses it.
  var accountOrPlaceholder: Account { account ?? Account(name: name.bytes, uid: .max) }

  /// The error to throw when nothing is stored for the user.
  var absence: AdminError { account == nil ? .noSuchUser(name) : .notEnrolled(name) }

  /// Returns why the store refuses the user's record.
  package func problem(_ error: FactorStoreError) -> RecordProblem {
    let problem = RecordProblem(error)
    return account == nil && problem == .belongsToAnother ? .noSuchAccount : problem
  }
}

/// An account in the system's list of accounts.
package struct KnownAccount: Equatable {
  package let account: Account
  /// The login shell.
  package let shell: [UInt8]
  /// The home directory; empty if unknown.
  package var home: [UInt8] = []
  /// The primary group; nil if unknown.
  package var group: UInt32?

  /// Creates an account.
  package init(account: Account, shell: [UInt8], home: [UInt8] = [], group: UInt32? = nil) {
    self.account = account
    self.shell = shell
    self.home = home
    self.group = group
  }

  /// Shells that end a session at once.
  private static let refusingShells = ["nologin", "false"].map { Array($0.utf8) }

  /// Whether the account is for a user who signs in: its UID is 0 or 1000 to 60000, and its shell
  /// does not refuse sign-ins.
  package var isPersonal: Bool {
    guard account.uid == 0 || (1000...60_000).contains(account.uid) else { return false }
    return acceptsSignIns
  }

  /// Whether the shell does not refuse sign-ins.
  package var acceptsSignIns: Bool {
    guard let program = shell.split(separator: UInt8(ascii: "/")).last else { return true }
    return !Self.refusingShells.contains(Array(program))
  }
}

/// The identity of the process that calls PAM for a service: root or another user.
package enum PAMCaller {
  /// The services whose program runs with the identity of the user who starts it. They ask for a
  /// code only if that user is not root, because pam_rootok.so lets root through.
  private static let others = ["su", "su-l"].map { Array($0.utf8) }

  /// Returns whether the caller is root when the service asks for a code.
  package static func isRoot(at service: [UInt8]) -> Bool { !others.contains(service) }

  /// The screen lockers that run as the user and cannot open the store. In them, the module asks the
  /// helper, which sends no codes to phones.
  private static let lockers: Set = [
    "i3lock", "swaylock", "xlock", "xscreensaver", "xsecurelock", "kscreensaver", "kde",
    "gnome-screensaver", "mate-screensaver", "cinnamon-screensaver", "xfce4-screensaver", "screen",
  ]

  /// Returns whether the service's program runs as the user whom it asks, without other rights.
  package static func isUnprivileged(_ service: [UInt8]) -> Bool {
    lockers.contains(String(decoding: service, as: UTF8.self))
  }

  /// The services whose program a signed-in user starts, so that its real UID, which pam_rootok.so
  /// compares, is the user's.
  private static let tools: Set = [
    "su", "su-l", "sudo", "sudo-i", "doas", "polkit-1", "pkexec", "chsh", "chfn", "passwd", "vlock",
    "mfa-enroll",
  ]

  /// The services whose programs run no `auth` line, and cannot ask their users anything.
  private static let withoutUsers: Set = ["cron", "crond", "atd", "systemd-user"]

  /// Returns whether the service's program only checks the account: for a user who is not there, or for root,
  /// whom sudo never authenticates.
  package static func asksNothing(at service: [UInt8], isRoot: Bool) -> Bool {
    let name = String(decoding: service, as: UTF8.self)
    return withoutUsers.contains(name) || isRoot && ["sudo", "sudo-i"].contains(name)
  }

  /// Returns whether the real UID of the service's program is root's when it asks for the code of an account:
  /// a tool that a user starts has the UID of the user, and su asks for the code of another account.
  package static func isRoot(at service: [UInt8], asking account: Account?) -> Bool {
    !isStartedByUsers(service) || account?.uid == 0 && isRoot(at: service)
  }

  /// Returns whether signed-in users start the service's program. Other programs are root's, and
  /// pam_rootok.so then always succeeds.
  package static func isStartedByUsers(_ service: [UInt8]) -> Bool {
    isUnprivileged(service) || tools.contains(String(decoding: service, as: UTF8.self))
  }
}
