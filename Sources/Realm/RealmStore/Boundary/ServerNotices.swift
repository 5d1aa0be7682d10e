/// The notices and warnings that a server sent during one exchange.
final class ServerNotices {
  /// The messages, at most eight.
  private(set) var messages: [String] = []

  /// Adds a message.
  func add(_ message: String) {
    if messages.count < 8 { messages.append(message) }
  }

  /// Removes all messages.
  func forget() { messages = [] }
}
