/// What the helper asks users before a change of their factors.
public enum HelperMessage: Equatable, Sendable {
  /// The prompt for an administrator's ticket.
  case ticketPrompt
  /// The prompt for a code of a device that is already enrolled.
  case enrolledDevicePrompt
}
