import MFABase
import MFAWire
import Testing

@Suite struct HelperResponseTests {
  static func body(_ number: Int) throws -> [UInt8] {
    let response = try Samples.responses[number]()
    return Array(Samples.bytes(try response.encoded()).dropFirst(Frame.headerLength))
  }

  @Test("an encoded response parses back equal", arguments: Samples.responses.indices)
  func roundTrip(number: Int) throws {
    let response = try Samples.responses[number]()
    let frame = Samples.bytes(try response.encoded())
    #expect(try Frame.bodyLength(header: frame.span.extracting(first: 4)) == frame.count - 4)
    let parsed = try HelperResponse(body: frame.span.extracting(droppingFirst: 4))
    #expect(Samples.bytes(try parsed.encoded()) == frame)
  }

  @Test("the samples contain every failure")
  func complete() {
    #expect(Set(Samples.failures.map { HelperFailureCase($0) }) == Set(HelperFailureCase.allCases))
  }

  @Test("every failure parses back equal", arguments: Samples.failures)
  func failures(failure: HelperFailure) throws {
    let frame = try HelperResponse.failed(failure).encoded()
    if case .failed(let parsed) = try HelperResponse(body: frame.span.extracting(droppingFirst: 4))
    {
      #expect(parsed == failure)
    } else {
      Issue.record("a different message was parsed")
    }
  }

  @Test("different responses have different encodings")
  func distinct() throws {
    let bodies = try Samples.responses.indices.map { try Self.body($0) }
    #expect(Set(bodies).count == bodies.count)
  }

  @Test("a truncated response is refused", arguments: Samples.responses.indices)
  func everyTruncation(number: Int) throws {
    let body = try Self.body(number)
    for length in 0..<body.count {
      #expect(throws: PacketError.self, "\(length) of \(body.count)") {
        _ = try HelperResponse(body: body.span.extracting(first: length))
      }
    }
  }

  @Test("a response with trailing bytes is refused", arguments: Samples.responses.indices)
  func trailingBytes(number: Int) throws {
    for tail in [[0], [0, 0], [0, 1, 65]] as [[UInt8]] {
      let body = try Self.body(number) + tail
      #expect(throws: PacketError.self) { _ = try HelperResponse(body: body.span) }
    }
  }

  @Test(
    "changing a byte gives a refusal or a different response", arguments: Samples.responses.indices
  )
  func everyByteChanged(number: Int) throws {
    let body = try Self.body(number)
    for index in body.indices {
      for change in [0x01, 0x80, 0xFF] as [UInt8] {
        var changed = body
        changed[index] ^= change
        do throws(PacketError) {
          let response = try HelperResponse(body: changed.span)
          #expect(Samples.bytes(try response.encoded()).dropFirst(4).elementsEqual(changed))
        } catch {}
      }
    }
  }

  struct Row: Sendable, CustomTestStringConvertible {
    let number: Int
    let body: [UInt8]
    let refusal: PacketError
    var testDescription: String { "\(number): \(refusal)" }
  }

  static let key = [0, 15] + [UInt8](repeating: 7, count: 15)
  static let parameters: [UInt8] = [0, 1, 1, 0, 1, 6, 0, 2, 0, 30]
  static let factor =
    [0, 16] + [UInt8](repeating: 7, count: 16) + [0, 1, 65, 0, 8, 0, 0, 0, 0, 0, 0, 0, 1]
    + parameters

  static let rows: [Row] = [
    Row(number: 1, body: [], refusal: .malformed),
    Row(number: 2, body: [0x01, 0, 1, 1], refusal: .unknownKind(0x01)),
    Row(number: 3, body: [0x94], refusal: .unknownKind(0x94)),
    Row(number: 4, body: [0x81, 0, 1, 2, 0, 1, 65, 0, 1, 65], refusal: .malformed),
    // No user name, and an invalid user name.
    Row(
      number: 5, body: [0x81, 0, 1, HelperRequest.version, 0, 0, 0, 1, 65], refusal: .malformed),
    Row(
      number: 6, body: [0x81, 0, 1, HelperRequest.version, 0, 1, 0x2F, 0, 1, 65],
      refusal: .malformed),
    Row(number: 41, body: [0x8F, 0, 1, 0], refusal: .malformed),
    Row(number: 42, body: [0x8F, 0, 1, 3], refusal: .malformed),
    // An unknown kind of code, a recovery code of a factor, and no factor's id.
    Row(number: 43, body: [0x90, 0, 1, 4, 0, 0], refusal: .malformed),
    Row(
      number: 44, body: [0x90, 0, 1, 2, 0, 16] + [UInt8](repeating: 7, count: 16),
      refusal: .malformed),
    Row(number: 45, body: [0x90, 0, 1, 1, 0, 1, 7], refusal: .malformed),
    // A prompt with an escape character, and one with an invalid echo value.
    Row(number: 7, body: [0x82, 0, 1, 0x1B, 0, 1, 1], refusal: .malformed),
    Row(number: 8, body: [0x82, 0, 1, 65, 0, 1, 5], refusal: .malformed),
    Row(number: 9, body: [0x83, 4, 1] + [UInt8](repeating: 65, count: 1025), refusal: .malformed),
    // Keys of 15 and 65 bytes.
    Row(number: 10, body: [0x85] + key + parameters + [0, 4, 0, 0, 0, 1], refusal: .malformed),
    Row(number: 11, body: [0x85, 0, 65] + [UInt8](repeating: 7, count: 65), refusal: .malformed),
    // Nine factors.
    Row(number: 12, body: [0x87, 0, 1, 9] + (0..<9).flatMap { _ in factor }, refusal: .malformed),
    // Fewer and more factors than the count.
    Row(number: 17, body: [0x87, 0, 1, 2] + factor, refusal: .malformed),
    Row(number: 18, body: [0x87, 0, 1, 1] + factor + factor, refusal: .malformed),
    Row(number: 13, body: [0x89, 0, 1, 2, 0, 1, 0], refusal: .malformed),
    Row(number: 19, body: [0x89, 0, 1, 1, 0, 1, 2], refusal: .malformed),
    Row(number: 20, body: [0x89, 0, 1, 1], refusal: .malformed),
    // Failures: an unknown number, and a detail that the failure does not have.
    Row(number: 14, body: [0x8B, 0, 1, 0, 0, 4, 0, 0, 0, 0], refusal: .malformed),
    Row(number: 15, body: [0x8B, 0, 1, 41, 0, 4, 0, 0, 0, 0], refusal: .malformed),
    Row(number: 49, body: [0x8B, 0, 1, 40, 0, 4, 0, 0, 0, 0], refusal: .malformed),
    Row(number: 50, body: [0x8B, 0, 1, 40, 0, 4, 0, 0, 0, 5], refusal: .malformed),
    Row(number: 46, body: [0x8B, 0, 1, 29, 0, 4, 0, 0, 0, 0], refusal: .malformed),
    Row(number: 47, body: [0x8B, 0, 1, 29, 0, 4, 0, 0, 0, 6], refusal: .malformed),
    // A number that is not masked.
    Row(
      number: 48, body: [0x91, 0, 12] + Array("+15105551234".utf8) + [0, 4, 0, 0, 2, 88],
      refusal: .malformed),
    Row(number: 37, body: [0x8B, 0, 1, 26, 0, 4, 0, 0, 1, 1], refusal: .malformed),
    Row(number: 16, body: [0x8B, 0, 1, 1, 0, 4, 0, 0, 0, 1], refusal: .malformed),
    // Status: an invalid enrolment, state or standing, more imported codes than codes, seconds
    // without a wait.
    Row(number: 21, body: status(0, 0, 9, 0, 0), refusal: .malformed),
    Row(number: 22, body: status(4, 0, 9, 0, 0), refusal: .malformed),
    Row(number: 23, body: status(1, 3, 9, 0, 0), refusal: .malformed),
    Row(number: 24, body: status(1, 0, 9, 10, 0), refusal: .malformed),
    Row(number: 25, body: status(1, 0, 9, 0, 3), refusal: .malformed),
    Row(number: 26, body: status(1, 0, 9, 0, 0, seconds: 1), refusal: .malformed),
    Row(number: 27, body: status(1, 0, 9, 0, 2, seconds: 1), refusal: .malformed),
    Row(number: 35, body: status(1, 0, 9, 0, 0, unlocks: 2), refusal: .malformed),
    // Recovery codes: eleven, without a hyphen, with a control character, too short, too long, one
    // missing.
    Row(
      number: 28,
      body: [0x8D, 0, 1, 11] + (0..<11).flatMap { _ in recoveryCode("ABCD-2345-EFGH-6789") },
      refusal: .malformed),
    Row(number: 29, body: recovery("ABCD02345-EFGH-6789"), refusal: .malformed),
    Row(number: 30, body: recovery("ABCD-2345-EFGH-678\u{1B}"), refusal: .malformed),
    Row(number: 31, body: recovery("ABCD-2345-EFGH-678"), refusal: .malformed),
    Row(number: 32, body: recovery("ABCD-2345-EFGH-67890"), refusal: .malformed),
    Row(
      number: 33, body: [0x8D, 0, 1, 2] + recoveryCode("ABCD-2345-EFGH-6789"), refusal: .malformed),
    Row(number: 34, body: recovery("ABC--2345-EFGH-6789"), refusal: .malformed),
    // An account that is refused for no reason, or for one that does not exist.
    Row(number: 35, body: [0x8B, 0, 1, 37, 0, 4, 0, 0, 0, 0], refusal: .malformed),
    Row(number: 36, body: [0x8B, 0, 1, 37, 0, 4, 0, 0, 0, 6], refusal: .malformed),
  ]

  static func status(
    _ enrollment: UInt8, _ state: UInt8, _ codes: UInt8, _ imported: UInt8, _ standing: UInt8,
    seconds: UInt8 = 0, unlocks: UInt8 = 0
  ) -> [UInt8] {
    // One expression would take the compiler thirteen seconds.
    var body: [UInt8] = [0x8C]
    for number in [enrollment, state, codes, imported, unlocks, standing] {
      body += [0, 1, number]
    }
    body += [0, 4, 0, 0, 0, seconds, 0, 1, 0, 0, 4, 0, 0, 0, 0]
    body += [0, 4, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0]
    return body
  }

  static func recoveryCode(_ text: String) -> [UInt8] { [0, UInt8(text.utf8.count)] + text.utf8 }

  static func recovery(_ text: String) -> [UInt8] { [0x8D, 0, 1, 1] + recoveryCode(text) }

  @Test("an invalid response is refused with the reason", arguments: rows)
  func refused(row: Row) {
    #expect(throws: row.refusal) { _ = try HelperResponse(body: row.body.span) }
  }

  @Test("keys and lists out of range cannot be encoded")
  func bounds() throws {
    for count in [15, 65] {
      #expect(throws: PacketError.malformed) {
        _ = try HelperResponse.secret(
          GeneratedSecret(
            key: Samples.secret(count: count), parameters: .standard, secondsLeft: 1)
        ).encoded()
      }
    }
    let nine = try (0..<9).map { try Samples.summary($0, name: "\($0)") }
    #expect(throws: PacketError.malformed) { _ = try HelperResponse.factors(nine).encoded() }
    let status = Samples.status(.required, .enabled, codes: 3, imported: 4, .open)
    #expect(throws: PacketError.malformed) { _ = try HelperResponse.status(status).encoded() }
    for text in ["ABCD-2345-EFGH-678", String(repeating: "ABCD-2345-EFGH-6789", count: 11), "-"] {
      #expect(throws: PacketError.malformed) {
        _ = try HelperResponse.recoveryCodes(RecoveryCodeList(text: Samples.secret(text)))
          .encoded()
      }
    }
  }
}
