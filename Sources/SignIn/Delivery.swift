import Factors
import HelperProtocol
public import System

/// Having notices mailed, without waiting for it.
public enum Delivery {
  /// What takes mail on this host.
  public static var mailer: StaticString { "/usr/sbin/sendmail" }

  /// Starts `mfa-helper`, as nobody's child, and has it mail what the account's record holds. Where it
  /// cannot be started the notices stay, and the next one takes them along.
  ///
  /// - Returns: whether it was started, or there is no mailer and so nothing to do.
  public static func start(for account: Account) -> Bool {
    guard Program.isThere(mailer) else { return true }
    guard let user = UserName(account.name), let messages = DeliveryMessages.bytes(for: user) else {
      return false
    }
    do throws(SystemError) {
      try Program.startDetached("/usr/lib/mfa/mfa-helper", input: messages)
      return true
    } catch {
      return false
    }
  }
}
