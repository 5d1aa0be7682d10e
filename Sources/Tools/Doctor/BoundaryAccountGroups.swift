import Glibc
import MFABase

/// The groups of accounts.
enum AccountGroups {
  /// Returns the names of all groups of an account, or nil if they cannot be looked up.
  static func names(of account: Account) -> [String]? {
    do throws(SystemError) {
      return try account.groupIDs()?.compactMap { name(of: $0) }
    } catch {
      return nil
    }
  }

  private static func name(of group: gid_t) -> String? {
    // SAFETY: the entry and its name are valid until the next lookup, and copied before it.
    guard let entry = unsafe getgrgid(group), let name = unsafe entry.pointee.gr_name else {
      return nil
    }
    // SAFETY: the name is NUL-terminated, and no lookup has followed.
    return unsafe String(cString: name)
  }
}
