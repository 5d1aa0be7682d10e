import MFABase
import MFAModel
import Foundation

/// Creates otpauth URLs. The input holds the parameters, the secret, the issuer and the account. A
/// length byte precedes each of the last three.
///
/// A URL is ASCII without spaces, and other software reads the original values from it.
enum OTPAuthTarget {
  static func check(_ input: [UInt8]) throws {
    var instructions = Instructions(input)
    let algorithms = [HashAlgorithm.sha1, .sha256, .sha512]
    let algorithm = algorithms[instructions.number() % algorithms.count]
    let length = CodeLength.allCases[instructions.number() % CodeLength.allCases.count]
    let period = UInt16(15 + instructions.number() % 106)
    let parameters = try requireValue(
      TOTPParameters(algorithm: algorithm, codeLength: length, period: period), "parameters")
    let secret = instructions.bytes(atMost: 64)
    let issuer = instructions.bytes(atMost: 64)
    let account = instructions.bytes(atMost: 255)
    let text = bytes(
      OTPAuthURI.make(
        secret: secret.span, account: account.span, issuer: issuer.span, parameters: parameters))
    try require(
      text.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "a URL has an invalid character")
    let isPrefix = !issuer.isEmpty && !issuer.contains(UInt8(ascii: ":"))
    let content = try Content(text)
    // An issuer before the account is repeated if the picture still fits.
    let isRepeated = isPrefix && !content.issuer.isEmpty
    try require(!isRepeated || text.count <= 134, "a URL is too long")
    let expected = Content(
      label: (isPrefix ? issuer + [UInt8(ascii: ":")] : []) + account,
      secret: secret, issuer: isPrefix && !isRepeated ? [] : issuer,
      algorithm: algorithm.name.description,
      digits: length.rawValue, period: period)
    try require(content == expected, "a URL reads back differently")
    guard String(validating: issuer + account, as: UTF8.self) != nil,
      String(validating: issuer, as: UTF8.self) != nil
    else { return }
    try checkComponents(String(decoding: text, as: UTF8.self), expected)
  }

  /// The content of a URL, read according to RFC 3986 and RFC 4648.
  private struct Content: Equatable {
    var label: [UInt8]
    var secret: [UInt8]
    var issuer: [UInt8]
    var algorithm: String
    var digits: UInt8
    var period: UInt16

    init(
      label: [UInt8], secret: [UInt8], issuer: [UInt8], algorithm: String, digits: UInt8,
      period: UInt16
    ) {
      self.label = label
      self.secret = secret
      self.issuer = issuer
      self.algorithm = algorithm
      self.digits = digits
      self.period = period
    }

    init(_ text: [UInt8]) throws {
      let start = Array("otpauth://totp/".utf8)
      try require(text.starts(with: start), "a URL has a wrong beginning")
      let parts = text.dropFirst(start.count).split(
        separator: UInt8(ascii: "?"), omittingEmptySubsequences: false)
      try require(parts.count == 2, "a URL has \(parts.count - 1) queries")
      var values: [String: [UInt8]] = [:]
      for pair in parts[1].split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false) {
        let words = pair.split(separator: UInt8(ascii: "="), omittingEmptySubsequences: false)
        try require(words.count == 2, "a parameter is not a pair")
        let name = String(decoding: words[0], as: UTF8.self)
        try require(values[name] == nil, "the parameter \(name) is repeated")
        values[name] = try Self.decoded(words[1])
      }
      label = try Self.decoded(parts[0])
      secret = try Self.base32(values["secret"] ?? [])
      issuer = values["issuer"] ?? []
      // What every app assumes if the parameter is missing.
      algorithm = String(decoding: values["algorithm"] ?? Array("SHA1".utf8), as: UTF8.self)
      digits = UInt8(String(decoding: values["digits"] ?? [0x36], as: UTF8.self)) ?? 0
      period = UInt16(String(decoding: values["period"] ?? [0x33, 0x30], as: UTF8.self)) ?? 0
    }

    private static func decoded(_ text: ArraySlice<UInt8>) throws -> [UInt8] {
      var bytes: [UInt8] = []
      var rest = text
      while let byte = rest.popFirst() {
        guard byte == UInt8(ascii: "%") else {
          bytes.append(byte)
          continue
        }
        let digits = String(decoding: rest.prefix(2), as: UTF8.self)
        bytes.append(try requireValue(UInt8(digits, radix: 16), "an escape is invalid"))
        rest = rest.dropFirst(2)
      }
      return bytes
    }

    private static func base32(_ text: [UInt8]) throws -> [UInt8] {
      let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)
      var bits: [UInt8] = []
      for letter in text {
        let value = try requireValue(letters.firstIndex(of: letter), "a secret is not base32")
        bits += (0..<5).map { UInt8(value >> (4 - $0) & 1) }
      }
      return (0..<bits.count / 8).map { byte in
        (0..<8).reduce(0) { $0 << 1 | bits[byte * 8 + $1] }
      }
    }
  }

  private static func checkComponents(_ text: String, _ content: Content) throws {
    let components = try requireValue(URLComponents(string: text), "Foundation refuses a URL")
    try require(components.scheme == "otpauth" && components.host == "totp", "a wrong scheme")
    try require(
      Array(components.path.utf8) == [UInt8(ascii: "/")] + content.label,
      "Foundation reads another label")
    let items = components.queryItems ?? []
    let others = [
      !content.issuer.isEmpty, content.algorithm != "SHA1", content.digits != 6,
      content.period != 30,
    ]
    try require(
      items.count == 1 + others.count { $0 }, "Foundation reads other parameters")
    let issuer = items.first { $0.name == "issuer" }?.value ?? ""
    try require(Array(issuer.utf8) == content.issuer, "Foundation reads another issuer")
  }
}
