import MFACTestSupport

/// A file descriptor that is closed when the value is destroyed.
package struct Descriptor: ~Copyable {
  /// The descriptor number.
  package let number: Int32

  /// Takes over an open descriptor; a negative number is the error of the call that should have
  /// opened it.
  init(takingOver number: Int32, from call: String) throws(HarnessFailure) {
    guard number >= 0 else { throw HarnessFailure("\(call) failed: \(errorText(-number))") }
    self.number = number
  }

  /// Takes over an open descriptor.
  init(takingOver number: Int32) { self.number = number }

  deinit { ctest_close(number) }

  /// Creates a file in memory that holds `bytes`, positioned at its beginning.
  package static func memory(_ bytes: [UInt8] = []) throws(HarnessFailure) -> Descriptor {
    // SAFETY: the array lives during the call, which copies `count` bytes from it.
    let number = unsafe ctest_memory(bytes, bytes.count)
    return try Descriptor(takingOver: number, from: "memfd_create")
  }

  /// Returns the whole content of a file, from its beginning.
  package func contents() throws(HarnessFailure) -> [UInt8] {
    var all: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 65_536)
    while true {
      // SAFETY: the call writes at most `count` bytes to the array.
      let count = unsafe ctest_read_at(number, &part, part.count, all.count)
      guard count >= 0 else { throw HarnessFailure("pread failed: \(errorText(Int32(-count)))") }
      if count == 0 { return all }
      all += part[..<count]
    }
  }

  /// Waits until something can be read and returns it; empty at the end.
  func readSome() throws(HarnessFailure) -> [UInt8] {
    var part = [UInt8](repeating: 0, count: 65_536)
    // SAFETY: the call writes at most `count` bytes to the array.
    let count = unsafe ctest_read(number, &part, part.count)
    guard count >= 0 else { throw HarnessFailure("read failed: \(errorText(Int32(-count)))") }
    return Array(part[..<count])
  }

  /// Writes all of `bytes`.
  func write(_ bytes: [UInt8]) throws(HarnessFailure) {
    // SAFETY: the array lives during the call, which reads `count` bytes from it.
    let result = unsafe ctest_write(number, bytes, bytes.count)
    guard result == 0 else { throw HarnessFailure("write failed: \(errorText(-result))") }
  }
}

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
