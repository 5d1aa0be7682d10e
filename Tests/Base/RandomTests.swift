import MFACrypto
import MFABase
import Testing

@Suite struct RandomTests {
  @Test(arguments: [-1, 0, 1, 12, 32, 10_000])
  func lengthIsAsRequested(count: Int) throws {
    #expect(try randomBytes(count: count).count == max(count, 0))
    #expect(try SecretBytes.random(count: count).count == max(count, 0))
  }

  /// The same 32 bytes twice, or a byte that never changes, is practically impossible.
  @Test func everyByteIsDrawn() throws {
    #expect(try randomBytes(count: 32) != randomBytes(count: 32))
    let draws = try (0..<20).map { _ in try SecretBytes.random(count: 64).revealed }
    for index in 0..<64 {
      #expect(draws.contains { $0[index] != draws[0][index] }, "byte \(index)")
    }
  }
}
