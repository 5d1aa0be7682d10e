import MFACTestSupport

/// The user's side of a pseudo-terminal.
struct PseudoTerminal: ~Copyable {
  let master: Descriptor

  /// The path that a program opens.
  let path: String

  init(rows: Int32, columns: Int32) throws(HarnessFailure) {
    var path = [CChar](repeating: 0, count: 64)
    // SAFETY: the call writes at most `count` bytes to the array, the last of them a NUL.
    let number = unsafe ctest_terminal(rows, columns, &path, path.count)
    master = try Descriptor(takingOver: number, from: "posix_openpt")
    self.path = String(
      decoding: path.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
