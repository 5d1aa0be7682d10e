extension LogLine {
  /// Appends the error number of a failed system call by its name: `errno=EACCES`.
  @inline(never)
  package mutating func add(_ error: SystemError) {
    add("errno", escaping: bytes(of: error.name))
  }
}
