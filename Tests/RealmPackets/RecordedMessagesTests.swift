import Foundation
import MFARealm
import MFAWire
import Testing

/// Messages that were written by a program of each version. Every later program must read them, because hosts, network
/// fronts and decision services are not upgraded at the same moment.
@Suite("Recorded messages")
struct RecordedMessagesTests {
  private struct Vector {
    let name: String
    let bytes: [UInt8]
  }

  private func vectors() throws -> [Vector] {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Vectors/Fleet/version-1.txt")
    return try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
      .filter { !$0.hasPrefix("#") }.map { line in
        let words = line.split(separator: " ")
        let digits = Array(try #require(words.last))
        return Vector(
          name: String(try #require(words.first)),
          bytes: try stride(from: 0, to: digits.count, by: 2).map {
            try #require(UInt8(String(digits[$0...($0 + 1)]), radix: 16))
          })
      }
  }

  /// Returns what is read from a message, in words, or nil if it is refused.
  private func content(of vector: Vector) -> String? {
    do throws(PacketError) {
      switch vector.name {
      case "facts":
        let facts = try HostFacts(vector.bytes.span)
        let samples = [
          "full": FactSamples.full, "empty": FactSamples.empty,
          "identified": FactSamples.identified, "local": FactSamples.local,
        ]
        return samples.first { $0.value == facts }?.key
      case "reply": return "\(try VerifierReply(vector.bytes.span))"
      default: return request(try VerifierRequest(vector.bytes.span))
      }
    } catch {
      return nil
    }
  }

  private func request(_ request: VerifierRequest) -> String {
    switch request {
    case .decide(let conversation):
      "converse \(String(decoding: conversation.host, as: UTF8.self)) \(conversation.serial)"
        + " \(conversation.nonce.count) \(conversation.facts.count)"
    case .join(let ticket, let serial): "join \(ticket.withSpan { $0.copied() }) \(serial)"
    case .renew(let host, let present, let next):
      "renew \(String(decoding: host, as: UTF8.self)) \(present) \(next)"
    case _: "ping"
    }
  }

  @Test("messages of version 1 are read as they were meant")
  func version1() throws {
    let contents = try vectors().map { content(of: $0) }
    #expect(
      contents == [
        "full", "identified", "local", "empty",
        "converse web1.example.org [1, 2, 3] 16 \(FactSamples.full.encoded().count)",
        "join [65, 66, 67, 68] [1, 2, 3]", "renew web1.example.org [1, 2, 3] [9]", "ping",
        "\(VerifierReply.joined(host: Array("web1".utf8), days: 30))",
        "\(VerifierReply.renewed(days: 30))", "\(VerifierReply.refused)", "\(VerifierReply.alive)",
      ])
  }
}
