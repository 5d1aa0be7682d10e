/// The metadata of a conversation.
package enum ConversationMetadata {
  /// The name of the trailing metadata that tells how many packets of the host the decision service has
  /// read. The start counts as one.
  package static let readPackets = "mfa-packets-read"
}
