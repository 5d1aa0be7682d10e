import Foundation
import MFATestSupport

/// A package of another project that uses this one, built without the network and without OpenSSL's
/// headers.
struct ConsumerPackage {
  let folder: String
  private let home: String
  private let parser: String

  /// Creates the package in a new folder next to `mfa`. The dependencies of `mfa` come from the
  /// checkout's own build folder.
  init(_ name: String, in folder: String) throws {
    self.folder = folder + "/" + name
    home = folder + "/home"
    parser = folder + "/swift-argument-parser"
    try Command.succeed(["/bin/mkdir", "-p", self.folder, home])
    try Command.succeed([
      "/bin/cp", "-r", Checkout.folder + "/.build/checkouts/swift-argument-parser", parser,
    ])
  }

  /// Writes a file, and the folders above it.
  func write(_ lines: [String], to path: String) throws {
    let file = folder + "/" + path
    try FileManager.default.createDirectory(
      atPath: (file as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    try lines.joined(separator: "\n").write(toFile: file, atomically: false, encoding: .utf8)
  }

  /// Builds the package, and returns the path of the program.
  func build(_ program: String) throws -> String {
    try swift([
      "package", "config", "set-mirror", "--mirror", parser, "--original",
      "https://github.com/apple/swift-argument-parser",
    ])
    let headers = "/usr/include/openssl"
    try Command.succeed(["/bin/mount", "-t", "tmpfs", "none", headers])
    defer { _ = try? Command.run(["/bin/umount", headers]) }
    try swift([
      "build", "--jobs", "2", "--product", program, "--disable-index-store",
      "-debug-info-format", "none",
    ])
    try Command.succeed([
      "/bin/chmod", "-R", "a+rX", (folder as NSString).deletingLastPathComponent,
    ])
    return folder + "/.build/debug/" + program
  }

  private func swift(_ arguments: [String]) throws {
    try Command.succeed(
      ["/usr/bin/nice", try Self.swift(), arguments[0], "--package-path", folder]
        + arguments.dropFirst(),
      environment: ["HOME": home, "PATH": "/usr/bin:/bin"], deadline: .after(seconds: 1800))
  }

  /// Returns the Swift compiler that built the tests.
  private static func swift() throws -> String {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    for folder in folders where FileManager.default.isExecutableFile(atPath: folder + "/swift") {
      return folder + "/swift"
    }
    throw HarnessFailure("swift is not on the PATH")
  }
}
