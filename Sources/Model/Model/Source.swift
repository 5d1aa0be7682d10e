import MFABase

/// The source of a request, as far as it is known: an address, a terminal or a program.
package struct Source: Equatable, Sendable {
  /// Printable ASCII without spaces, at most `maximumLength` bytes; empty if the source is unknown.
  package let text: [UInt8]

  /// The maximum length of the text in bytes: enough for an IPv6 address with its zone, or a
  /// terminal's name.
  package static let maximumLength = 64

  /// An unknown source.
  package static var unknown: Source { Source([]) }

  /// Creates a source. Replaces spaces and bytes that are not printable ASCII with `?`, and cuts
  /// text that is too long.
  package init(_ text: [UInt8]) {
    self.text = text.span.part(from: 0, count: Self.maximumLength).copied().map { byte in
      byte > 0x20 && byte < 0x7F ? byte : UInt8(ascii: "?")
    }
  }

  /// Returns the source with the name of a realm's host, such as `web1:pts/3`. A name that is too long is cut.
  package func at(host: [UInt8]) -> Source {
    guard !text.isEmpty else { return Source(host) }
    let longest = Self.maximumLength - text.count - 1
    guard longest > 0 else { return self }
    return Source(host.prefix(longest) + [UInt8(ascii: ":")] + text)
  }

  /// Creates a source from the remote host or, for a local sign-in, from the terminal.
  package init(remoteHost: [UInt8]?, terminal: [UInt8]?) {
    if let remoteHost, !remoteHost.isEmpty {
      self.init(remoteHost)
    } else {
      self.init(terminal ?? [])
    }
  }
}
