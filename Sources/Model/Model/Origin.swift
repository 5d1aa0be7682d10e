import MFABase

extension Configuration {
  /// A source location: a line of one of the configuration files.
  package struct Origin: Equatable, Sendable {
    /// The index of the file in `Configuration.files`.
    package let file: UInt16
    /// The line, counted from 1; 0 if there is no location.
    package let line: UInt16

    init(file: UInt16, line: Int) {
      self.file = file
      // A file has at most 65,536 bytes and a setting takes several, so the line number fits.
      self.line = UInt16(truncatingIfNeeded: line)
    }

    /// The location of values that no file sets.
    static var none: Origin { Origin(file: 0, line: 0) }

    /// Whether there is a line.
    var isKnown: Bool { line != 0 }

    /// Returns whether the location is in `file`.
    func isIn(_ file: UInt16) -> Bool { isKnown && self.file == file }

    /// Returns whether the line was read after `other`. A value that no file sets counts as read
    /// before all lines.
    func isLater(than other: Origin) -> Bool {
      rank > other.rank
    }

    private var rank: UInt32 { isKnown ? UInt32(file) << 16 | UInt32(line) : 0 }
  }
}

/// The place that a sign-in comes from, as identified for remembered sign-ins.
package struct SignInOrigin: Equatable, Sendable {
  /// The kind of property that identifies a place.
  package enum Kind: UInt8, Sendable {
    /// A numeric address, with the SSH key if one was used.
    case address = 1
    /// A session on this machine.
    case session = 2
    /// An IPv4 address or an IPv6 network of 64 bits. Attempts from there wait; no sign-in is remembered
    /// for it.
    case network = 3
  }

  /// The kind of property that identifies the place.
  package let kind: Kind
  /// Bytes that are equal for two sign-ins exactly if they come from the same place.
  package let identity: [UInt8]

  /// Creates a place.
  package init(_ kind: Kind, _ identity: [UInt8]) {
    self.kind = kind
    self.identity = identity
  }
}

/// A stored digest of a place. It is keyed, so that only this host can recognise the place, and
/// bound to one user's record.
package struct SignInOriginDigest: Equatable, Sendable {
  /// The length of a digest in bytes. 64 bits suffice, because without the key no attacker can test
  /// places against the digest.
  package static var length: Int { 8 }

  /// The kind of property that identifies the place.
  package let kind: SignInOrigin.Kind
  /// The digest.
  package let value: UInt64

  /// Creates a digest.
  package init(_ kind: SignInOrigin.Kind, _ value: UInt64) {
    self.kind = kind
    self.value = value
  }

  /// Creates a digest from the first `length` bytes of `bytes`. Returns nil if there are fewer.
  package init?(_ kind: SignInOrigin.Kind, bytes: [UInt8]) {
    var reader = ByteReader(bytes.span)
    guard let value = reader.read(UInt64.self) else { return nil }
    self.init(kind, value)
  }
}

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
    guard let remoteHost, !remoteHost.isEmpty else {
      self.init(Self.plain(terminal ?? []))
      return
    }
    // No name and no address has a slash, as the names of terminals do.
    self.init(Self.plain(remoteHost).map { $0 == UInt8(ascii: "/") ? UInt8(ascii: "?") : $0 })
  }
}

extension Source {
  /// Stands between a terminal and the client of the session on it.
  private static var separator: UInt8 { UInt8(ascii: "@") }
  /// Stands before the name of an administrator.
  private static var administratorMark: UInt8 { UInt8(ascii: "=") }

  /// Creates the source of a change that an administrator made with mfa-admin.
  package init(administrator name: [UInt8]) {
    self.init([Self.administratorMark] + name)
  }

  /// Creates the source of a change in a session of the user on `terminal`. `client` is the address or the name of
  /// the host that the session was opened from, or nil if it is not known.
  package init(terminal: [UInt8], client: [UInt8]?) {
    self.init(Self.plain(terminal) + (client.map { [Self.separator] + Self.plain($0) } ?? []))
  }

  /// Returns a name with other characters in place of the separator and the mark of administrators: others may have
  /// chosen the name.
  private static func plain(_ name: [UInt8]) -> [UInt8] {
    name.map { $0 == separator || $0 == administratorMark ? UInt8(ascii: "?") : $0 }
  }

  /// What a user reads of a source.
  package enum Place: Equatable, Sendable {
    /// Nothing that says something to a person.
    case unknown
    /// An address, the name of a host, or a terminal of the host.
    case named([UInt8])
    /// An administrator.
    case administrator([UInt8])
  }

  /// What a user reads: the client of a session rather than the session's terminal.
  package var place: Place {
    if text.first == Self.administratorMark { return .administrator(Array(text.dropFirst())) }
    if let index = text.firstIndex(of: Self.separator) {
      return .named(Array(text[(index &+ 1)...]))
    }
    let program: StaticString = "mfa-enroll"
    return text.isEmpty || session != nil || text == program.bytes ? .unknown : .named(text)
  }

  /// The terminal of a session, such as `pts/3`, or nil. The terminals of the console are used by one session after
  /// the other, and do not identify one.
  private var session: ArraySlice<UInt8>? {
    let (folder, name): (StaticString, StaticString) = ("/dev/", "pts/")
    let terminal = text.prefix { $0 != Self.separator }
    let relative = terminal.starts(with: folder.bytes) ? terminal.dropFirst(5) : terminal
    return relative.starts(with: name.bytes) ? relative : nil
  }

  /// Returns whether both are certainly the same session of the user.
  package func isSameSession(as other: Source) -> Bool {
    guard let session, let theirs = other.session else { return false }
    return session.elementsEqual(theirs)
  }
}
