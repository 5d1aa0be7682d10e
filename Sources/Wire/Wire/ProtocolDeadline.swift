/// How long the two ends of a connection wait, in seconds. The table in SERVICE.md has the same
/// numbers. (`ProtocolDocumentTests`)
package enum ProtocolDeadline {
  /// The helper, for the first message of the service.
  package static var first: Int64 { 5 }
  /// The module, for a reply; the helper, for a later message and for the first frame of its client.
  /// Before the decider replies to the request for a code, it waits for two locks, at most 10 seconds for
  /// each, and for the gateway, at most 25 seconds.
  package static var later: Int64 { 60 }
  /// The service, for a request or `manage`.
  package static var start: Int64 { 2 }
  /// How much longer than the helper's client the helper may take.
  package static var fact: Int64 { 10 }
  /// The service, for `proven`: the user may have to find a phone.
  package static var proof: Int64 { 1200 }
  /// The longest time for which the service has the helper wait for its client.
  package static var client: Int64 { 3600 }
}
