#if Fleet
import Glibc
import NIOCore

/// The options with which the kernel finds out that the other end of a connection cannot be reached.
///
/// HTTP/2 can do this too, but then each connection costs both processes some processor time every few seconds.
package enum KernelKeepalive {
  /// The number of seconds without data before the kernel sends the first probe.
  private static var idle: Int { 20 }
  /// The number of seconds between two probes.
  private static var interval: Int { 5 }
  /// How long data may stay unconfirmed before the connection ends, in milliseconds.
  private static var patience: Int { 20_000 }

  /// Sets the options of a connection (tcp(7)). With these, one that is lost ends after 20 to 40 seconds.
  package static func begin(on channel: any Channel) -> EventLoopFuture<Void> {
    let options = [
      (NIOBSDSocket.OptionLevel.socket, NIOBSDSocket.Option.so_keepalive, 1),
      (.tcp, NIOBSDSocket.Option(rawValue: TCP_KEEPIDLE), idle),
      (.tcp, NIOBSDSocket.Option(rawValue: TCP_KEEPINTVL), interval),
      (.tcp, NIOBSDSocket.Option(rawValue: TCP_USER_TIMEOUT), patience),
    ]
    return EventLoopFuture.andAllSucceed(
      options.map { level, option, value in
        channel.setOption(
          ChannelOptions.Types.SocketOption(level: level, name: option), value: value)
      }, on: channel.eventLoop)
  }
}
#endif
