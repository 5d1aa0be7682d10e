import MFABase

/// The configuration fingerprint, and the most recently modified configuration file.
package struct ConfigurationFingerprint: Equatable, Sendable {
  /// A hash of every byte of the files and of their names (FNV-1a, 64 bits); 0 if there was no
  /// file. The hash is not collision-resistant. Only an administrator could construct a collision,
  /// and an administrator who can write the files can also write the audit log.
  package private(set) var value: UInt64 = 0
  /// The name of the most recently modified file.
  package private(set) var newestFile: [UInt8] = []
  /// The modification time of that file, in seconds since the epoch; 0 if unknown.
  package private(set) var newestChange: Int64 = 0

  /// Adds a file after the previous ones.
  mutating func add(_ text: Span<UInt8>, from name: [UInt8], writtenAt time: Int64) {
    if value == 0 { value = 0xCBF2_9CE4_8422_2325 }
    // A NUL separates names and texts, because neither contains one.
    add(name.span)
    add(0)
    add(text)
    add(0)
    if newestFile.isEmpty || time >= newestChange {
      newestFile = name
      newestChange = time
    }
  }

  private mutating func add(_ bytes: Span<UInt8>) {
    for index in bytes.indices { add(bytes[index]) }
  }

  private mutating func add(_ byte: UInt8) {
    value = (value ^ UInt64(byte)) &* 0x100_0000_01B3
  }
}
