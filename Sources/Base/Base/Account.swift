import MFACPOSIX

/// A user account, as the system's name services report it.
package struct Account: Equatable, Sendable {
  /// The name as the system spells it: a lookup of `ALICE` can return the account `alice`.
  package let name: [UInt8]

  /// The user ID.
  package let uid: UInt32

  /// An account that cannot exist, because a name cannot begin with a hyphen.
  package static var nobody: Account { Account(name: [UInt8(ascii: "-")], uid: .max) }

  /// Creates an account.
  package init(name: [UInt8], uid: UInt32) {
    self.name = name
    self.uid = uid
  }

  /// Looks up an account by name. Returns nil if no such account exists, and throws if the lookup
  /// failed.
  package static func named(_ name: [UInt8]) throws(SystemError) -> Account? {
    try entry(named: name)?.account
  }

  /// Looks up an account by user ID, in the same way as `named`.
  package static func with(uid: UInt32) throws(SystemError) -> Account? {
    // SAFETY: see `lookUp`.
    try unsafe lookUp { entry, buffer, capacity, result in
      unsafe getpwuid_r(uid, entry, buffer, capacity, result)
    }?.account
  }

  /// Returns the primary group of the account with this name, or nil if no such account exists.
  package static func primaryGroup(ofAccount name: [UInt8]) throws(SystemError) -> UInt32? {
    try entry(named: name)?.group
  }

  /// The longest account name, in bytes.
  private static var longestName: Int { 255 }

  /// Returns an account that shares this account's uid, or nil if no account has this index. Index
  /// 0 is the account that the system returns for the uid. Indexes from 1 on are the entries of
  /// /etc/passwd that have the uid, in file order. This account itself can be among them. The
  /// kernel treats all of them as the same user. If several accounts of a directory service share a
  /// uid, only the one that the system returns for the uid is found.
  package func sharing(at index: Int32) throws(SystemError) -> Account? {
    let account = index == 0 ? try Self.with(uid: uid) : try listed(at: index)
    if let account { try account.checkName() }
    return account
  }

  /// Returns the accounts that `sharing(at:)` returns for 1, 2, and so on, at most `most`. The file is
  /// read once.
  package func listed(most: Int) throws(SystemError) -> [Account] {
    var accounts: [Account] = []
    try readList { account in
      if let account, accounts.count < most { accounts.append(account) }
    }
    for account in accounts { try account.checkName() }
    return accounts
  }

  private func checkName() throws(SystemError) {
    guard !name.isEmpty, name.count <= Self.longestName else {
      throw SystemError(.lookUpAccount, number: EIO)
    }
  }

  /// Returns an account of /etc/passwd that has this account's uid. The first one has index 1.
  private func listed(at index: Int32) throws(SystemError) -> Account? {
    var account: Account?
    var index = index
    try readList {
      index &-= 1
      if index == 0 { account = $0 }
    }
    return account
  }

  /// Calls `visit` with each account of /etc/passwd that has this account's uid, or with nil if it
  /// has no name.
  ///
  /// The file is read directly: `getpwent` would list every account of a directory service, and its
  /// state belongs to the application. The whole file is always read, so that the time taken
  /// reveals nothing about the user.
  private func readList(_ visit: (Account?) -> Void) throws(SystemError) {
    // SAFETY: literals are NUL-terminated.
    guard let file = unsafe fopen("/etc/passwd", "re") else {
      let error = SystemError.last(.lookUpAccount)
      guard error.isNotFound else { throw error }
      return
    }
    // SAFETY: the file is open until the closure has returned, and the closure writes only within
    // the capacity of the buffer.
    let status = unsafe Self.withStrings { buffer, capacity in
      // SAFETY: an entry of null pointers, which is read only after a call has filled it.
      var entry = unsafe passwd()
      var found: UnsafeMutablePointer<passwd>? = nil
      while true {
        // SAFETY: the call writes the entry, at most `capacity` bytes of strings, and `found`.
        let status = unsafe cposix_read_account(file, &entry, buffer, capacity, &found)
        guard status == 0 else { return status }
        // SAFETY: the call has filled the entry. This reads a number.
        guard unsafe entry.pw_uid == uid else { continue }
        // SAFETY: the call has filled the entry, whose strings are in the buffer.
        visit(unsafe Entry(entry, within: capacity)?.account)
      }
    }
    // SAFETY: the file is open, and is not used afterwards.
    _ = unsafe fclose(file)
    guard status == ENOENT else { throw SystemError(.lookUpAccount, number: status) }
  }

  /// Returns whether the account belongs to the group with this name, or nil if the lookup failed.
  ///
  /// `getgrouplist` does not report a source of the name service that failed: it returns the groups
  /// from the other sources. A negative result is therefore trusted only if the lookup of a name
  /// that no group has reports no failed source.
  package func isMember(of group: [UInt8]) -> Bool? {
    guard !group.isEmpty, !group.contains(0) else { return nil }
    do throws(SystemError) {
      guard let entry = try Self.entry(named: name) else { return nil }
      guard let wanted = try Self.group(named: group) else { return false }
      if try groups(first: entry.group).contains(wanted) { return true }
      _ = try Self.group(named: [UInt8(ascii: ":")])
      return false
    } catch {
      return nil
    }
  }

  /// Returns whether a group with this name exists.
  package static func groupExists(named name: [UInt8]) throws(SystemError) -> Bool {
    guard !name.isEmpty, !name.contains(0) else { return false }
    return try group(named: name) != nil
  }

  /// Returns the IDs of all groups of the account, or nil if no such account exists. The account is not looked
  /// up if `primary` is its primary group.
  package func groupIDs(primary: UInt32? = nil) throws(SystemError) -> [UInt32]? {
    if let primary { return Array(try groups(first: primary)) }
    guard let first = try Self.primaryGroup(ofAccount: name) else { return nil }
    return Array(try groups(first: first))
  }

  /// Returns the names of all groups of the account, without those of groups that have no name.
  /// Returns nil if no such account exists.
  package func groupNames() throws(SystemError) -> [[UInt8]]? {
    guard let groups = try groupIDs() else { return nil }
    var names: [[UInt8]] = []
    for group in groups {
      guard let name = try Self.groupName(of: group) else { continue }
      names.append(name)
    }
    // `getgrouplist` does not report a source that failed, see `isMember`.
    _ = try Self.group(named: [UInt8(ascii: ":")])
    return names
  }

  /// Returns the groups of the account, whose primary group is `first`.
  private func groups(first: UInt32) throws(SystemError) -> ArraySlice<UInt32> {
    let user = cString(name)
    for capacity in Self.capacities {
      var groups = [gid_t](repeating: 0, count: capacity)
      var count = Int32(truncatingIfNeeded: capacity)
      // SAFETY: the name ends with a NUL. The call writes at most `count` numbers, and `count`.
      guard unsafe cposix_group_list(user, first, &groups, &count) >= 0 else { continue }
      return groups.prefix(Int(count))
    }
    throw SystemError(.lookUpAccount, number: ERANGE)
  }

  /// Returns the ID of the group with this name, or nil if no such group exists.
  private static func group(named name: [UInt8]) throws(SystemError) -> UInt32? {
    let name = cString(name)
    // SAFETY: the name ends with a NUL; for the rest, see `lookUpGroup`.
    return try unsafe lookUpGroup { entry, buffer, capacity, result in
      unsafe getgrnam_r(name, entry, buffer, capacity, result)
    }?.id
  }

  /// Returns the name of the group with this ID, or nil if no such group exists.
  package static func groupName(of id: UInt32) throws(SystemError) -> [UInt8]? {
    // SAFETY: see `lookUpGroup`.
    try unsafe lookUpGroup { entry, buffer, capacity, result in
      unsafe getgrgid_r(id, entry, buffer, capacity, result)
    }?.name
  }

  /// A lookup that fills the entry of a group, like `Query`.
  private typealias GroupQuery = (
    UnsafeMutablePointer<MFACPOSIX.group>, UnsafeMutablePointer<CChar>, Int,
    UnsafeMutablePointer<UnsafeMutablePointer<MFACPOSIX.group>?>
  ) -> Int32

  /// Returns the group that the query finds, or nil if no such group exists.
  ///
  /// `getgrnam_r` returns 0 for a group that no source has, and an error number, which may be
  /// ENOENT, if a source failed.
  private static func lookUpGroup(
    _ query: GroupQuery
  ) throws(SystemError) -> (id: UInt32, name: [UInt8])? {
    var result: (id: UInt32, name: [UInt8])?
    // SAFETY: the query writes only within the capacity of the buffer, and no pointer to it is
    // kept.
    let status = unsafe withStrings { buffer, capacity in
      // SAFETY: an entry of null pointers, which is read only after a call has filled it.
      var entry = unsafe MFACPOSIX.group()
      var found: UnsafeMutablePointer<MFACPOSIX.group>? = nil
      // SAFETY: the call writes the entry, at most `capacity` bytes of strings, and `found`.
      let status = unsafe query(&entry, buffer, capacity, &found)
      // SAFETY: this compares pointers with null. If the query has found an entry, it has filled it.
      guard unsafe found != nil, let name = unsafe entry.gr_name else { return status }
      // SAFETY: the name is NUL-terminated within the buffer, and is copied while the buffer exists.
      let bytes = unsafe Array(UnsafeRawBufferPointer(start: name, count: strnlen(name, capacity)))
      // SAFETY: this reads a number.
      result = unsafe (entry.gr_gid, bytes)
      return status
    }
    guard status == 0 else { throw SystemError(.lookUpAccount, number: status) }
    return result
  }

  /// What the system stores about an account.
  private struct Entry {
    let account: Account
    /// The primary group.
    let group: UInt32

    /// Copies an entry whose strings are at most `capacity` bytes long. Returns nil if it has no
    /// name.
    init?(_ entry: passwd, within capacity: Int) {
      // SAFETY: this only compares the pointer with null.
      guard let name = unsafe entry.pw_name else { return nil }
      // SAFETY: the name is NUL-terminated within the buffer.
      let bytes = unsafe UnsafeRawBufferPointer(start: name, count: strnlen(name, capacity))
      // SAFETY: the bytes are copied while the buffer exists.
      account = unsafe Account(name: Array(bytes), uid: entry.pw_uid)
      // SAFETY: this reads a number, and none of the entry's pointers.
      group = unsafe entry.pw_gid
    }
  }

  private static func entry(named name: [UInt8]) throws(SystemError) -> Entry? {
    guard !name.isEmpty, name.count <= longestName, !name.contains(0) else { return nil }
    let name = cString(name)
    // SAFETY: the name ends with a NUL; for the rest, see `lookUp`.
    return try unsafe lookUp { entry, buffer, capacity, result in
      unsafe getpwnam_r(name, entry, buffer, capacity, result)
    }
  }

  /// A lookup that fills an entry, whose strings are in a buffer of the given capacity, and sets
  /// the last argument if it has found one.
  private typealias Query = (
    UnsafeMutablePointer<passwd>, UnsafeMutablePointer<CChar>, Int,
    UnsafeMutablePointer<UnsafeMutablePointer<passwd>?>
  ) -> Int32

  private static func lookUp(_ query: Query) throws(SystemError) -> Entry? {
    var result: Entry?
    // SAFETY: the query writes only within the capacity of the buffer, and no pointer to it is
    // kept.
    let status = unsafe withStrings { buffer, capacity in
      // SAFETY: an entry of null pointers, which is read only after a query has filled it.
      var entry = unsafe passwd()
      var found: UnsafeMutablePointer<passwd>? = nil
      // SAFETY: the query writes the entry, at most `capacity` bytes of strings, and `found`.
      let status = unsafe query(&entry, buffer, capacity, &found)
      // SAFETY: if the query has found an entry, it has filled it, with strings in the buffer.
      if unsafe found != nil { result = unsafe Entry(entry, within: capacity) }
      return status
    }
    // POSIX: status 0 without an entry means "not found". Some sources return ENOENT or
    // ESRCH instead.
    guard result != nil || [0, ENOENT, ESRCH].contains(status) else {
      throw SystemError(.lookUpAccount, number: status)
    }
    return result
  }

  /// The capacities to try: bytes for the strings of an entry, or elements of a list of groups.
  private static var capacities: [Int] { [1024, 16_384, 262_144, 1_048_576] }

  /// Calls `query` with a buffer for the strings of an entry and its size, and with larger buffers
  /// while the strings do not fit. Returns the query's error number, or ERANGE if the strings do
  /// not fit into the largest buffer.
  private static func withStrings(_ query: (UnsafeMutablePointer<CChar>, Int) -> Int32) -> Int32 {
    for capacity in capacities {
      let buffer = UnsafeMutablePointer<CChar>.allocate(capacity: capacity)
      // SAFETY: the buffer was allocated above, and no query keeps it.
      defer { unsafe buffer.deallocate() }
      // SAFETY: the buffer has this capacity, and exists until the function returns.
      let status = unsafe query(buffer, capacity)
      if status != ERANGE && status != EINTR { return status }
    }
    return ERANGE
  }
}
