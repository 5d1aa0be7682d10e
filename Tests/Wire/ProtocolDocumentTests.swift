import Foundation
import MFABase
import MFAResidentTestSupport
import MFAWire
import Testing

/// Compares SERVICE.md with the program.
@Suite("The document of the protocol of a host")
struct ProtocolDocumentTests {
  private static let document = ProtocolDocument("Wire/Wire/SERVICE.md")

  /// Returns the rows of the table that begins with these columns.
  private static func rows(_ columns: String...) throws -> [[String]] {
    try document.rows(columns)
  }

  /// Returns the numbers in a text that are more than 64, such as 1,024.
  private static func largeNumbers(_ text: String) -> [Int] {
    text.replacing(",", with: "").split { !$0.isNumber }.compactMap { Int($0) }.filter { $0 > 64 }
  }

  @Test("the table of deadlines has the deadlines of the program")
  func deadlines() throws {
    typealias Deadline = ProtocolDeadline
    #expect(
      try Self.rows("who waits", "for what", "seconds") == [
        ["module, helper", "a reply", "\(Deadline.later)"],
        [
          "helper", "the first frame of its client, or the request of the module",
          "\(Deadline.later)",
        ],
        ["helper", "an answer of its client's user", "\(Deadline.answer)"],
        ["service", "a request", "\(Deadline.start)"],
      ])
  }

  @Test("the table of what the helper does next has every case")
  func next() throws {
    let cases = (UInt8.min...UInt8.max).compactMap { ManagementReply.Next(rawValue: $0) }
    #expect(
      try Self.rows("next", "name", "what the helper does").map { Array($0.prefix(2)) }
        == cases.map { ["\($0.rawValue)", "`\($0)`"] })
  }

  @Test("what a decider can read and write survives its packet")
  func probe() throws {
    var reply = ProbeReply()
    (reply.user, reply.configuration) = (998, .max)
    reply.storeProblem = Array("part=key errno=EACCES".utf8)
    (reply.folder, reply.key) = ([1, 2], [3])
    guard let packet = reply.packet() else { throw PacketError.malformed }
    #expect(try ProbeReply(packet: packet) == reply)
    var call = ProbeCall()
    guard let request = call.packet() else { throw PacketError.malformed }
    let begins = request.withSpan { ProbeCall.begins($0) && $0.count == 2 }
    #expect(begins)
  }

  @Test("the table of effects has every kind of effect")
  func effects() throws {
    let kinds = (UInt8.min...UInt8.max).compactMap { SignInEffect.Kind(rawValue: $0) }
    #expect(
      try Self.rows("kind", "effect", "what the module does").map { Array($0.prefix(2)) }
        == kinds.map { ["\($0.rawValue)", "`\($0)`"] })
    for kind in kinds {
      #expect(MessageSamples.effects.contains { $0.kind == kind }, "\(kind)")
    }
  }

  @Test("the table of ends has every end")
  func ends() throws {
    let rows = try Self.rows("end", "name", "fields", "what the module does")
    var found: [String: String] = [:]
    for end in MessageSamples.ends {
      let reply = SignInReply([], end)
      guard let packet = reply.packet() else {
        Issue.record("the reply is too long")
        continue
      }
      found["\(packet.span[3])"] = "`\(Self.name(end))`"
    }
    #expect(Dictionary(uniqueKeysWithValues: rows.map { ($0[0], $0[1]) }) == found)
    #expect(rows.count == found.count)
  }

  private static func name(_ end: SignInReply.End) -> String {
    switch end {
    case .verdict: "verdict"
    case .question: "question"
    case .facts: "facts"
    case .busy: "busy"
    }
  }

  @Test("the limits and kinds in the document are those of the program")
  func limits() throws {
    let (item, longest) = (SignInRequest.longestItem, SignInCall.longestContinuation)
    #expect(
      try Self.rows("field", "type", "limit", "meaning").map { Self.largeNumbers($0[2]) } == [
        [], [item], [item], [item], [item], [item], [], [], [], [item + 1],
        [SignInCall.longestMethods], [Reply.longest], [], [longest], [Reply.longest],
      ])
    #expect(
      try Self.rows("field of an effect", "type", "limit").map { Self.largeNumbers($0[2]) }
        == [[], [], [], [], [longest]])
    #expect(
      try Self.rows("field of the helper", "type", "limit", "meaning").map {
        Self.largeNumbers($0[2])
      } == [[255], [255], [], [longest], [Frame.longestBody], []])
    #expect(
      try Self.rows("field of the reply", "type", "limit", "meaning").map {
        Self.largeNumbers($0[2])
      } == [[], [longest], [], []])
    #expect(Self.document.text.contains("for at most \(SessionLimit.seconds) seconds"))
    #expect(SignInRequest.maximumArguments == 64 && SignInReply.mostEffects == 64)
    #expect(Self.document.text.contains("at most 65,536 bytes") && Coder.longest == 65_536)
    #expect(Coder.version == 1)
    #expect(
      Self.document.text.contains("### Request of the module: kind 0x41\n")
        && SignInCall.kind == 0x41)
    #expect(
      Self.document.text.contains("### Reply to the module: kind 0x81\n")
        && SignInReply.kind == 0x81)
    #expect(Self.document.text.contains("### Request of the helper: kind 0x42\n"))
    #expect(Self.document.text.contains("### Reply to the helper: kind 0x82\n"))
    #expect(ManagementCall.kind == 0x42 && ManagementReply.kind == 0x82)
  }

  @Test("HELPER.md has every request and every response of the helper")
  func helper() throws {
    let document = ProtocolDocument("Wire/Wire/HELPER.md")
    func kinds(_ columns: String...) throws -> Set<UInt8> {
      Set(try document.rows(columns).map { try #require(UInt8($0[0], radix: 16)) })
    }
    let requests = try Samples.requests.map {
      Samples.bytes(try $0().encoded())[Frame.headerLength]
    }
    #expect(try kinds("kind", "name", "fields", "answered by") == Set(requests))
    let responses = try Samples.responses.map {
      Samples.bytes(try $0().encoded())[Frame.headerLength]
    }
    #expect(try kinds("kind", "name", "fields") == Set(responses))
  }
}
