import MFABytes
public import MFAStoreFiles

/// The failure of an administrator's task in an etcd cluster.
public struct EtcdFailure: Error, Equatable, Sendable {
  /// The kind of failure.
  public let error: EngineError
  /// The message of etcd or of libcurl, with printable characters only. It is empty if the error has no
  /// message.
  public let message: String

  /// Creates a failure. Control characters and deceptive ones in the message are replaced.
  init(_ error: EngineError, _ message: String) {
    self.error = error
    self.message = Self.printable(message)
  }

  /// Returns the first 300 characters of a message, with "?" in place of all that are not printable.
  static func printable(_ message: String) -> String {
    var text = ""
    for scalar in message.unicodeScalars.prefix(300) {
      text.unicodeScalars.append(scalar.isControl || scalar.isDeceptive ? "?" : scalar)
    }
    return text
  }
}
