import CTestSupport

/// A moment after which a test stops waiting.
///
/// Deadlines are generous. They end a test that hangs; they never state how fast something is.
public struct Deadline: Sendable {
  private let end: Int64

  /// A moment `seconds` from now.
  public static func after(seconds: Int) -> Deadline {
    Deadline(end: ctest_milliseconds() + Int64(seconds) * 1000)
  }

  /// 20 seconds from now.
  public static var usual: Deadline { after(seconds: 20) }

  /// The milliseconds that are left, at least 0.
  var millisecondsLeft: Int32 {
    Int32(clamping: max(end - ctest_milliseconds(), 0))
  }

  /// Whether the moment has come.
  public var isOver: Bool { millisecondsLeft == 0 }
}
