import Foundation

/// The helper that the module starts for each request of a sign-in, with another clock, or with strace. Outside of
/// `during`, the installed helper stays as it is.
package final class WrappedHelper {
  /// Where the installed helper is meanwhile.
  private static let real = HelperSession.program + ".real"

  /// The list of libraries for all programs, which is also read for a setuid program. LD_PRELOAD is not.
  private static let preloaded = "/etc/ld.so.preload"

  private let folder: String
  private var ahead = 0

  /// Prepares the folder of the script and of what it counts.
  package init(on machine: Machine) throws(HarnessFailure) {
    folder = machine.folder + "/helper"
    try Command.succeed(["/bin/mkdir", folder])
    machine.atTheEnd("put the helper back") {
      if FileManager.default.fileExists(atPath: Self.preloaded) {
        try Command.succeed(["/bin/rm", Self.preloaded])
      }
      if FileManager.default.fileExists(atPath: Self.real) {
        try Command.succeed(["/bin/mv", Self.real, HelperSession.program])
      }
    }
  }

  /// Sets how far the helper's wall clock is ahead, in seconds.
  package func set(ahead seconds: Int) { ahead = seconds }

  /// The number of requests in the latest call of `during`.
  package var requests: Int {
    get throws {
      let text = try String(contentsOfFile: folder + "/count", encoding: .utf8)
      return Int(text.filter(\.isNumber)) ?? 0
    }
  }

  /// Performs `body`, whose request `number` (1 for the first) is served by a helper that a command line
  /// starts.
  package func during<Value>(
    _ number: Int = 0, through command: [String] = [], _ body: () throws -> Value
  ) throws -> Value {
    let clock = folder + "/clock"
    let bytes = (0..<8).map { UInt8(truncatingIfNeeded: Int64(ahead) >> (8 * $0)) }
    try Data(bytes).write(to: URL(fileURLWithPath: clock))
    let script = """
      #!/bin/sh
      number=$(($(cat \(folder)/count) + 1))
      echo $number >\(folder)/count
      export MFA_TEST_CLOCK=\(clock)
      [ $number != \(number) ] || exec \(command.joined(separator: " ")) \(Self.real)
      exec \(Self.real)

      """
    try "0\n".write(toFile: folder + "/count", atomically: false, encoding: .utf8)
    try script.write(toFile: folder + "/script", atomically: false, encoding: .utf8)
    try Command.succeed(["/bin/chmod", "0755", folder + "/script"])
    try Command.succeed(["/bin/mv", HelperSession.program, Self.real])
    if ahead != 0 {
      let library = try CompiledProgram.shiftedClock() + "\n"
      try library.write(toFile: Self.preloaded, atomically: false, encoding: .utf8)
    }
    let result = Result {
      try Command.succeed(["/bin/cp", folder + "/script", HelperSession.program])
      return try body()
    }
    if ahead != 0 { try Command.succeed(["/bin/rm", Self.preloaded]) }
    try Command.succeed(["/bin/mv", Self.real, HelperSession.program])
    return try result.get()
  }
}
