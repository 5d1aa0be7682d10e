import MFAAdmin
import MFABase
import MFAServices

// Output that reports a failure as an error of the command.
extension Console {
  /// Writes text to standard output.
  static func write(_ text: String) throws(AdminError) {
    do throws(SystemError) { try output(text) } catch { throw .output(error) }
  }

  /// Writes bytes to standard output.
  static func write(_ bytes: [UInt8]) throws(AdminError) {
    do throws(SystemError) { try output(bytes) } catch { throw .output(error) }
  }

  /// Writes a secret to standard output without copying it.
  static func write(secret: borrowing SecretBytes) throws(AdminError) {
    do throws(SystemError) { try output(secret: secret) } catch { throw .output(error) }
  }

  /// Prints an error and its hint to standard error.
  static func report(_ error: AdminError) {
    guard error.isError else {
      printError(error.message)
      printError("hint: " + error.hint)
      return
    }
    report(error.message, hint: error.hint)
  }

  /// Prints an error and its hint to standard error.
  static func report(_ error: ChangeError) { report(error.message, hint: error.hint) }
}
