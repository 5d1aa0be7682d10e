/// The user, service and address of a sign-in, which tenants are matched against.
public struct Subject {
  /// The user's name as the account database spells it.
  public let user: [UInt8]
  /// The PAM service, such as `sshd`.
  public let service: [UInt8]
  /// The client's address; nil if it is not known as a numeric address, or if no tenant names
  /// networks.
  public let address: IPAddress?
  /// Returns whether the user belongs to a group with this name, or nil if the lookup failed.
  public let isMember: (_ group: [UInt8]) -> Bool?

  /// Creates a subject. `isMember` is called only if the answer matters.
  public init(
    user: [UInt8], service: [UInt8], address: IPAddress?,
    isMember: @escaping (_ group: [UInt8]) -> Bool?
  ) {
    self.user = user
    self.service = service
    self.address = address
    self.isMember = isMember
  }
}
