/// How wrong codes slow the next ones down, and when they end it (NIST SP 800-63B-4, section 3.2.2).
public struct ThrottlePolicy: Equatable, Sendable {
  public var waitsAfter: UInt32
  public var firstWait: Int64
  public var longestWait: Int64
  public var disablesAfter: UInt32
  public init(waitsAfter: UInt32 = 5, firstWait: Int64 = 30, longestWait: Int64 = 900, disablesAfter: UInt32 = 100) {
    self.waitsAfter = waitsAfter
    self.firstWait = firstWait
    self.longestWait = longestWait
    self.disablesAfter = disablesAfter
  }
  public func wait(afterFailures failures: UInt32) -> Int64 {
    guard failures >= waitsAfter else { return 0 }
    var wait = firstWait
    for _ in 0..<min(failures - waitsAfter, 20) where wait < longestWait { wait *= 2 }
    return min(wait, longestWait)
  }
}
