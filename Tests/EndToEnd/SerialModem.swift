import Foundation
import MFATestSupport

/// A modem at a serial port, and the phone that receives what it sends: at-modem.py.
final class SerialModem {
  /// The path of the serial port.
  let device: String

  private let machine: Machine
  private let path: String
  private let process: ChildProcess

  /// A complete message that the phone has received.
  struct Message: Decodable, Equatable {
    let to: String
    let text: String
    /// The number of messages of the network.
    let parts: Int
    /// `7 bits` or `UCS-2`.
    let alphabet: String
  }

  /// Starts the modem for a user. It ends with the test.
  init(on machine: Machine, for user: String) throws {
    self.machine = machine
    device = machine.folder + "/modem"
    path = machine.folder + "/received"
    process = try ChildProcess([
      "/usr/bin/python3", Checkout.folder + "/Tests/EndToEnd/at-modem.py", device, path, user,
    ])
    machine.atTheEnd("stop the modem") { [process] in
      process.send(signal: SIGKILL)
      _ = try process.wait()
    }
    let device = device
    guard Deadline.usual.waits(until: { FileManager.default.fileExists(atPath: device) }) else {
      throw HarnessFailure("the modem does not start")
    }
  }

  /// Waits for messages, and returns all that the phone has received. The daemons first ask a modem
  /// what it can, which takes seconds.
  func messages(count: Int) throws -> [Message] {
    var messages: [Message] = []
    _ = try Deadline.long.waits {
      let lines = String(decoding: machine.contents(of: path) ?? [], as: UTF8.self)
        .split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      messages = try lines.map { try JSONDecoder().decode(Message.self, from: Data($0.utf8)) }
      return messages.count >= count
    }
    return messages
  }
}
