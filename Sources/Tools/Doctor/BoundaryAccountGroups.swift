import Glibc
import MFASystem

/// The groups of accounts.
enum AccountGroups {
  private static let most = 65_536

  /// Returns the names of all groups of an account, or nil if they cannot be looked up.
  static func names(of account: Account) -> [String]? {
    // SAFETY: the string is valid during the call; the entry is used before the next lookup.
    guard let entry = unsafe getpwnam(String(decoding: account.name, as: UTF8.self)) else {
      return nil
    }
    // SAFETY: no lookup has followed.
    let first = unsafe entry.pointee.pw_gid
    var count: Int32 = 64
    while count <= most {
      var groups = [gid_t](repeating: 0, count: Int(count))
      // SAFETY: the call writes at most `count` numbers, and `count`.
      let found = unsafe getgrouplist(
        String(decoding: account.name, as: UTF8.self), first, &groups, &count)
      if found >= 0 { return groups.prefix(Int(count)).compactMap { name(of: $0) } }
      count = max(count, Int32(groups.count) * 2)
    }
    return nil
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
