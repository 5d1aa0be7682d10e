import Foundation

/// A system program that verifies the result.
struct Tool {
  struct Missing: Error, CustomStringConvertible {
    let name: String
    var description: String { "\(name) is not installed; packaging/test installs it" }
  }

  struct Failed: Error { let status: Int32 }

  let path: String

  init(_ name: String) throws {
    let folders = ["/usr/bin", "/usr/local/bin", "/bin"]
    let path = folders.map { "\($0)/\(name)" }.first {
      FileManager.default.isExecutableFile(atPath: $0)
    }
    guard let path else { throw Missing(name: name) }
    self.path = path
  }

  /// Runs the program and returns its output, without the last newline.
  func run(_ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    let output = Pipe()
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Failed(status: process.terminationStatus) }
    let text = String(decoding: data, as: UTF8.self)
    return text.hasSuffix("\n") ? String(text.dropLast()) : text
  }
}
