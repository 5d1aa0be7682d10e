import MFARealmStore
import MFATestSupport

/// A server that fails in one way; see server.py. Destroying the value ends it.
final class FailingServer {
  private let folder: String
  private let address: String
  private let process: ChildProcess

  init(_ mode: String, redirectingTo target: String = "") throws {
    let number = UInt32.random(in: 0...UInt32.max)
    folder = "/tmp/mfa-failing-\(number)"
    address = "127.\(Int.random(in: 64...250)).\(Int.random(in: 1...250)).9"
    try Command.succeed(["/usr/bin/env", "mkdir", "-m", "0700", folder])
    try Command.succeed(["/usr/bin/env", "tee", folder + "/target"], input: Array(target.utf8))
    let output = try Descriptor.memory()
    process = try ChildProcess(
      [
        "/usr/bin/python3", Checkout.folder + "/Tests/RealmStore/server.py", mode, address, folder,
      ], descriptors: [1: output.number, 2: output.number])
    let isReady = try Deadline.usual.waits {
      try Command.run(["/usr/bin/env", "test", "-e", folder + "/ready"]).status.isSuccess
    }
    guard isReady else { throw HarnessFailure("the server does not start") }
  }

  deinit {
    process.send(signal: 9)
    do { try Command.succeed(["/usr/bin/env", "rm", "-rf", "--one-file-system", folder]) } catch {}
  }

  /// The address of the server.
  var endpoint: String { "http://\(address):2379" }

  /// How many requests the server has received.
  func requests() throws(HarnessFailure) -> Int {
    try Command.run(["/usr/bin/env", "cat", folder + "/requests"]).text
      .split(separator: "\n").count
  }
}
