import Foundation

// The functions that libFuzzer calls. Tests/Fuzz/run links them with libFuzzer; the test bundle
// does not call them.

/// The target, selected by the program name: Tests/Fuzz/run links one program, and creates a
/// symbolic link to it for each target.
private let target: FuzzTarget? = FuzzTarget(
  rawValue: URL(fileURLWithPath: CommandLine.arguments.first ?? "").lastPathComponent)

/// Checks one input. A violated property ends the process, which libFuzzer reports.
@c(LLVMFuzzerTestOneInput)
package func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  // SAFETY: libFuzzer passes the address of `count` bytes that do not change during the call.
  let input = unsafe [UInt8](UnsafeBufferPointer(start: start, count: count))
  guard let target else { fatalError("unknown fuzz target") }
  do {
    try target.check(input)
  } catch {
    fatalError("\(target.rawValue): \(error)")
  }
  return 0
}

/// Writes the samples of the target to the folder in the environment variable MFA_FUZZ_SAMPLES,
/// before libFuzzer reads the folder.
@c(LLVMFuzzerInitialize)
package func initializeFuzzer(
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
