import Foundation
import MFATestSupport
import Testing

/// Replays the fuzzer's seeds and its findings through the same functions.
@Suite("Fuzz targets", .serialized)
struct FuzzReplayTests {
  private static let folder = Checkout.folder + "/Tests/Fuzz"

  /// The targets that can be checked in this environment.
  static let targets = FuzzTarget.allCases.filter { !$0.needsRoot || PrivateMachine.isHere }

  /// The number of mutated inputs for each seed.
  private static let mutationsPerSeed = 100

  /// Returns the files of a folder, sorted by name, or nothing if the folder does not exist.
  private static func inputs(
    _ kind: String, of target: FuzzTarget
  ) throws -> [(name: String, bytes: [UInt8])] {
    let path = "\(folder)/\(kind)/\(target.rawValue)"
    guard FileManager.default.fileExists(atPath: path) else { return [] }
    return try FileManager.default.contentsOfDirectory(atPath: path).sorted().map { name in
      (name, Array(try Data(contentsOf: URL(fileURLWithPath: "\(path)/\(name)"))))
    }
  }

  private func check(_ target: FuzzTarget, _ input: [UInt8], _ name: String) {
    do {
      try target.check(input)
    } catch {
      Issue.record("\(target.rawValue), \(name): \(error); input in base64: \(base64(input))")
    }
  }

  private func base64(_ input: [UInt8]) -> String { Data(input).base64EncodedString() }

  @Test(arguments: targets) func seedsHold(_ target: FuzzTarget) throws {
    let seeds = try Self.inputs("Seeds", of: target)
    let samples = try target.samples()
    #expect(!seeds.isEmpty || !samples.isEmpty)
    for seed in seeds { check(target, seed.bytes, "Seeds/\(seed.name)") }
    for (number, sample) in samples.enumerated() { check(target, sample, "sample \(number)") }
    check(target, [], "no input")
  }

  @Test(arguments: targets) func regressionsHold(_ target: FuzzTarget) throws {
    for input in try Self.inputs("Regressions", of: target) {
      check(target, input.bytes, "Regressions/\(input.name)")
    }
  }

  @Test(arguments: targets) func mutationsHold(_ target: FuzzTarget) throws {
    let corpus =
      try Self.inputs("Seeds", of: target).map(\.bytes) + target.samples()
      + Self.inputs("Regressions", of: target).map(\.bytes)
    var mutator = Mutator(seed: 0x6D66_6100, corpus: corpus)
    for (number, seed) in corpus.enumerated() {
      for count in 0..<Self.mutationsPerSeed {
        check(target, mutator.mutate(seed), "change \(count) of input \(number)")
      }
    }
  }
}
