import MFACTestSupport

/// A pipe whose ends are closed when they are no longer used.
struct Pipe: ~Copyable {
  var reading: Descriptor
  var writing: Descriptor

  init() throws(HarnessFailure) {
    var ends: (Int32, Int32) = (-1, -1)
    // SAFETY: the call writes one number to each pointer.
    let result = unsafe ctest_pipe(&ends.0, &ends.1)
    guard result == 0 else { throw HarnessFailure("pipe failed: \(errorText(-result))") }
    reading = Descriptor(takingOver: ends.0)
    writing = Descriptor(takingOver: ends.1)
  }

  /// Returns the reading end and closes the other one.
  consuming func takeReading() -> Descriptor { reading }

  /// Returns the writing end and closes the other one.
  consuming func takeWriting() -> Descriptor { writing }
}
