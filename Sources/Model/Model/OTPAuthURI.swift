import MFABase

/// The key URI that authenticator apps read from a QR code, as short as they allow, so that the
/// picture fits an ordinary window: `otpauth://totp/ISSUER:ACCOUNT?secret=...`
///
/// The issuer precedes the account, from where all apps show it, and apps that tell accounts apart by
/// the whole label do not confuse equal account names. As the format recommends, it is also a
/// parameter, unless the picture would then not fit. An issuer with a colon is only a parameter,
/// because some apps refuse a label with a second colon. Parameters that have the value that every app
/// assumes (SHA-1, six digits, 30 seconds) are left out.
/// (`AuthenticatorAppTests`)
///
/// All characters except unreserved ones (RFC 3986, section 2.3) are percent-encoded.
package enum OTPAuthURI {
  /// Returns the URI, in ASCII. The URI must be protected like the secret it contains.
  ///
  /// `account` and `issuer` are UTF-8. An empty issuer is left out, together with its colon. The
  /// format has no way to write an account name with a colon that all apps read. A short URI has the
  /// issuer only once.
  @export(interface)
  package static func make(
    secret: Span<UInt8>, account: Span<UInt8>, issuer: Span<UInt8>, parameters: TOTPParameters,
    isShort: Bool = false
  ) -> SecretBytes {
    let key = Base32.encode(secret)
    // The length is counted first, so that the secret is written to a single block that never grows
    // and is wiped.
    var counter = Writer(target: SecretBytes(count: 0), hasParameter: !isShort)
    counter.uri(key: key.span, account: account, issuer: issuer, parameters: parameters)
    let fits = !isShort && counter.count <= longestWithParameter
    if !isShort, !fits {
      counter = Writer(target: SecretBytes(count: 0), hasParameter: false)
      counter.uri(key: key.span, account: account, issuer: issuer, parameters: parameters)
    }
    var writer = Writer(target: SecretBytes(count: counter.count), hasParameter: fits)
    writer.uri(key: key.span, account: account, issuer: issuer, parameters: parameters)
    return writer.finish()
  }

  /// The bytes of a symbol of version 6 and level L, whose picture fits 80 columns and 24 lines.
  private static var longestWithParameter: Int { 134 }

  /// Writes as much as fits, and counts everything.
  private struct Writer: ~Copyable {
    var target: SecretBytes
    /// Whether an issuer before the account is also a parameter.
    var hasParameter = true
    var count = 0

    consuming func finish() -> SecretBytes { target }

    @inline(never)
    mutating func uri(
      key: Span<UInt8>, account: Span<UInt8>, issuer: Span<UInt8>, parameters: TOTPParameters
    ) {
      let isPrefix = !Self.hasColon(issuer)
      literal("otpauth://totp/")
      if !issuer.isEmpty, isPrefix {
        encoded(issuer)
        literal(":")
      }
      encoded(account)
      literal("?secret=")
      for index in key.indices { byte(key[index]) }
      if !issuer.isEmpty, hasParameter || !isPrefix {
        literal("&issuer=")
        encoded(issuer)
      }
      let standard = TOTPParameters.standard
      if parameters.algorithm != standard.algorithm {
        literal("&algorithm=")
        literal(parameters.algorithm.name)
      }
      if parameters.codeLength != standard.codeLength {
        literal("&digits=")
        byte(UInt8(ascii: "0") + parameters.codeLength.rawValue)
      }
      if parameters.period != standard.period {
        literal("&period=")
        number(parameters.period)
      }
    }

    private static func hasColon(_ text: Span<UInt8>) -> Bool {
      for index in text.indices where text[index] == UInt8(ascii: ":") { return true }
      return false
    }

    @inline(never)
    private mutating func byte(_ byte: UInt8) {
      let position = count
      if position < target.count { target.withMutableSpan { $0[position] = byte } }
      count &+= 1
    }

    @inline(never)
    private mutating func literal(_ text: StaticString) {
      text.forEachByte { byte($0) }
    }

    private mutating func number(_ number: UInt16) {
      if number >= 10 { self.number(number / 10) }
      byte(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number % 10))
    }

    private mutating func encoded(_ text: Span<UInt8>) {
      for index in text.indices {
        let character = text[index]
        if Self.isUnreserved(character) {
          byte(character)
        } else {
          byte(UInt8(ascii: "%"))
          for digit in Hexadecimal.digits(of: character, .upper) { byte(digit) }
        }
      }
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: "~"):
        true
      default: false
      }
    }
  }
}
