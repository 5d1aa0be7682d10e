import Foundation

/// The gateway service, started as on a host without a service manager.
package final class GatewayService {
  /// The socket of the service.
  package static let socket = "/run/mfa/gateway"
  private static let program = "/usr/lib/mfa/mfad"

  private let machine: Machine
  private let process: ChildProcess
  /// A folder of the user mfa-gateway.
  package let folder: String

  /// Starts the service and waits until it listens. The service ends with the test.
  package init(on machine: Machine) throws(HarnessFailure) {
    self.machine = machine
    folder = machine.folder + "/gateway"
    try Command.succeed(
      ["/usr/bin/install", "-d", "-o", "mfa-gateway", "-g", "mfa-gateway", "-m", "0700", folder])
    try Command.succeed(["/bin/mkdir", "-p", "-m", "0755", "/run/mfa"])
    try Command.succeed(["/bin/rm", "-f", Self.socket])
    process = try ChildProcess([Self.program, "--gateway", "--listen", "/run/mfa"])
    machine.atTheEnd("stop mfad --gateway") { [process] in
      process.send(signal: SIGKILL)
      _ = try process.wait()
      try Command.succeed(["/bin/rm", "-f", Self.socket])
    }
    let listens = Deadline.usual.waits {
      let attributes: [FileAttributeKey: Any]?
      do {
        attributes = try FileManager.default.attributesOfItem(atPath: Self.socket)
      } catch {
        attributes = nil
      }
      return attributes?[.posixPermissions] as? Int == 0o660
    }
    guard listens else { throw HarnessFailure("mfad --gateway does not listen") }
  }

  /// Sends a signal to the process that supervises the others.
  package func send(signal: Int32) { process.send(signal: signal) }

  /// Waits until the supervising process has ended. Returns its exit status, or nil if it does not end.
  package func wait() throws(HarnessFailure) -> ExitStatus? {
    try process.wait(until: .long)
  }

  /// Selects a gateway in mfa.conf.
  package func select(_ path: String?) throws(HarnessFailure) {
    let line = path.map { "gateway = \($0)\nregions = +1\n" } ?? ""
    try machine.writeConfiguration("[project]\n\(line)")
  }

  /// Writes and selects a gateway: a shell script that finds `$out`, the folder of mfa-gateway.
  /// Returns its path.
  @discardableResult
  package func use(_ script: String, mode: String = "0755") throws(HarnessFailure) -> String {
    let path = machine.folder + "/send"
    try machine.write("#!/bin/sh\nout=\(folder)\n\(script)\n", to: path, mode: mode)
    try select(path)
    return path
  }

  /// Returns the content of a file in the folder of mfa-gateway; empty if it does not exist.
  package func contents(of name: String) -> String {
    String(decoding: machine.contents(of: "\(folder)/\(name)") ?? [], as: UTF8.self)
  }

  /// The numbers of the service's processes that wait for messages.
  package var workers: Int {
    let path = "/proc/\(process.number)/task/\(process.number)/children"
    let list = FileManager.default.contents(atPath: path) ?? Data()
    return String(decoding: list, as: UTF8.self).split(separator: " ").count
  }
}
