import Foundation

// What libFuzzer calls. Tests/Fuzz/run links these functions with libFuzzer; in the test bundle
// nothing calls them.

/// The target, which the name of the program selects: Tests/Fuzz/run links one program, and makes a
/// link to it for each target.
private let target: FuzzTarget? = FuzzTarget(
  rawValue: URL(fileURLWithPath: CommandLine.arguments.first ?? "").lastPathComponent)

/// Checks one input. A property that does not hold ends the process, which libFuzzer reports.
@c(LLVMFuzzerTestOneInput)
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  // SAFETY: libFuzzer passes the address of `count` bytes that stay as they are during the call.
  let input = unsafe [UInt8](UnsafeBufferPointer(start: start, count: count))
  guard let target else { fatalError("there is no such fuzz target") }
  do {
    try target.check(input)
  } catch {
    fatalError("\(target.rawValue): \(error)")
  }
  return 0
}

/// Writes the samples of the target into the folder that the environment variable MFA_FUZZ_SAMPLES
/// names, before libFuzzer reads it.
@c(LLVMFuzzerInitialize)
public func initializeFuzzer(
  _ count: UnsafeMutablePointer<CInt>?,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>?
) -> CInt {
  guard let target, let folder = ProcessInfo.processInfo.environment["MFA_FUZZ_SAMPLES"] else {
    return 0
  }
  do {
    for (number, sample) in try target.samples().enumerated() {
      try Data(sample).write(to: URL(fileURLWithPath: "\(folder)/sample-\(number)"))
    }
  } catch {
    fatalError("\(target.rawValue): the samples cannot be made: \(error)")
  }
  return 0
}
