import Glibc

/// Returns the operating system's text for an error number.
func errorText(_ number: Int32) -> String {
  // SAFETY: strerror returns a string owned by the C library, which is copied at once.
  unsafe String(cString: strerror(number))
}
