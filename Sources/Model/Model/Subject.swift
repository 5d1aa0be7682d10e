/// The user, service and address of a sign-in, which tenants are matched against.
package struct Subject {
  /// The user's name as the account database spells it.
  package let user: [UInt8]
  /// The PAM service, such as `sshd`.
  package let service: [UInt8]
  /// The client's address; nil if it is not known as a numeric address, or if no tenant names
  /// networks.
  package let address: IPAddress?
  /// Returns whether the user belongs to a group with this name, or nil if the lookup failed.
  package let isMember: (_ group: [UInt8]) -> Bool?

  /// Creates a subject. `isMember` is called only if the answer matters.
  package init(
    user: [UInt8], service: [UInt8], address: IPAddress?,
    isMember: @escaping (_ group: [UInt8]) -> Bool?
  ) {
    self.user = user
    self.service = service
    self.address = address
    self.isMember = isMember
  }
}
