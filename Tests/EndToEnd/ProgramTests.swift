import Foundation
import MFATestSupport
import Testing

extension EndToEnd {
  /// README.md's example program, built as shown and run by an ordinary user.
  @Suite struct Program {
    @Test("README.md's example program enrols, lists and unenrols a factor")
    func program() throws {
      try Machine.use { machine in
        let user = try machine.addUser()
        let program = try build(in: machine.folder + "/program")
        let session = try TerminalSession([program], as: user.identity)
        try session.expect("Password: ")
        try session.send(user.password)
        let url = String(try session.expect(matching: /(otpauth:[^\r]+)\r\n/).output.1)
        let phone = try Authenticator(url: url)
        try session.expect("Code from the app: ")
        try session.send(try phone.code())
        try session.expect("enrolled: settings, totp, ")
        try session.expect("removed; signed out: true")
        #expect(try session.waitForExit() == .exited(0), "\(session.transcript)")
        #expect(session.text.contains(phone.key))
        #expect(!session.text.contains(user.password))
        let list = try Command.succeed(["/usr/bin/mfa-enroll", "list"], as: user.identity)
        #expect(list == "\(user.name) has no device yet.\n")

        let stranger = try TerminalSession([program], as: user.identity)
        try stranger.expect("Password: ")
        try stranger.send("not the password")
        try stranger.expect("Wrong password.")
        try stranger.expect("hint: ")
        #expect(try stranger.waitForExit() == .exited(0), "\(stranger.transcript)")
      }
    }

    /// Builds the program next to the checkout, as README.md says, without the network and without
    /// OpenSSL's headers. The checkout's dependencies come from its own build folder.
    private func build(in folder: String) throws -> String {
      let blocks = try ReadMe.blocks(under: "From a Swift program")
      let package = folder + "/settings"
      let parser = folder + "/swift-argument-parser"
      try Command.succeed(["/bin/mkdir", "-p", package + "/Sources/settings", folder + "/home"])
      try Command.succeed(["/bin/ln", "-s", Checkout.folder, folder + "/mfa"])
      try Command.succeed([
        "/bin/cp", "-r", Checkout.folder + "/.build/checkouts/swift-argument-parser", parser,
      ])
      for (path, lines) in zip(["Package.swift", "Sources/settings/Settings.swift"], blocks) {
        try lines.joined(separator: "\n").write(
          toFile: package + "/" + path, atomically: false, encoding: .utf8)
      }
      try addTargets(["Policy", "System"], to: package)
      try swift(
        [
          "package", "config", "set-mirror", "--mirror", parser, "--original",
          "https://github.com/apple/swift-argument-parser",
        ], package)
      let headers = "/usr/include/openssl"
      try Command.succeed(["/bin/mount", "-t", "tmpfs", "none", headers])
      defer { _ = try? Command.run(["/bin/umount", headers]) }
      try swift(["build", "--jobs", "2"], package)
      try Command.succeed(["/bin/chmod", "-R", "a+rX", folder])
      return package + "/.build/debug/settings"
    }

    /// Gives a program targets whose names are those of folders in this package.
    private func addTargets(_ names: [String], to package: String) throws {
      let path = package + "/Package.swift"
      let manifest = try String(contentsOfFile: path, encoding: .utf8)
      let declarations = names.map { ".target(name: \"\($0)\")," }.joined(separator: " ")
      let changed = manifest.replacing(
        "targets: [", with: "targets: [\(declarations)", maxReplacements: 1)
      try #require(changed != manifest)
      try changed.write(toFile: path, atomically: false, encoding: .utf8)
      for name in names {
        try Command.succeed(["/bin/mkdir", "-p", package + "/Sources/" + name])
        try "".write(
          toFile: package + "/Sources/\(name)/\(name).swift", atomically: false, encoding: .utf8)
      }
    }

    private func swift(_ arguments: [String], _ package: String) throws {
      try Command.succeed(
        [try swift(), arguments[0], "--package-path", package] + arguments.dropFirst(),
        environment: ["HOME": package + "/../home"], deadline: .after(seconds: 300))
    }

    /// Returns the Swift compiler that built the tests.
    private func swift() throws -> String {
      let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
      for folder in folders where FileManager.default.isExecutableFile(atPath: folder + "/swift") {
        return folder + "/swift"
      }
      throw HarnessFailure("swift is not on the PATH")
    }
  }
}
