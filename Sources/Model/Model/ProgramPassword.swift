import MFABase

/// A password for one program, such as a mail client, that cannot ask for a code: 100 random bits that
/// sign the user in, in place of password and code, in the services of its scope.
///
/// The written form is `mfa-` and four groups of five base32 characters (RFC 4648, section 6) in lower
/// case: `mfa-abcde-fghij-klmno-pqrst`. The beginning tells it from every other answer. A secret of this
/// length cannot be guessed, so attempts need not be limited (NIST SP 800-63B-4, section 3.1.2).
///
/// The password is not copyable, and its characters are wiped when the value ends.
///
/// MUST 1: a written password reads back equal, with any grouping and in either case, and no other text
/// is one. (`ProgramPasswordTests.roundTrip`, `.typed`, `.others`)
package struct ProgramPassword: ~Copyable, Sendable {
  /// The 20 base32 characters in lower case, without hyphens.
  package let characters: SecretBytes

  /// The number of random bytes from which a password is made. The bits after the hundredth are not used.
  package static var randomLength: Int { 13 }

  private static var count: Int { 20 }
  private static var groupLength: Int { 5 }

  /// The maximum length of an answer in bytes: the written form in full-width characters, or hyphens and
  /// spaces between any two characters.
  private static var longestAnswer: Int { 96 }

  /// Creates a password from `randomLength` bytes. Returns nil for a different number of bytes.
  package init?(random bytes: borrowing SecretBytes) {
    guard bytes.count == Self.randomLength else { return nil }
    let text = Base32.encode(bytes.span)
    var characters = SecretBytes(count: Self.count)
    characters.withMutableSpan { characters in
      // This converts letters to lower case; in digits, the bit is already set.
      for index in 0..<Self.count { characters[index] = text.span[index] | 0x20 }
    }
    self.characters = characters
  }

  /// Parses what a program sent or the user typed: `mfa` and twenty base32 characters, in either case,
  /// with hyphens and spaces anywhere. Returns nil for any other text.
  package init?(answer: Span<UInt8>) {
    guard answer.count <= Self.longestAnswer else { return nil }
    let typed = TypedText.inASCII(answer)
    let beginning = ("mfa" as StaticString).bytes
    var characters = SecretBytes(count: Self.count)
    var count = 0
    let fits = characters.withMutableSpan { characters in
      for index in typed.span.indices {
        let byte = typed.span[index]
        if byte == UInt8(ascii: " ") || byte == UInt8(ascii: "-") { continue }
        let letter = byte | 0x20
        guard Self.isDigit(byte) else { return false }
        if count < beginning.count {
          guard letter == beginning[count] else { return false }
        } else {
          guard count - beginning.count < Self.count else { return false }
          characters[count - beginning.count] = letter
        }
        count += 1
      }
      return count == Self.count + beginning.count
    }
    guard fits else { return nil }
    self.characters = characters
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "2")...UInt8(ascii: "7"):
      true
    default: false
    }
  }

  /// Returns the password in its written form, in ASCII.
  @export(interface)
  package func written() -> SecretBytes {
    let beginning = ("mfa" as StaticString).bytes
    let groups = Self.count / Self.groupLength
    var written = SecretBytes(count: beginning.count + Self.count + groups)
    written.withMutableSpan { written in
      for index in beginning.indices { written[index] = beginning[index] }
      var next = beginning.count
      for index in characters.span.indices {
        if index % Self.groupLength == 0 {
          written[next] = UInt8(ascii: "-")
          next += 1
        }
        written[next] = characters.span[index]
        next += 1
      }
    }
    return written
  }
}

/// Where a program password is valid.
package struct ProgramScope: Equatable, Sendable {
  /// The PAM services, in lower case, at least one.
  package let services: [[UInt8]]
  /// The networks that the user signs in from; every address if it is empty.
  package let networks: [Network]

  /// The maximum length in bytes of the names of the services together, and of the networks.
  package static var longestText: Int { 127 }

  /// Parses the names of services and the networks, each with spaces between them. Returns nil if there is no service,
  /// a text has more than `longestText` bytes or is not in the form of `servicesText` and `networksText`.
  package init?(services: [UInt8], networks: [UInt8]) {
    let space = UInt8(ascii: " ")
    let names = services.split(separator: space).map { [UInt8]($0) }
    var found: [Network] = []
    for text in networks.split(separator: space) {
      guard let network = Network(containing: [UInt8](text).span) else { return nil }
      found.append(network)
    }
    self.services = names
    self.networks = found
    guard !names.isEmpty, names.allSatisfy({ ConfigurationValueType.isServiceName($0.span) }),
      max(services.count, networks.count) <= Self.longestText,
      servicesText == services, networksText == networks
    else { return nil }
  }

  /// The names of the services, with spaces between them.
  package var servicesText: [UInt8] { Self.joined(services) }

  /// The networks in canonical form, with spaces between them.
  package var networksText: [UInt8] { Self.joined(networks.map { $0.text }) }

  /// Returns whether the password is valid for a sign-in at this service from this address, which is nil if it is unknown.
  package func contains(service: [UInt8], address: IPAddress?) -> Bool {
    guard services.contains(service) else { return false }
    guard !networks.isEmpty else { return true }
    guard let address else { return false }
    return networks.contains { $0.contains(address) }
  }

  private static func joined(_ texts: [[UInt8]]) -> [UInt8] {
    var joined: [UInt8] = []
    for text in texts {
      if !joined.isEmpty { joined.append(UInt8(ascii: " ")) }
      joined += text
    }
    return joined
  }
}
