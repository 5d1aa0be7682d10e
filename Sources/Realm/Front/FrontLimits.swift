/// The limits of the network front.
struct FrontLimits: Sendable {
  /// The number of conversations at the same time.
  var conversations = 48
  /// How long a conversation waits for a place.
  var waiting: Duration = .seconds(2)
  /// How long a host may take to send its first message.
  var opening: Duration = .seconds(5)
  /// How long nothing may happen in a conversation. The decision service waits 900 seconds for an answer.
  var idle: Duration = .seconds(930)
  /// How long a conversation may take. The decision service waits 3,600 seconds for a request of a helper.
  var longest: Duration = .seconds(3700)
  /// The connections of hosts with a certificate. A relay has one connection, and more for a while after it has
  /// renewed its certificate. With 64 handshakes at the same time, the packets of other hosts wait for about 60 ms
  /// at most, and each handshake ends in time on a slow machine too. If hosts answer after 0.1 s, 600 handshakes
  /// can take place in a second.
  var hosts = FrontConnections.Limits(most: 10_000, mostHandshaking: 64, mostPerHost: 16)
  /// The connections of hosts with a ticket.
  var join = FrontConnections.Limits(most: 256, mostHandshaking: 16, mostPerHost: 16)
  /// How long a connection of a host with a ticket may stay open.
  var joining: Duration = .seconds(60)
}
