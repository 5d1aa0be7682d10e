import MFACPOSIX

/// A user account, as the system's name services report it.
public struct Account: Equatable, Sendable {
  /// The name as the system spells it: a lookup of `ALICE` can return the account `alice`.
  public let name: [UInt8]

  /// The user ID.
  public let uid: UInt32

  /// Creates an account.
  public init(name: [UInt8], uid: UInt32) {
    self.name = name
    self.uid = uid
  }

  /// Looks up an account by name. Returns nil if no such account exists, and throws if the lookup
  /// failed.
  public static func named(_ name: [UInt8]) throws(SystemError) -> Account? {
    guard !name.isEmpty, name.count <= 255, !name.contains(0) else { return nil }
    let terminated = name.map { CChar(bitPattern: $0) } + [0]
    // SAFETY: the name ends with a NUL; for the rest, see `lookUp`.
    return try unsafe lookUp { entry, buffer, capacity, result in
      unsafe terminated.withUnsafeBufferPointer { name in
        guard let name = name.baseAddress else { return EINVAL }
        return unsafe getpwnam_r(name, entry, buffer, capacity, result)
      }
    }
  }

  /// Looks up an account by user ID, in the same way as `named`.
  public static func with(uid: UInt32) throws(SystemError) -> Account? {
    // SAFETY: see `lookUp`.
    try unsafe lookUp { entry, buffer, capacity, result in
      unsafe getpwuid_r(uid, entry, buffer, capacity, result)
    }
  }

  /// The size of the buffer for an account name, in bytes, including the terminating NUL.
  private static var longestName: Int { 256 }

  /// Returns an account that shares this account's uid, or nil if no account has this index. Index
  /// 0 is the account that the system returns for the uid. Indexes from 1 on are the entries of
  /// /etc/passwd that have the uid, in file order. This account itself can be among them. The
  /// kernel treats all of them as the same user. If several accounts of a directory service share a
  /// uid, only the one that the system returns for the uid is found.
  public func sharing(at index: Int32) throws(SystemError) -> Account? {
    var name = [CChar](repeating: 0, count: Self.longestName)
    // SAFETY: the call writes at most as many bytes as the buffer has.
    let count = unsafe name.withUnsafeMutableBufferPointer { name -> Int in
      guard let base = name.baseAddress else { return -1 }
      return unsafe cposix_name_of(uid, index, base, name.count)
    }
    guard count >= 0 else { throw SystemError(.lookUpAccount, number: EIO) }
    guard count > 0 else { return nil }
    return Account(name: name.prefix(count).map { UInt8(bitPattern: $0) }, uid: uid)
  }

  /// Returns whether the account belongs to the group with this name, or nil if the lookup failed.
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

  /// The buffer sizes that are tried for the strings of an entry, in bytes.
  private static var capacities: [Int] { [1024, 16_384, 262_144] }

  private static func lookUp(_ query: Query) throws(SystemError) -> Account? {
    for capacity in capacities {
      // SAFETY: an entry of null pointers, which is read only after a query has filled it.
      var entry = unsafe passwd()
      var found: UnsafeMutablePointer<passwd>? = nil
      let buffer = UnsafeMutablePointer<CChar>.allocate(capacity: capacity)
      defer { unsafe buffer.deallocate() }
      // SAFETY: the query writes the entry, at most `capacity` bytes of strings, and `found`.
      let status = unsafe query(&entry, buffer, capacity, &found)
      if status == ERANGE || status == EINTR { continue }
      guard unsafe found != nil, let name = unsafe entry.pw_name else {
        // POSIX: status 0 without an entry means "not found". Some sources return these error
        // numbers instead.
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
