/// Which entry of a directory service an account belongs to.
///
/// The name service tells names and numbers, which a directory can give to another person later. The id of an entry
/// (`entryUUID` of RFC 4530, `objectGUID` of Active Directory) is never used again.
package enum DirectoryIdentity: Hashable, Sendable {
  /// The host asks no directory service.
  case unknown
  /// The directory has no such account: it belongs to the host alone.
  case local
  /// The id of the entry, 1 to 64 bytes as the directory service writes it.
  case entry([UInt8])

  /// The longest id, in bytes. A UUID has 36.
  package static let longestID = 64
}
