import Glibc
import MFACPOSIX
import MFASystem

/// What the system's account files say besides `Account`.
enum AccountGroups {
  /// Returns the names of all groups of an account, or nil if they cannot be looked up.
  static func names(of account: Account) -> [String]? {
    do throws(SystemError) {
      return try account.groupIDs()?.compactMap { name(of: $0) }
    } catch {
      return nil
    }
  }

  /// Returns whether a group exists.
  static func exists(_ name: [UInt8]) throws(SystemError) -> Bool {
    cposix_clear_errno()
    // SAFETY: the string is valid during the call; the result is only compared with null.
    if unsafe getgrnam(String(decoding: name, as: UTF8.self)) != nil { return true }
    let number = cposix_errno()
    guard [0, ENOENT, ESRCH].contains(number) else {
      throw SystemError(.lookUpAccount, number: number)
    }
    return false
  }

  /// Returns whether the account's hash in the shadow file cannot belong to a password (shadow(5)).
  static func hasNoPassword(_ account: Account) -> Bool {
    // SAFETY: the string is valid during the call; the entry is used before the next lookup.
    guard let entry = unsafe getspnam(String(decoding: account.name, as: UTF8.self)),
      // SAFETY: no lookup has followed.
      let hash = unsafe entry.pointee.sp_pwdp
    else { return false }
    // SAFETY: the hash is NUL-terminated, and no lookup has followed.
    let first = unsafe UInt8(bitPattern: hash.pointee)
    return [UInt8(ascii: "!"), UInt8(ascii: "*")].contains(first)
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
