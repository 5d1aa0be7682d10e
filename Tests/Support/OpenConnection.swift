import CTestSupport
import Glibc

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

  /// Does something while the first 64 descriptors are free but for the three standard ones: what this
  /// process has inherited is elsewhere meanwhile, and so is the one by which it reports issues. What is
  /// opened there is closed at the end.
  public static func alone<Result>(_ body: () -> Result) -> Result {
    let low: ClosedRange<Int32> = 3...63
    let inherited = low.compactMap { descriptor -> (place: Int32, copy: Int32)? in
      let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 600)
      return copy < 0 ? nil : (descriptor, copy)
    }
    for descriptor in low { close(descriptor) }
    let result = body()
    for descriptor in low { close(descriptor) }
    for (place, copy) in inherited {
      dup2(copy, place)
      close(copy)
    }
    return result
  }

  /// Makes a socket for datagrams to `target`.
  ///
  /// - Returns: its descriptor, or a negated error number.
  public static func datagrams(to target: String) -> Int32 {
    // SAFETY: as above.
    unsafe ctest_datagrams(target)
  }
}
