import MFABase
import MFAModel
import Testing

@Suite struct ProgramPasswordTests {
  private static func bytes(_ secret: borrowing SecretBytes) -> [UInt8] {
    secret.span.indices.map { secret.span[$0] }
  }

  private static func password(_ text: String) -> [UInt8]? {
    guard let password = ProgramPassword(answer: Array(text.utf8).span) else { return nil }
    return bytes(password.characters)
  }

  /// Returns the characters and the written form of the password that is made from random bytes.
  private static func made(_ random: [UInt8]) -> (characters: [UInt8], written: String)? {
    guard let password = ProgramPassword(random: SecretBytes(copying: random.span)) else {
      return nil
    }
    return (
      bytes(password.characters), String(decoding: bytes(password.written()), as: UTF8.self)
    )
  }

  private static let characters = Array("abcdefghijklmnop2345".utf8)

  /// MUST 1. 100 bits, which are all used.
  @Test func roundTrip() throws {
    for byte in [0x00, 0x5A, 0xFF] as [UInt8] {
      var random = [UInt8](repeating: byte, count: ProgramPassword.randomLength)
      let made = try #require(Self.made(random))
      #expect(made.written.wholeMatch(of: /mfa(-[a-z2-7]{5}){4}/) != nil, "\(made.written)")
      #expect(Self.password(made.written) == made.characters)
      for bit in 0..<104 {
        random[bit / 8] ^= 0x80 >> UInt8(bit % 8)
        let other = try #require(Self.made(random))
        random[bit / 8] ^= 0x80 >> UInt8(bit % 8)
        #expect((other.characters == made.characters) == (bit >= 100), "bit \(bit)")
      }
    }
    #expect(Self.made([UInt8](repeating: 0, count: 12)) == nil)
  }

  @Test(
    arguments: [
      "mfa-abcde-fghij-klmno-p2345", "mfaabcdefghijklmnop2345", "MFA ABCDE FGHIJ KLMNO P2345",
      " mfa - abcdefghij klmnop2345 ", "ｍｆａ-abcde-fghij-klmno-p2345",
    ])
  func typed(text: String) {
    #expect(Self.password(text) == Self.characters)
  }

  @Test(
    arguments: [
      "", "mfa", "abcdefghijklmnop2345", "mfa-abcde-fghij-klmno-p234",
      "mfa-abcde-fghij-klmno-p23456",
      "mfa-abcde-fghij-klmno-p2348", "mfb-abcde-fghij-klmno-p2345", "abcd-efgh-ijkl-mnop", "123456",
      "mfa-abcde-fghij-klmno-p2345\n", "Secret mfa-abcde-fghij-klmno-p2345",
      String(repeating: " ", count: 80) + "mfa-abcde-fghij-klmno-p2345",
    ])
  func others(text: String) {
    #expect(Self.password(text) == nil)
  }

  @Test(
    arguments: [
      ("dovecot", ""), ("dovecot smtp", "192.0.2.0/24"), ("imap", "::1/128 198.51.100.7/32"),
    ])
  func scopes(services: String, networks: String) throws {
    let scope = try #require(
      ProgramScope(services: Array(services.utf8), networks: Array(networks.utf8)))
    #expect(scope.servicesText == Array(services.utf8))
    #expect(scope.networksText == Array(networks.utf8))
  }

  @Test(
    arguments: [
      ("", ""), (" ", ""), ("dovecot ", ""), ("dovecot  smtp", ""), ("Dovecot", ""), ("a/b", ""),
      ("dovecot", "192.0.2.7/24"), ("dovecot", "example.org"), ("dovecot", "192.0.2.0/24 "),
      (String(repeating: "s", count: 128), ""),
    ])
  func invalidScopes(services: String, networks: String) {
    #expect(ProgramScope(services: Array(services.utf8), networks: Array(networks.utf8)) == nil)
  }

  @Test func contents() throws {
    let scope = try #require(
      ProgramScope(services: Array("dovecot smtp".utf8), networks: Array("192.0.2.0/24".utf8)))
    let inside = IPAddress(Array("192.0.2.9".utf8).span)
    let outside = IPAddress(Array("198.51.100.9".utf8).span)
    #expect(scope.contains(service: Array("smtp".utf8), address: inside))
    #expect(!scope.contains(service: Array("smtp".utf8), address: outside))
    #expect(!scope.contains(service: Array("smtp".utf8), address: nil))
    #expect(!scope.contains(service: Array("sshd".utf8), address: inside))
    let everywhere = try #require(ProgramScope(services: Array("smtp".utf8), networks: []))
    #expect(everywhere.contains(service: Array("smtp".utf8), address: nil))
  }
}
