/// The limits of the network front.
struct FrontLimits: Sendable {
  /// The number of decisions at the same time.
  var conversations = 48
  /// How long a request waits for a place.
  var waiting: Duration = .seconds(2)
  /// How long the decision service may take to decide. It may wait for a gateway, which sends a code.
  var answering: Duration = .seconds(60)
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
