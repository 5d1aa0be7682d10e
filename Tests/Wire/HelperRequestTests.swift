import MFABase
import MFAWire
import Testing

@Suite struct HelperRequestTests {
  static func body(_ number: Int) throws -> [UInt8] {
    let request = try Samples.requests[number]()
    return Array(Samples.bytes(try request.encoded()).dropFirst(Frame.headerLength))
  }

  static func reencoded(_ body: [UInt8]) throws -> [UInt8] {
    let request = try HelperRequest(body: body.span)
    return Samples.bytes(try request.encoded())
  }

  @Test("an encoded request parses back equal", arguments: Samples.requests.indices)
  func roundTrip(number: Int) throws {
    let request = try Samples.requests[number]()
    let frame = Samples.bytes(try request.encoded())
    #expect(try Frame.bodyLength(header: frame.span.extracting(first: 4)) == frame.count - 4)
    #expect(try Self.reencoded(Array(frame.dropFirst(4))) == frame)
  }

  @Test("different requests have different encodings")
  func distinct() throws {
    let bodies = try Samples.requests.indices.map { try Self.body($0) }
    #expect(Set(bodies).count == bodies.count)
  }

  @Test("a truncated request is refused", arguments: Samples.requests.indices)
  func everyTruncation(number: Int) throws {
    let body = try Self.body(number)
    for length in 0..<body.count {
      #expect(throws: PacketError.self, "\(length) of \(body.count)") {
        _ = try HelperRequest(body: body.span.extracting(first: length))
      }
    }
  }

  @Test("a request with trailing bytes is refused", arguments: Samples.requests.indices)
  func trailingBytes(number: Int) throws {
    for tail in [[0], [0, 0], [0, 1, 65]] as [[UInt8]] {
      let body = try Self.body(number) + tail
      #expect(throws: PacketError.malformed) { _ = try HelperRequest(body: body.span) }
    }
  }

  @Test(
    "changing one byte gives a refusal or a different request", arguments: Samples.requests.indices)
  func everyByteChanged(number: Int) throws {
    let body = try Self.body(number)
    for index in body.indices {
      for change in [0x01, 0x80, 0xFF] as [UInt8] {
        var changed = body
        changed[index] ^= change
        do throws(PacketError) {
          let request = try HelperRequest(body: changed.span)
          #expect(Samples.bytes(try request.encoded()).dropFirst(4).elementsEqual(changed))
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

  static let id = [0, 16] + [UInt8](repeating: 7, count: 16)

  static let rows: [Row] = [
    Row(number: 1, body: [], refusal: .malformed),
    Row(number: 2, body: [0x00], refusal: .unknownKind(0x00)),
    Row(number: 3, body: [0x1E], refusal: .unknownKind(0x1E)),
    Row(number: 4, body: [0x81, 0, 1, 1], refusal: .unknownKind(0x81)),
    Row(number: 5, body: [0x01, 0, 1, 0], refusal: .malformed),
    Row(number: 6, body: [0x01, 0, 1, 2, 0, 1, 0], refusal: .malformed),
    // No language, and an unknown one.
    Row(number: 35, body: [0x01, 0, 1, HelperRequest.version], refusal: .malformed),
    Row(number: 36, body: [0x01, 0, 1, HelperRequest.version, 0, 1, 5], refusal: .malformed),
    Row(number: 7, body: [0x01, 0, 2, 0, 1], refusal: .malformed),
    // Parameters: invalid hash function, digits or period.
    Row(number: 8, body: [0x05, 0, 1, 0, 0, 1, 6, 0, 2, 0, 30], refusal: .malformed),
    Row(number: 9, body: [0x05, 0, 1, 1, 0, 1, 5, 0, 2, 0, 30], refusal: .malformed),
    Row(number: 10, body: [0x05, 0, 1, 1, 0, 1, 6, 0, 2, 0, 14], refusal: .malformed),
    Row(number: 11, body: [0x05, 0, 1, 1, 0, 1, 6, 0, 2, 0, 121], refusal: .malformed),
    Row(number: 12, body: [0x05, 0, 1, 1, 0, 1, 6, 0, 1, 30], refusal: .malformed),
    // An answer longer than PAM allows.
    Row(number: 13, body: [0x03, 2, 1] + [UInt8](repeating: 65, count: 513), refusal: .malformed),
    // Names: empty, with white space at an end, with an escape character, not UTF-8, too long.
    Row(number: 14, body: [0x08] + id + [0, 0], refusal: .unsupportedDisplayName),
    Row(number: 15, body: [0x08] + id + [0, 2, 0x20, 65], refusal: .unsupportedDisplayName),
    Row(number: 16, body: [0x08] + id + [0, 2, 65, 0x1B], refusal: .unsupportedDisplayName),
    Row(number: 17, body: [0x06, 0, 1, 49, 0, 1, 0xFF], refusal: .unsupportedDisplayName),
    Row(
      number: 18, body: [0x08] + id + [0, 65] + [UInt8](repeating: 65, count: 65),
      refusal: .unsupportedDisplayName),
    Row(
      number: 19, body: [0x08] + id + [1, 0] + [UInt8](repeating: 65, count: 256),
      refusal: .malformed),
    // A malformed message is reported even if the name is invalid too.
    Row(number: 20, body: [0x08] + id + [0, 0, 0], refusal: .malformed),
    // Factor ids of 15 and 17 bytes.
    Row(number: 21, body: [0x09, 0, 15] + [UInt8](repeating: 7, count: 15), refusal: .malformed),
    Row(number: 22, body: [0x09, 0, 17] + [UInt8](repeating: 7, count: 17), refusal: .malformed),
    // Codes that are too long, in either field.
    Row(
      number: 23, body: [0x0F] + id + [2, 1] + [UInt8](repeating: 49, count: 513) + [0, 0],
      refusal: .malformed),
    Row(
      number: 24, body: [0x0F] + id + [2, 1] + [UInt8](repeating: 49, count: 513),
      refusal: .malformed),
    // A factor id of one byte in an optional field.
    Row(number: 25, body: [0x11, 0, 1, 7, 0, 1, 49], refusal: .malformed),
    // Imports: keys of 9 and 65 bytes, an offset of two bytes, an invalid name.
    Row(number: 26, body: imported(keyLength: 9), refusal: .malformed),
    Row(number: 27, body: imported(keyLength: 65), refusal: .malformed),
    Row(number: 28, body: imported(offset: [0, 2, 0, 0]), refusal: .malformed),
    Row(number: 29, body: imported(name: [0, 1, 0x1B]), refusal: .unsupportedDisplayName),
    // Recovery codes: eleven, one of seven digits, one of nine, one with a letter, one missing.
    Row(
      number: 30, body: imported(codes: [0, 1, 11] + (0..<11).flatMap { _ in code }),
      refusal: .malformed),
    Row(
      number: 31, body: imported(codes: [0, 1, 1, 0, 7, 49, 49, 49, 49, 49, 49, 49]),
      refusal: .malformed),
    Row(
      number: 32, body: imported(codes: [0, 1, 1, 0, 9, 49, 49, 49, 49, 49, 49, 49, 49, 49]),
      refusal: .malformed),
    Row(
      number: 33, body: imported(codes: [0, 1, 1, 0, 8, 49, 49, 49, 49, 49, 49, 49, 65]),
      refusal: .malformed),
    Row(number: 34, body: imported(codes: [0, 1, 2] + code), refusal: .malformed),
  ]

  static let code: [UInt8] = [0, 8, 48, 49, 50, 51, 52, 53, 54, 57]

  static func imported(
    name: [UInt8] = [0, 1, 65], keyLength: UInt8 = 10, offset: [UInt8] = [0, 4, 0, 0, 0, 0],
    codes: [UInt8] = [0, 1, 0]
  ) -> [UInt8] {
    let parameters: [UInt8] = [0, 1, 1, 0, 1, 6, 0, 2, 0, 30]
    let key = [0, keyLength] + [UInt8](repeating: 7, count: Int(keyLength))
    let watermark: [UInt8] = [0, 8, 0, 0, 0, 0, 0, 0, 0, 1]
    return [0x10] + name + parameters + key + offset + watermark + codes
  }

  @Test("an invalid request is refused with the reason", arguments: rows)
  func refused(row: Row) {
    #expect(throws: row.refusal) { _ = try HelperRequest(body: row.body.span) }
  }

  @Test("a request with an answer that is too long cannot be encoded")
  func longAnswers() throws {
    let name = try Samples.name("a")
    let factor = try Samples.factor(1)
    func long() -> SecretBytes { Samples.secret(count: 513) }
    let requests: [() -> HelperRequest] = [
      { .answer(long()) }, { .test(Samples.secret(count: 5000)) },
      { .enroll(EnrollmentRequest(code: long(), displayName: name)) },
      { .resync(ResyncRequest(factor: factor, code: long())) }, { .completeResync(long()) },
      { .signIn(CodeRequest(factor: nil, code: long())) },
    ]
    for request in requests {
      #expect(throws: PacketError.malformed) { _ = try request().encoded() }
    }
  }

  @Test(
    "an invalid import cannot be encoded",
    arguments: [
      (9, ""), (65, ""), (20, "1234567"), (20, "1234567a"),
      (20, String(repeating: "12345678", count: 11)),
    ] as [(Int, String)])
  func imports(keyLength: Int, codes: String) throws {
    let name = try Samples.name("a")
    #expect(throws: PacketError.malformed) {
      _ = try HelperRequest.importFactor(
        ImportRequest(
          displayName: name, parameters: .standard, key: Samples.secret(count: keyLength),
          timeOffset: 0, watermark: 0, recoveryCodes: Samples.secret(codes))
      ).encoded()
    }
  }
}
