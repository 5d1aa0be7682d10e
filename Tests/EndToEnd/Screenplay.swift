import Foundation
import MFATestSupport
import Testing

/// A user at a terminal, whose screens are compared with text fixtures.
///
/// The fixtures are files in Tests/EndToEnd/Screens. With MFA_WRITE_SCREENS=1 they are written.
final class Screenplay {
  /// What the user does next.
  enum Step {
    /// Waits for a text that has not been waited for yet.
    case wait(String)
    /// Types a line and the return key.
    case send(String)
    /// Presses keys.
    case keys(String)
    case resize(columns: Int32, rows: Int32)
    /// Compares the screen with the fixture of this name, if there are fixtures for the window.
    case screen(String)
    /// Reads the QR code on the screen, exactly as it is shown, with the phone.
    case scan
    /// Opens the URL on the screen with the phone.
    case readURL
    /// Types the code that the phone shows, or one that it does not show.
    case code
    case wrongCode
    /// Waits until the program has ended.
    case end(MFATestSupport.ExitStatus)
  }

  let session: TerminalSession
  private let machine: Machine
  private let window: EndToEnd.Screens.Window
  /// The phone that has scanned the QR code.
  private(set) var phone: Authenticator?

  init(_ session: TerminalSession, in window: EndToEnd.Screens.Window, on machine: Machine) {
    self.session = session
    self.window = window
    self.machine = machine
  }

  func play(_ steps: [Step]) throws {
    for step in steps {
      switch step {
      case .wait(let text): try session.expect(text)
      case .send(let line): try session.send(line)
      case .keys(let keys): try session.sendKeys(Array(keys.utf8))
      case .resize(let columns, let rows): try session.resize(columns: columns, rows: rows)
      case .screen(let name): try compare(name)
      case .scan: try scan()
      case .readURL:
        let url = try #require(session.text.firstMatch(of: /otpauth:[^\s]+/)).output
        phone = try Authenticator(url: String(url))
      case .code: try session.send(try #require(phone).code(offset: -1))
      case .wrongCode: try session.send(try #require(phone).wrongCode())
      case .end(let status):
        #expect(try session.waitForExit() == status, "\(session.transcript)")
      }
    }
  }

  private func scan() throws {
    let screen = try TerminalScreen(of: session, theme: window.theme, isScanned: true, on: machine)
    let text = screen.lines.joined(separator: "\n")
    try #require(screen.codes.count == 1, "\(text)\n\(screen.codes)")
    phone = try Authenticator(url: screen.codes[0])
  }

  private func compare(_ name: String) throws {
    guard window.isRecorded else { return }
    let screen = try TerminalScreen(of: session, theme: window.theme, isScanned: false, on: machine)
    let size = try #require(session.sizes.last)
    let text = screen.fixture(size: (size.columns, size.rows))
    let path = Checkout.folder + "/Tests/EndToEnd/Screens/\(name).txt"
    if ProcessInfo.processInfo.environment["MFA_WRITE_SCREENS"] == "1" {
      try Data(text.utf8).write(to: URL(fileURLWithPath: path))
      return
    }
    let expected = String(
      decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
    #expect(text == expected, "\(name): the screen is now\n\(text)")
  }
}
