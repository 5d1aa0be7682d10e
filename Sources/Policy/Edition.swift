/// The text that a configuration was read from, to be told from another.
public struct Edition: Equatable, Sendable {
  /// A number that depends on every byte of the files and of their names (FNV-1a, 64 bits); 0 where
  /// there was no file. Any other text has another one unless it was made to have the same, which is
  /// left to those who may write the files, and so the ledger, too.
  public private(set) var fingerprint: UInt64 = 0
  /// The name of the file that was written last.
  public private(set) var newestFile: [UInt8] = []
  /// When that was, in seconds since the epoch; 0 where it is not known.
  public private(set) var newestChange: Int64 = 0

  /// Takes a file in, behind those before it.
  mutating func add(_ text: Span<UInt8>, from name: [UInt8], writtenAt time: Int64) {
    if fingerprint == 0 { fingerprint = 0xCBF2_9CE4_8422_2325 }
    // No name and no text has a NUL.
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
    fingerprint = (fingerprint ^ UInt64(byte)) &* 0x100_0000_01B3
  }
}
