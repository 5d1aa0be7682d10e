/// How far something has come that takes a while: a line that is written over again and again, from
/// the second second on.
struct Progress {
  /// Seconds that pass evenly, from whenever.
  private let seconds: () -> Int64?
  /// Shows a text without a line feed; nil where nobody would see it.
  private let show: ((String) -> Void)?
  private let start: Int64?
  private var last: Int64?

  /// How many steps pass without a look at the clock.
  private static let stride = 512

  /// Begins now.
  init(seconds: @escaping () -> Int64?, show: ((String) -> Void)?) {
    self.seconds = seconds
    self.show = show
    start = show == nil ? nil : seconds()
    last = start
  }

  /// One that shows nothing.
  static var silent: Progress { Progress(seconds: { nil }, show: nil) }

  /// Takes note that `count` of `total` are done.
  mutating func step(_ count: Int, of total: Int) {
    guard count.isMultiple(of: Self.stride), let show, let last, let now = seconds(), now > last
    else { return }
    self.last = now
    // Up to the end of the line whatever was there is taken away.
    show("\r\(count) of \(total)\u{1B}[K")
  }

  /// Takes the line away.
  func finish() {
    guard let show, last != start else { return }
    show("\r\u{1B}[K")
  }
}
