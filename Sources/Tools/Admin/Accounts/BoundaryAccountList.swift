import MFACPOSIX
import MFABase

extension KnownAccount {
  /// Returns every account that the system lists, each name once. A directory service may list no
  /// accounts although it finds them by name.
  package static func all() throws(SystemError) -> [KnownAccount] {
    var accounts: [KnownAccount] = []
    var names: Set<[UInt8]> = []
    // SAFETY: no other thread of this program calls getpwent(); an entry is copied before the next
    // call.
    setpwent()
    defer { endpwent() }
    while true {
      cposix_clear_errno()
      // SAFETY: as above.
      guard let entry = unsafe getpwent() else {
        let number = cposix_errno()
        if number == EINTR { continue }
        // Some sources signal the end of the list with these error numbers.
        guard [0, ENOENT, ESRCH].contains(number) else {
          throw SystemError(.lookUpAccount, number: number)
        }
        return accounts
      }
      // SAFETY: all three strings are NUL-terminated, and valid until the next call.
      let name = unsafe bytes(entry.pointee.pw_name)
      // SAFETY: the string is NUL-terminated or null, and valid until the next call.
      let shell = unsafe bytes(entry.pointee.pw_shell)
      // SAFETY: the string is NUL-terminated or null, and valid until the next call.
      let home = unsafe bytes(entry.pointee.pw_dir)
      // SAFETY: the entry is valid until the next call of getpwent.
      let uid = unsafe entry.pointee.pw_uid
      // SAFETY: as above.
      let group = unsafe entry.pointee.pw_gid
      guard names.insert(name).inserted else { continue }
      accounts.append(
        KnownAccount(
          account: Account(name: name, uid: uid), shell: shell, home: home, group: group))
    }
  }

  private static func bytes(_ text: UnsafeMutablePointer<CChar>?) -> [UInt8] {
    // SAFETY: this only compares the pointer with null.
    guard let text = unsafe text else { return [] }
    // SAFETY: the text is NUL-terminated.
    let length = unsafe strnlen(text, 4096)
    // SAFETY: the text has at least `length` bytes, which are copied.
    return unsafe Array(UnsafeRawBufferPointer(start: text, count: length))
  }
}
