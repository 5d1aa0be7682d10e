#if Fleet
import MFACDBus
import MFARealm
import MFARealmTransport
import MFABase

/// The directory service of the host: SSSD, asked over the system bus.
struct DirectoryService: Sendable {
  /// The attribute with the id of an entry, in the name that SSSD gives it.
  let attribute: String

  /// Why the directory does not tell which entry an account belongs to.
  enum Failure: Error {
    case libraryMissing
    case noBus
    case noReply
    case timedOut
    /// SSSD knows the account, but tells no value of the attribute: `ldap_user_extra_attrs` of sssd-ldap(5) does not
    /// have it.
    case noID
    /// /etc/passwd cannot be read.
    case noAccounts

    /// The value of `reason` in the log.
    var reason: StaticString {
      switch self {
      case .libraryMissing: "directory-without-libsystemd"
      case .noBus: "directory-without-bus"
      case .noReply: "directory-no-reply"
      case .timedOut: "directory-timed-out"
      case .noID: "directory-without-id"
      case .noAccounts: "directory-accounts"
      }
    }
  }

  /// How long SSSD may take, in microseconds. A directory server that cannot be reached does not hold up a sign-in for
  /// longer; D-Bus waits 25 seconds for a service that does not start.
  private static var patience: UInt64 { 2_000_000 }

  /// Returns the entry of an account. SSSD is not asked about an account of /etc/passwd, so that these accounts do not
  /// depend on it. Takes a connection of its own, so threads may call it at the same time.
  func identity(of account: Account) throws(Failure) -> DirectoryIdentity {
    guard try !Self.isListed(account) else { return .local }
    let capacity = DirectoryIdentity.longestID + 1
    var id = [CChar](repeating: 0, count: capacity)
    let name = account.name.map { CChar(bitPattern: $0) } + [0]
    // SAFETY: the strings end with a NUL and outlive the call, which writes at most `capacity` bytes.
    let result = unsafe cdbus_directory_value(name, attribute, &id, capacity, Self.patience)
    switch Int(result) {
    case cdbus_done: return .entry(id.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) })
    case cdbus_no_account: return .local
    case cdbus_no_library: throw .libraryMissing
    case cdbus_no_bus: throw .noBus
    case cdbus_timed_out: throw .timedOut
    case cdbus_no_value: throw .noID
    case _: throw .noReply
    }
  }

  /// Returns the facts with the entry of the account that the request concerns. Writes a line to the log if the
  /// directory does not tell it.
  func identified(_ facts: HostFacts) -> HostFacts {
    facts.identified { account in
      do throws(Failure) { return try identity(of: account) } catch {
        var line = LogLine(errorIn: "relay", reason: error.reason)
        line.add("user", escaping: account.name)
        Log.write(.error, line)
        return nil
      }
    }
  }

  /// Returns whether /etc/passwd has the account.
  private static func isListed(_ account: Account) throws(Failure) -> Bool {
    do throws(SystemError) {
      return try account.listed(most: HostFacts.mostSharing).contains { $0.name == account.name }
    } catch {
      throw .noAccounts
    }
  }
}
#endif
