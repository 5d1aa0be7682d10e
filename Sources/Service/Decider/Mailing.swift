import MFAAttempt
import MFABase

/// The result of sending a mail.
package enum Mailing: Equatable, Sendable {
  /// The host's mailer accepted it.
  case sent
  /// The host has no mailer.
  case noMailer
  /// The mailer ended with this status, or was killed (-1).
  case refused(Int32)
  /// The mailer could not be started.
  case failed(SystemError)

  /// The longest time that the mailer may run, in seconds.
  private static var patience: Int32 { 60 }

  /// Passes a message, headers first, to the host's `sendmail`.
  package static func send(_ message: [UInt8], to recipient: [UInt8]) -> Mailing {
    do throws(SystemError) {
      let end = try Program.mail(message, to: recipient, with: Delivery.mailer, seconds: patience)
      return switch end {
      case .exited(0): .sent
      case .exited(let status): .refused(status)
      case .killed: .refused(-1)
      }
    } catch {
      return error.isNotFound ? .noMailer : .failed(error)
    }
  }
}
