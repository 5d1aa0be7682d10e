import Foundation
import Synchronization

/// A C program or PAM module of the tests, built with the C compiler alone.
///
/// The package manager would link a C program with Swift's runtime, which handles signals. The
/// program would then not be a plain host whose signal handlers a PAM module must leave unchanged.
package enum CompiledProgram {
  private static let made = Mutex<Set<String>>([])

  /// Compiles Tests/Support/NAME/main.c once, and returns the path of the program, which every user
  /// may run.
  static func path(_ name: String, libraries: [String]) throws(HarnessFailure) -> String {
    let path = try folder() + "/" + name
    let result = made.withLock { made in
      guard !made.contains(name) else { return Result<Void, HarnessFailure>.success(()) }
      return Result { () throws(HarnessFailure) in
        try Command.succeed(["/bin/mkdir", "-p", "-m", "0755", folder()])
        try Command.succeed(
          [
            try compiler(), "-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", "-o", path,
            "\(Checkout.folder)/Tests/Support/\(name)/main.c", "-Wl,--as-needed",
          ] + libraries.map { "-l\($0)" })
        try Command.succeed(["/bin/chmod", "0755", path])
        made.insert(name)
      }
    }
    try result.get()
    return path
  }

  /// Compiles Tests/Histories/clock.c once, and returns the path of the library.
  static func shiftedClock() throws(HarnessFailure) -> String {
    let path = try folder() + "/clock.so"
    let result = made.withLock { made in
      guard !made.contains(path) else { return Result<Void, HarnessFailure>.success(()) }
      return Result { () throws(HarnessFailure) in
        try Command.succeed(["/bin/mkdir", "-p", "-m", "0755", folder()])
        try Command.succeed([
          try compiler(), "-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC",
          "-o", path, "\(Checkout.folder)/Tests/Histories/clock.c",
        ])
        made.insert(path)
      }
    }
    try result.get()
    return path
  }

  /// Compiles Tests/Support/stand-in/stand-in.c once for a module name such as `pam_sss`, and returns the
  /// path of the module.
  package static func standIn(_ name: String) throws(HarnessFailure) -> String {
    let path = try folder() + "/stand-in-\(name).so"
    let result = made.withLock { made in
      guard !made.contains(path) else { return Result<Void, HarnessFailure>.success(()) }
      return Result { () throws(HarnessFailure) in
        try Command.succeed(["/bin/mkdir", "-p", "-m", "0755", folder()])
        try Command.succeed([
          try compiler(), "-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC",
          "-DNAME=\"\(name)\"", "-o", path,
          "\(Checkout.folder)/Tests/Support/stand-in/stand-in.c", "-lpam",
        ])
        made.insert(path)
      }
    }
    try result.get()
    return path
  }

  private static func folder() throws(HarnessFailure) -> String {
    if PrivateMachine.isHere { return "/run/mfa-tests" }
    do {
      let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
      return URL(fileURLWithPath: tests).deletingLastPathComponent().path + "/programs-of-tests"
    } catch {
      throw HarnessFailure("/proc/self/exe cannot be read: \(error)")
    }
  }

  private static func compiler() throws(HarnessFailure) -> String {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    for name in ["cc", "clang", "gcc"] {
      for folder in ["/usr/bin"] + folders.map(String.init) {
        let path = "\(folder)/\(name)"
        if FileManager.default.isExecutableFile(atPath: path) { return path }
      }
    }
    throw HarnessFailure("no C compiler: install gcc, or add clang to the PATH")
  }
}
