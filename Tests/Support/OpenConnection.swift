import MFACTestSupport
import Glibc

/// Connections of this process to itself, by numeric addresses. They stay open until the process
/// ends.
package enum OpenConnection {
  /// Listens at `server`, connects to `target` (the same address by default) from `client`, and
  /// accepts the connection.
  ///
  /// - Returns: the accepted end's descriptor, which is at least `lowest`, or a negated error
  ///   number. The other end's descriptor is at least 512.
  package static func accept(
    at server: String, as target: String? = nil, from client: String, lowest: Int32 = 3
  ) -> Int32 {
    // SAFETY: the strings end with a NUL and outlive the call.
    unsafe ctest_accepted(server, target ?? server, client, lowest)
  }

  /// Runs `body` while the first 64 descriptors are free except the three standard ones.
  ///
  /// Inherited descriptors are moved elsewhere meanwhile, including the one that reports test
  /// issues. Descriptors that `body` opens in this range are closed at the end.
  package static func alone<Result>(_ body: () -> Result) -> Result {
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

  /// Creates a datagram socket that is connected to `target`.
  ///
  /// - Returns: its descriptor, or a negated error number.
  package static func datagrams(to target: String) -> Int32 {
    // SAFETY: as above.
    unsafe ctest_datagrams(target)
  }
}
