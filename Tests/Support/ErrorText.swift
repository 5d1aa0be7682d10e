import Glibc

/// The operating system's words for an error number.
func errorText(_ number: Int32) -> String {
  // SAFETY: strerror returns a string of the C library's own, which is copied at once.
  unsafe String(cString: strerror(number))
}
