/// How a user may sign in while no verifier answers. Without a method, every sign-in is denied.
public struct OfflineMethods: OptionSet, Equatable, Sendable {
  /// The bits, as they are stored.
  public let rawValue: UInt8

  /// Creates a set.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// With an offline recovery code.
  public static let recovery = OfflineMethods(rawValue: 1)
  /// Without a code, from the place of a recent sign-in.
  public static let remembered = OfflineMethods(rawValue: 2)
  /// Without a code, as a member of the break-glass group.
  public static let breakGlass = OfflineMethods(rawValue: 4)

  /// All methods.
  public static let all: OfflineMethods = [.recovery, .remembered, .breakGlass]
}
