import CTestSupport

/// Connections of this process to itself, by numeric addresses. They stay until it ends.
public enum OpenConnection {
  /// Listens at `server`, connects to it as `target` from `client`, and accepts that.
  ///
  /// - Returns: the accepted end's descriptor, which is `lowest` at least, or a negated error number.
  ///   The other end's is 512 at least.
  public static func accept(
    at server: String, as target: String? = nil, from client: String, lowest: Int32 = 3
  ) -> Int32 {
    // SAFETY: the strings end with a NUL and outlive the call.
    unsafe ctest_accepted(server, target ?? server, client, lowest)
  }

  /// Makes a socket for datagrams to `target`.
  ///
  /// - Returns: its descriptor, or a negated error number.
  public static func datagrams(to target: String) -> Int32 {
    // SAFETY: as above.
    unsafe ctest_datagrams(target)
  }
}
