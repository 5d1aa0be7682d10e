import MFABase

/// The two listeners of the service, or of a relay in its place.
package struct ServiceSockets: Sendable {
  /// For applications that act as root: nobody else can connect.
  package let root: PacketListener
  /// For the applications of all users.
  package let users: PacketListener

  /// The first descriptor that a service manager passes (sd_listen_fds(3)).
  private static var firstDescriptor: Int32 { 3 }

  /// Takes over the sockets that the service manager created. Returns nil if one is missing. `names`
  /// are the names of the descriptors, separated by colons.
  package init?(names: [UInt8]) throws(SystemError) {
    var root: PacketListener?
    var users: PacketListener?
    var descriptor = Self.firstDescriptor
    for name in names.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false) {
      if Array(name) == ("root" as StaticString).bytes {
        root = try PacketListener(descriptor: descriptor)
      }
      if Array(name) == ("users" as StaticString).bytes {
        users = try PacketListener(descriptor: descriptor)
      }
      descriptor &+= 1
    }
    guard let root, let users else { return nil }
    self.root = root
    self.users = users
  }

  /// Creates the sockets in a folder, which belongs to root.
  package init(in folder: [UInt8]) throws(SystemError) {
    root = try PacketListener(
      creating: folder + ("/root" as StaticString).bytes, permissions: 0o600)
    users = try PacketListener(
      creating: folder + ("/users" as StaticString).bytes, permissions: 0o666)
  }
}
