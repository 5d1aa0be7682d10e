/// How long the two ends of a connection wait, in seconds. The table in SERVICE.md has the same
/// numbers. (`ProtocolDocumentTests`)
package enum ProtocolDeadline {
  /// How long the module and the helper wait for a reply, and the helper for the first frame of its client.
  /// Before the decider replies to the request for a code, it waits for two locks, at most 10 seconds for
  /// each, and for the gateway, at most 25 seconds.
  package static var later: Int64 { 60 }
  /// How long the service waits for a request.
  package static var start: Int64 { 2 }
  /// How long the helper waits until the user answers, who may have to find a phone first.
  package static var answer: Int64 { 600 }
}

/// How long a session lasts, in which the user's factors can be changed.
package enum SessionLimit {
  /// The longest time from the proof that the user owns the account, in seconds.
  package static var seconds: Int64 { 600 }
}
