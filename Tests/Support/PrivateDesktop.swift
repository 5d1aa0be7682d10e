import Foundation
import Glibc

/// A session bus of its own, with a stand-in for the desktop portal (`Tests/MultiFactor/portal.py`).
/// Libraries find the bus by the environment of the process, so use each desktop in a process of its own.
public final class PrivateDesktop {
  private let folder: String
  private let bus: ChildProcess
  private let portal: ChildProcess?
  private let output: Descriptor

  /// Starts the bus, and the portal with this response unless it is nil.
  public init(response: String?) throws(HarnessFailure) {
    let folder = "/tmp/desktop-\(getpid())"
    try Command.succeed(["/bin/mkdir", "-m", "0700", folder])
    let address = "unix:path=\(folder)/bus"
    bus = try ChildProcess([
      "/usr/bin/dbus-daemon", "--session", "--nofork", "--nopidfile", "--address=" + address,
    ])
    self.folder = folder
    output = try Descriptor.memory()
    guard
      Deadline.usual.waits(until: { FileManager.default.fileExists(atPath: folder + "/bus") })
    else { throw HarnessFailure("dbus-daemon did not start") }
    Self.select(address)
    guard let response else {
      portal = nil
      return
    }
    portal = try ChildProcess(
      ["/usr/bin/python3", Checkout.folder + "/Tests/MultiFactor/portal.py", response],
      environment: ["DBUS_SESSION_BUS_ADDRESS": address],
      descriptors: [1: output.number, 2: output.number])
    guard Deadline.usual.waits(until: { text.hasPrefix("ready\n") }) else {
      throw HarnessFailure("the portal did not start", evidence: [("its output", text)])
    }
  }

  deinit {
    do { try FileManager.default.removeItem(atPath: folder) } catch {}
  }

  /// Makes this process use the session bus with an address.
  public static func select(_ address: String) {
    // SAFETY: the call copies both strings. Only this thread uses the environment.
    unsafe setenv("DBUS_SESSION_BUS_ADDRESS", address, 1)
  }

  /// The URIs that the portal was asked to open.
  public var opened: [String] { text.split(separator: "\n").dropFirst().map(String.init) }

  private var text: String {
    do {
      return String(decoding: try output.contents(), as: UTF8.self)
    } catch {
      return "\(error)"
    }
  }
}
