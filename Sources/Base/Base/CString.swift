import MFACPOSIX

/// Returns a copy of a byte string that ends with a NUL, for a call of the C library.
@inline(never)
func cString(_ bytes: [UInt8]) -> [CChar] {
  var text: [CChar] = []
  text.reserveCapacity(bytes.count &+ 1)
  for byte in bytes { text.append(CChar(bitPattern: byte)) }
  text.append(0)
  return text
}

/// Returns a copy of a C string, without its NUL.
@inline(never)
func bytes(_ string: UnsafePointer<CChar>) -> [UInt8] {
  // SAFETY: the caller passes a NUL-terminated string.
  unsafe Array(UnsafeRawBufferPointer(start: string, count: strlen(string)))
}
