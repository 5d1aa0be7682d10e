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
}
