/// What the helper asks and tells users.
public enum HelperMessage: Equatable, Sendable {
  /// The prompt for an administrator's ticket.
  case ticketPrompt
  /// The prompt for a code of a device that is already enrolled.
  case enrolledDevicePrompt
  /// Nothing is pending for the user.
  case noNotices
}
