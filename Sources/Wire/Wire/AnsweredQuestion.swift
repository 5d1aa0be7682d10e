import MFABase

/// A question that the user has answered, sent with a new conversation.
package final class AnsweredQuestion {
  /// The text of the question.
  package let prompt: [UInt8]
  /// Whether the answer was shown while it was typed.
  package let echo: Bool
  private var reply: Reply?

  /// Creates a value.
  package init(_ prompt: [UInt8], echo: Bool, reply: consuming Reply) {
    self.prompt = prompt
    self.echo = echo
    self.reply = consume reply
  }

  /// Takes the answer out, so that it is used once.
  package func takeReply() -> Reply { reply.take() ?? .none }

  /// Returns a packet with the answer alone, as the message `reply`, or nil if it cannot be sent.
  package func packet() -> SecretBytes? {
    var writer = PacketWriter()
    writer.begin(ModuleMessage.Kind.reply)
    writeReply(to: &writer)
    writer.end()
    return writer.finish()
  }

  /// Appends the question and the answer to a message.
  func write(to writer: inout PacketWriter) {
    writer.field(echo)
    writer.field(prompt)
    writeReply(to: &writer)
  }

  private func writeReply(to writer: inout PacketWriter) {
    switch reply {
    case nil: Reply.none.write(to: &writer)
    case let reply?: reply.write(to: &writer)
    }
  }
}
