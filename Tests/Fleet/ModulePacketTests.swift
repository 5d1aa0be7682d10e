import Testing

@testable import MFARelay

/// MUST 1 of ModulePacket.swift: a packet is forwarded once.
@Suite("The forwarded packet of the module")
struct ModulePacketTests {
  @Test("a packet is outstanding until it was taken out of the connection")
  func consumed() {
    let packet = ModulePacket()
    packet.forwarded()
    var wasOutstanding = false
    packet.consume { wasOutstanding = packet.isOutstanding }
    #expect(wasOutstanding)
    #expect(!packet.isOutstanding)
  }

  @Test("nothing is taken if no packet was forwarded")
  func none() {
    let packet = ModulePacket()
    var taken = 0
    packet.consume { taken += 1 }
    packet.forwarded()
    packet.consume { taken += 1 }
    packet.consume { taken += 1 }
    #expect(taken == 1)
  }
}
