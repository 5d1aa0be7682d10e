import MFACPOSIX

/// The arguments and the environment of this process.
package enum ProcessArguments {
  /// The longest list of arguments that is read, in bytes.
  private static var longest: Int { 4096 }

  /// The arguments, beginning with the program's name. Embedded Swift has no `CommandLine`.
  package static var own: [[UInt8]] {
    let path: StaticString = "/proc/self/cmdline"
    let line = File.contents(at: path.bytes, atMost: longest) ?? []
    return line.dropLast().split(separator: 0, omittingEmptySubsequences: false).map { Array($0) }
  }

  /// The ID of this process, in decimal digits.
  package static var ownNumber: [UInt8] { bytes(of: decimal(Int64(getpid()))) }

  /// Returns a variable of the environment, or nil if it is not set.
  package static func variable(_ name: StaticString) -> [UInt8]? {
    name.withUTF8Buffer { name -> [UInt8]? in
      guard let name = name.baseAddress else { return nil }
      // SAFETY: a literal is NUL-terminated.
      let value = unsafe getenv(UnsafeRawPointer(name).assumingMemoryBound(to: CChar.self))
      // SAFETY: the value is NUL-terminated, and is copied before the environment changes.
      return unsafe value.map { unsafe bytes($0) }
    }
  }
}

/// The standard error of this process.
package enum StandardError {
  /// Writes a text. A failure has no effect.
  package static func write(_ text: StaticString) {
    text.withUTF8Buffer { text in
      // SAFETY: the call reads the bytes of a literal.
      _ = unsafe MFACPOSIX.write(STDERR_FILENO, text.baseAddress, text.count)
    }
  }

  /// Writes a text, as above.
  package static func write(_ text: [UInt8]) {
    // SAFETY: the call reads the bytes of the array, which outlives it.
    _ = unsafe MFACPOSIX.write(STDERR_FILENO, text, text.count)
  }
}
