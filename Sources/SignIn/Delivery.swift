import Factors
import HelperProtocol
public import System

/// Having notices mailed, without waiting for it.
public enum Delivery {
  /// Starts `mfa-helper`, as nobody's child, and has it mail what the account's record holds. Where it
  /// cannot be started the notices stay, and the next one takes them along.
  ///
  /// - Returns: whether it was started.
  public static func start(for account: Account) -> Bool {
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
