/// A parameter of a connection of libpq.
struct ConnectionParameter: Equatable, Sendable {
  let keyword: String
  let value: String

  init(_ keyword: String, _ value: String) {
    self.keyword = keyword
    self.value = value
  }

  /// Returns the parameters of each single host. libpq would try the hosts one after another, and a
  /// host that does not answer would use up the whole time.
  static func ofEachHost(_ parameters: [ConnectionParameter]) -> [[ConnectionParameter]] {
    let lists = ["host", "hostaddr", "port"].map { keyword in
      (keyword, values: list(parameters.first { $0.keyword == keyword }?.value ?? ""))
    }
    let count = max(lists[0].values.count, lists[1].values.count)
    guard count > 1 else { return [parameters] }
    let rest = parameters.filter { parameter in !lists.contains { $0.0 == parameter.keyword } }
    return (0..<count).map { index in
      rest
        + lists.compactMap { keyword, values in
          guard let value = values.count == 1 ? values[0] : values.dropFirst(index).first else {
            return nil
          }
          return value.isEmpty ? nil : ConnectionParameter(keyword, value)
        }
    }
  }

  private static func list(_ text: String) -> [String] {
    text.isEmpty
      ? [] : text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
  }
}

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
