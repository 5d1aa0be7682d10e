/// Where and when something happened.
package enum NoticeOrigin: Equatable, Sendable {
  case unknown
  case known(Known)

  /// What is known: the address or terminal, and the time, such as `2027-01-31 09:05 CET`.
  package enum Known: Equatable, Sendable {
    case source([UInt8])
    case time([UInt8])
    case sourceAndTime([UInt8], [UInt8])
  }

  /// Creates an origin. An empty part is unknown.
  package init(source: [UInt8], time: [UInt8]) {
    self =
      switch (source.isEmpty, time.isEmpty) {
      case (true, true): .unknown
      case (false, true): .known(.source(source))
      case (true, false): .known(.time(time))
      case (false, false): .known(.sourceAndTime(source, time))
      }
  }
}
