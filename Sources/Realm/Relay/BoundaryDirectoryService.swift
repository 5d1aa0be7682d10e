#if Fleet
import MFACDBus
import MFARealm
import MFARealmTransport
import MFABase

/// The directory service of the host: SSSD, asked over the system bus.
struct DirectoryService: Sendable {
  /// The attribute with the id of an entry, in the name that SSSD gives it.
  let attribute: String

  /// How long SSSD may take, in microseconds. A directory server that cannot be reached does not hold up a sign-in for
  /// longer; D-Bus waits 25 seconds for a service that does not start.
  private static var patience: UInt64 { 2_000_000 }

  /// Returns the facts with the entry of the account that the request concerns. SSSD is not asked about an account of
  /// /etc/passwd, so that these accounts do not depend on it. Takes a connection of its own, so threads may call it at
  /// the same time. Writes a line to the log if the directory does not tell the entry.
  func identified(_ facts: HostFacts) -> HostFacts {
    facts.identified { account in
      let reason: StaticString
      do throws(SystemError) {
        let listed = try account.listed(most: HostFacts.mostSharing)
        guard !listed.contains(where: { $0.name == account.name }) else { return .local }
        let (result, id) = ask(account.name)
        switch result {
        case cdbus_done: return .entry(id)
        case cdbus_no_account: return .local
        case cdbus_no_library: reason = "directory-without-libsystemd"
        case cdbus_no_bus: reason = "directory-without-bus"
        case cdbus_timed_out: reason = "directory-timed-out"
        // SSSD knows the account, but tells no value of the attribute: `ldap_user_extra_attrs` of sssd-ldap(5) does
        // not have it.
        case cdbus_no_value: reason = "directory-without-id"
        case _: reason = "directory-no-reply"
        }
      } catch {
        // /etc/passwd cannot be read.
        reason = "directory-accounts"
      }
      var line = LogLine(errorIn: "relay", reason: reason)
      line.add("user", escaping: account.name)
      Log.write(.error, line)
      return nil
    }
  }

  /// Asks SSSD for the attribute of an account. Returns a result of `cdbus_directory_value`, and the value.
  private func ask(_ account: [UInt8]) -> (result: Int, value: [UInt8]) {
    let capacity = DirectoryIdentity.longestID + 1
    var id = [CChar](repeating: 0, count: capacity)
    let name = account.map { CChar(bitPattern: $0) } + [0]
    // SAFETY: the strings end with a NUL and outlive the call, which writes at most `capacity` bytes.
    let result = unsafe cdbus_directory_value(name, attribute, &id, capacity, Self.patience)
    return (Int(result), id.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) })
  }
}
#endif
