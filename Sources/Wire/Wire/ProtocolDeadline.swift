/// How long the two ends of a conversation wait, in seconds. The table in PROTOCOL.md has the same
/// numbers. (`ProtocolDocumentTests`)
package enum ProtocolDeadline {
  /// The module or the helper, for the first message of the service.
  package static var first: Int64 { 5 }
  /// The module or the helper, for a later message. Before the service answers the request for a
  /// code, it waits for two locks, at most 10 seconds for each, and for the gateway, at most 25
  /// seconds.
  package static var later: Int64 { 60 }
  /// The service, for `start` or `manage`.
  package static var start: Int64 { 2 }
  /// The service, for the answer to a question after which the sign-in cannot begin again.
  package static var answer: Int64 { 900 }
  /// The service, for the answer to another question.
  package static var hold: Int64 { 30 }
  /// The service, for what concerns only the other end's process, and how much longer than the
  /// helper's client the helper may take.
  package static var fact: Int64 { 10 }
  /// The service, for `proven`: the user may have to find a phone.
  package static var proof: Int64 { 1200 }
  /// The longest time for which the service has the helper wait for its client.
  package static var client: Int64 { 3600 }
}
