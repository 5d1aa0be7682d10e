/// Who signs in, where and from where: what tenants are matched against.
public struct Subject {
  /// The user's name in the account's own spelling.
  public let user: [UInt8]
  /// The PAM service, such as `sshd`.
  public let service: [UInt8]
  /// Where the person signs in from; nil when that is not known as a numeric address, or no tenant
  /// names networks.
  public let address: IPAddress?
  /// Whether the user belongs to a group of this name; nil when that could not be found out.
  public let isMember: (_ group: [UInt8]) -> Bool?

  /// The subject of these properties. `isMember` is asked only where nothing else decides.
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
