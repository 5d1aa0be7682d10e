import Foundation
import Glibc

/// A session bus of its own, and the files that name the user's app for `otpauth:` URLs
/// (`Tests/MultiFactor/app.py`). Libraries find both by the environment of the process, so use each
/// desktop in a process of its own.
package final class PrivateDesktop {
  /// The app for `otpauth:` URLs.
  package enum App: String, Sendable {
    /// The bus starts the app, which replies.
    case answer
    /// The bus starts the app, which refuses the URL.
    case refuse
    /// The bus starts the app, which ends without a reply.
    case end
    /// The bus starts the app, which never replies.
    case none
    /// The bus cannot start the app, although its desktop file says so.
    case missing
    /// The app takes URLs as arguments.
    case arguments
  }

  private static let name = "org.example.One-Time"

  private let folder: String
  private let bus: ChildProcess

  /// Starts the bus on a desktop with this app.
  package init(_ app: App?) throws(HarnessFailure) {
    let folder = "/tmp/desktop-\(getpid())"
    try Command.succeed(["/bin/mkdir", "-m", "0700", folder])
    let address = "unix:path=\(folder)/bus"
    for (name, value) in [
      ("DBUS_SESSION_BUS_ADDRESS", address), ("XDG_CONFIG_HOME", folder + "/config"),
      ("XDG_DATA_HOME", folder + "/data"), ("XDG_CONFIG_DIRS", folder + "/none"),
      ("XDG_DATA_DIRS", folder + "/none"),
    ] {
      Self.set(name, value)
    }
    if let app { try Self.install(app, folder) }
    bus = try ChildProcess(
      ["/usr/bin/dbus-daemon", "--session", "--nofork", "--nopidfile", "--address=" + address],
      environment: ["XDG_DATA_HOME": folder + "/data", "PATH": "/usr/bin:/bin"])
    self.folder = folder
    guard
      Deadline.usual.waits(until: { FileManager.default.fileExists(atPath: folder + "/bus") })
    else { throw HarnessFailure("dbus-daemon did not start") }
  }

  deinit {
    do { try FileManager.default.removeItem(atPath: folder) } catch {}
  }

  private static func install(_ app: App, _ folder: String) throws(HarnessFailure) {
    let program =
      "/usr/bin/python3 \(Checkout.folder)/Tests/MultiFactor/app.py \(name) \(app) \(folder)/log"
    try write(
      """
      [Desktop Entry]
      Type=Application
      Name=One-Time
      Exec=/bin/sh -c 'echo "$1" >>\(folder)/log; exec sleep 60' sh %u
      DBusActivatable=\(app != .arguments)
      MimeType=x-scheme-handler/otpauth;
      """, to: folder + "/data/applications", "\(name).desktop")
    try write(
      """
      [Default Applications]
      x-scheme-handler/otpauth=org.example.Removed.desktop;\(name).desktop;
      """, to: folder + "/config", "mimeapps.list")
    guard app != .missing else { return }
    try write(
      """
      [D-BUS Service]
      Name=\(name)
      Exec=\(program)
      """, to: folder + "/data/dbus-1/services", name + ".service")
  }

  private static func write(
    _ text: String, to folder: String, _ name: String
  ) throws(HarnessFailure) {
    do {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true)
      try (text + "\n").write(toFile: folder + "/" + name, atomically: false, encoding: .utf8)
    } catch {
      throw HarnessFailure("\(name) cannot be written", evidence: [("the error", "\(error)")])
    }
  }

  /// Sets a variable in the environment of this process.
  package static func set(_ name: String, _ value: String) {
    // SAFETY: the call copies both strings. Only this thread uses the environment.
    unsafe setenv(name, value, 1)
  }

  /// The URLs that the app was asked to open.
  package var opened: [String] {
    let data = FileManager.default.contents(atPath: folder + "/log") ?? Data()
    return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  /// Returns the arguments of all processes.
  package static func argumentsOfAllProcesses() -> [String] {
    var arguments: [String] = []
    do {
      for entry in try FileManager.default.contentsOfDirectory(atPath: "/proc")
      where entry.allSatisfy(\.isNumber) {
        let data = FileManager.default.contents(atPath: "/proc/\(entry)/cmdline") ?? Data()
        arguments.append(String(decoding: data, as: UTF8.self))
      }
    } catch {}
    return arguments
  }
}
