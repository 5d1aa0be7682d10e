import MFAWire

/// The connection to the client. Tests provide their own implementation.
package protocol Link {
  /// Waits for the next request. Returns `.ended` if none has arrived after `seconds`.
  func receive(seconds: Int64) -> Reception

  /// Sends a response, and returns whether it was sent.
  func send(_ response: consuming HelperResponse) -> Bool
}

/// What was received from the client.
package enum Reception: ~Copyable {
  /// A request.
  case request(HelperRequest)
  /// A request with an invalid display name, which can be answered.
  case unsupportedDisplayName
  /// An invalid request, or one of a different protocol version.
  case malformed
  /// No further request: the client has ended, or was silent for too long.
  case ended
}
