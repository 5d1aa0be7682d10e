import MFABase

/// The system log of the relay and the verifier.
package enum FleetLog {
  /// Begins a line about a failure in a part of the product.
  package static func failure(_ part: StaticString, _ reason: StaticString) -> LogLine {
    var line = LogLine()
    line.add("result", "error")
    line.add("part", part)
    line.add("reason", reason)
    return line
  }

  /// Writes a line about a failure.
  package static func write(_ line: LogLine) { Log.write(.error, line) }

  /// Writes a line about an event that needs no attention.
  package static func note(_ line: LogLine) { Log.write(.information, line) }
}
