import CPOSIX

/// An account as the system knows it.
public struct Account: Equatable, Sendable {
  /// The name in the system's own spelling: `ALICE` may be asked for and `alice` be the account.
  public let name: [UInt8]

  /// The numeric identity.
  public let uid: UInt32

  /// Puts an account together.
  public init(name: [UInt8], uid: UInt32) {
    self.name = name
    self.uid = uid
  }

  /// Looks a name up. Nil when the system knows no such account; an error when it could not tell.
  public static func named(_ name: [UInt8]) throws(SystemError) -> Account? {
    guard !name.isEmpty, name.count <= 255, !name.contains(0) else { return nil }
    let terminated = name.map { CChar(bitPattern: $0) } + [0]
    // SAFETY: the name ends with a NUL; the rest is as `lookUp` says.
    return try unsafe lookUp { entry, buffer, capacity, result in
      unsafe terminated.withUnsafeBufferPointer { name in
        guard let name = name.baseAddress else { return EINVAL }
        return unsafe getpwnam_r(name, entry, buffer, capacity, result)
      }
    }
  }

  /// Looks a numeric identity up, as `named` does.
  public static func with(uid: UInt32) throws(SystemError) -> Account? {
    // SAFETY: as `lookUp` says.
    try unsafe lookUp { entry, buffer, capacity, result in
      unsafe getpwuid_r(uid, entry, buffer, capacity, result)
    }
  }

  /// The longest name that is looked up, in bytes.
  private static var longestName: Int { 256 }

  /// The accounts with this uid, of which one may be this: the one that the system names for the uid,
  /// at 0, and those in /etc/passwd, from 1 on; nil where there are not so many, and at 0 where the
  /// system names none. They are the same user to the kernel. Two accounts of a directory service are
  /// found only where the system names one of them for the uid.
  public func sharing(at index: Int32) throws(SystemError) -> Account? {
    var name = [CChar](repeating: 0, count: Self.longestName)
    // SAFETY: the call writes at most as many bytes as there are.
    let count = unsafe name.withUnsafeMutableBufferPointer { name -> Int in
      guard let base = name.baseAddress else { return -1 }
      return unsafe cposix_name_of(uid, index, base, name.count)
    }
    guard count >= 0 else { throw SystemError(.lookUpAccount, number: EIO) }
    guard count > 0 else { return nil }
    return Account(name: name.prefix(count).map { UInt8(bitPattern: $0) }, uid: uid)
  }

  /// Whether the account belongs to a group of this name; nil when that could not be found out.
  public func isMember(of group: [UInt8]) -> Bool? {
    guard !group.isEmpty, !group.contains(0) else { return nil }
    let user = name.map { CChar(bitPattern: $0) } + [0]
    let group = group.map { CChar(bitPattern: $0) } + [0]
    // SAFETY: both names end with a NUL and outlive the call.
    let answer = unsafe user.withUnsafeBufferPointer { user in
      unsafe group.withUnsafeBufferPointer { group -> Int32 in
        guard let user = user.baseAddress, let group = group.baseAddress else { return -1 }
        return unsafe cposix_is_member(user, group)
      }
    }
    return answer < 0 ? nil : answer == 1
  }

  private typealias Query = (
    UnsafeMutablePointer<passwd>, UnsafeMutablePointer<CChar>, Int,
    UnsafeMutablePointer<UnsafeMutablePointer<passwd>?>
  ) -> Int32

  /// The sizes tried for the strings of an entry, in bytes.
  private static var capacities: [Int] { [1024, 16_384, 262_144] }

  private static func lookUp(_ query: Query) throws(SystemError) -> Account? {
    for capacity in capacities {
      // SAFETY: an entry of null pointers, which is read only after a query has found one.
      var entry = unsafe passwd()
      var found: UnsafeMutablePointer<passwd>? = nil
      let buffer = UnsafeMutablePointer<CChar>.allocate(capacity: capacity)
      defer { unsafe buffer.deallocate() }
      // SAFETY: the query writes the entry, at most `capacity` bytes of strings, and `found`.
      let status = unsafe query(&entry, buffer, capacity, &found)
      if status == ERANGE || status == EINTR { continue }
      guard unsafe found != nil, let name = unsafe entry.pw_name else {
        // POSIX: 0 with no entry is "not found"; some sources say so with these numbers.
        guard [0, ENOENT, ESRCH].contains(status) else {
          throw SystemError(.lookUpAccount, number: status)
        }
        return nil
      }
      // SAFETY: the name is NUL-terminated within the buffer.
      let length = unsafe strnlen(name, capacity)
      let bytes = unsafe UnsafeRawBufferPointer(start: name, count: length)
      return unsafe Account(name: Array(bytes), uid: entry.pw_uid)
    }
    throw SystemError(.lookUpAccount, number: ERANGE)
  }
}
