/// From where something was done, as far as that is known: an address, a terminal, a program.
public struct Source: Equatable, Sendable {
  /// Printable ASCII, at most `maximumLength` bytes; empty when nothing is known.
  public let text: [UInt8]

  /// The longest text in bytes: an IPv6 address with its zone, a terminal's name.
  public static let maximumLength = 64

  /// Nothing is known.
  public static var unknown: Source { Source([]) }

  /// What is not printable is shown as `?`, and what is too long is cut.
  public init(_ text: [UInt8]) {
    self.text = text.prefix(Self.maximumLength).map { byte in
      byte > 0x20 && byte < 0x7F ? byte : UInt8(ascii: "?")
    }
  }

  /// The first of these that is known: who signs in from elsewhere, and who sits at the machine.
  public init(remoteHost: [UInt8]?, terminal: [UInt8]?) {
    if let remoteHost, !remoteHost.isEmpty {
      self.init(remoteHost)
    } else {
      self.init(terminal ?? [])
    }
  }
}
