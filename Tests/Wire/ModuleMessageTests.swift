@testable import MFAWire
import MFABase
import MFAResidentTestSupport
import Testing

/// MUST 1 of ModuleMessage.swift: an encoded message parses to an equal value, and no other bytes
/// parse.
@Suite("Messages to the resident service")
struct ModuleMessageTests {
  /// Returns the packet of a message, or nil if it is too long.
  private static func packet(_ message: consuming ModuleMessage) -> [UInt8]? {
    guard let packet = message.packet() else { return nil }
    return packet.span.copied()
  }

  /// Returns the packet of a message that is not too long. The macros of the tests can only pass a
  /// closure, because a message cannot be copied.
  private static func packet(_ message: () -> ModuleMessage) throws -> [UInt8] {
    let packet: [UInt8]? = packet(message())
    return try #require(packet)
  }

  /// Returns whether a message is too long to be sent.
  private static func isTooLong(_ message: () -> ModuleMessage) -> Bool {
    packet(message()) == nil
  }

  /// Returns the text of the message in a packet, or the error.
  private static func read(_ packet: [UInt8]) -> Result<String, PacketError> {
    do throws(PacketError) {
      return .success(MessageSamples.text(try ModuleMessage.read(packet.span)))
    } catch {
      return .failure(error)
    }
  }

  /// Returns the packet of the message in a packet, or nil if the packet does not parse.
  private static func packetRead(from packet: [UInt8]) -> [UInt8]? {
    do throws(PacketError) {
      return Self.packet(try ModuleMessage.read(packet.span))
    } catch {
      return nil
    }
  }

  /// The bytes of a message of this kind.
  private static func message(_ kind: UInt8, _ body: [UInt8]) -> [UInt8] {
    [kind, UInt8(truncatingIfNeeded: body.count >> 8), UInt8(truncatingIfNeeded: body.count)] + body
  }

  @Test("every message parses to an equal value")
  func everyMessageParses() throws {
    for message in MessageSamples.moduleMessages {
      let packet = try Self.packet(message)
      #expect(Self.read(packet) == .success(MessageSamples.text(message())))
    }
  }

  @Test("a packet that is cut off anywhere is malformed")
  func everyTruncationIsMalformed() throws {
    for message in MessageSamples.moduleMessages {
      let packet = try Self.packet(message)
      for count in packet.indices {
        #expect(Self.read(Array(packet[..<count])) == .failure(.malformed))
        guard count >= 3 else { continue }
        // The fields are cut off, and the length of the message is that of the rest.
        let shorter = Self.message(packet[0], Array(packet[3..<count]))
        #expect(
          Self.read(shorter) == .failure(.malformed), "\(MessageSamples.text(message())) \(count)")
      }
    }
  }

  @Test("nothing may follow the last field, or the message")
  func trailingBytesAreMalformed() throws {
    for message in MessageSamples.moduleMessages {
      let packet = try Self.packet(message)
      #expect(Self.read(packet + [0]) == .failure(.malformed))
      #expect(Self.read(packet + packet) == .failure(.malformed))
      let longer = Self.message(packet[0], Array(packet[3...]) + [0])
      #expect(Self.read(longer) == .failure(.malformed), "\(MessageSamples.text(message()))")
    }
  }

  @Test("a packet with any other byte parses to what encodes to the same bytes, or not at all")
  func encodingIsCanonical() throws {
    for message in MessageSamples.moduleMessages {
      let packet = try Self.packet(message)
      for index in packet.indices {
        for byte in UInt8.min...UInt8.max {
          var changed = packet
          changed[index] = byte
          guard var read = Self.packetRead(from: changed) else { continue }
          // A range of versions may contain others.
          if changed[0] == 0x01 || changed[0] == 0x11 { read[3...4] = changed[3...4] }
          #expect(read == changed)
        }
      }
    }
  }

  @Test("a message of an unknown kind, or of the service, is refused")
  func unknownKindsAreRefused() {
    let kinds: Set<UInt8> = [0x01, 0x02, 0x03, 0x11, 0x12, 0x13, 0x14]
    for kind in UInt8.min...UInt8.max where !kinds.contains(kind) {
      #expect(Self.read(Self.message(kind, [])) == .failure(.unknownKind(kind)))
    }
  }

  @Test("fewer tries failed than were made")
  func failedTries() throws {
    for number in 1...5 as ClosedRange<UInt8> {
      for failed in 0...6 as ClosedRange<UInt8> {
        let packet = try Self.packet {
          MessageSamples.start(tryNumber: number, failedTries: failed)
        }
        #expect((Self.packetRead(from: packet) != nil) == (failed < number), "\(number) \(failed)")
      }
    }
  }

  @Test("a range of versions is accepted if it contains a supported version")
  func versionsMustContainASupportedOne() throws {
    let older = try Self.packet { MessageSamples.start(tryNumber: nil) }
    let current = try Self.packet { MessageSamples.start(tryNumber: 2) }
    let manage = try Self.packet { .manage(terminal: nil) }
    for (packet, versions) in [(older, 1...1), (current, 2...255), (manage, 1...255)] {
      var packet = packet
      for lowest in UInt8.min...3 {
        for highest in [0, 1, 2, 255] as [UInt8] {
          packet[3] = lowest
          packet[4] = highest
          let isAccepted = lowest <= 2 && lowest <= highest && versions.contains(Int(highest))
          #expect((Self.packetRead(from: packet) != nil) == isAccepted, "\(lowest)-\(highest)")
        }
      }
    }
  }

  @Test("a message of at most 65,000 bytes is sent, and a longer one is not")
  func longMessagesAreNotSent() throws {
    let longest = 65_000 - 2
    let packet = try Self.packet { .clientRequest(SecretBytes(count: longest)) }
    #expect(packet.count == 65_003)
    #expect(Self.packetRead(from: packet) == packet)
    for count in [65_000 - 1, 65_000, 65_001, 65_536, 100_000] {
      #expect(Self.isTooLong { .clientRequest(SecretBytes(count: count)) }, "\(count)")
      #expect(Self.isTooLong { .fact([UInt8](repeating: 0, count: count)) }, "\(count)")
    }
    let argument = [UInt8](repeating: 0x61, count: SignInRequest.longestItem)
    let arguments = [[UInt8]](repeating: argument, count: 64)
    let request = SignInRequest(user: [], service: [], arguments: arguments)
    #expect(Self.isTooLong { MessageSamples.start(.auth, request) })
  }

  @Test("a field of the longest length is read, and a longer one is malformed")
  func longFieldsAreMalformed() throws {
    for extra in 0...1 {
      let item = [UInt8](repeating: 0x61, count: SignInRequest.longestItem + extra)
      let requests = [
        SignInRequest(user: item, service: []), SignInRequest(user: [], service: item),
        SignInRequest(user: [], service: [], remoteHost: item),
        SignInRequest(user: [], service: [], terminal: item),
        SignInRequest(user: [], service: [], arguments: [item]),
      ]
      var packets = requests.map { Self.packet(MessageSamples.start(.auth, $0)) }
      packets.append(Self.packet(MessageSamples.start(note: [0x61] + item)))
      packets.append(Self.packet(.manage(terminal: item)))
      let answer = [UInt8](repeating: 0x31, count: ModuleMessage.longestAnswer + extra)
      packets.append(Self.packet(.reply(.text(SecretBytes(copying: answer.span)))))
      for packet in packets {
        let packet = try #require(packet)
        #expect((Self.packetRead(from: packet) == packet) == (extra == 0))
      }
    }
  }

  @Test("at most 64 arguments are sent and read")
  func argumentsAreLimited() throws {
    let request = SignInRequest(user: [], service: [], arguments: .init(repeating: [], count: 65))
    var packet = try Self.packet { MessageSamples.start(.auth, request) }
    guard case .start(let start) = try ModuleMessage.read(packet.span) else {
      Issue.record("this is not a start")
      return
    }
    #expect(start.request.arguments.count == 64)
    // The number of arguments precedes 64 empty arguments and the numbers of answers, of the try and
    // of failed tries.
    let position = packet.count - 3 - 2 * 64 - 1
    #expect(packet[position] == 64)
    packet[position] = 65
    packet = Self.message(packet[0], Array(packet[3...]) + [0, 0])
    #expect(Self.read(packet) == .failure(.malformed))
  }
}
