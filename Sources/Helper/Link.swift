public import HelperProtocol

/// What the helper says and hears: the client, or whoever stands in for it in a test.
public protocol Link {
  /// The next request; `.ended` when none has come after `seconds`.
  func receive(seconds: Int64) -> Reception

  /// Sends a response, and tells whether it went out.
  func send(_ response: consuming HelperResponse) -> Bool
}

/// What came from the client.
public enum Reception: ~Copyable {
  /// A request.
  case request(HelperRequest)
  /// A request whose display name is none; it can be answered.
  case unsupportedDisplayName
  /// Something that is no request, or of another version.
  case malformed
  /// Nothing more: the client is gone, or was silent for too long.
  case ended
}
