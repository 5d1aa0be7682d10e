/// How a user may sign in while no verifier answers. Without a method, every sign-in is denied.
package struct OfflineMethods: OptionSet, Equatable, Sendable {
  /// The bits, as they are stored.
  package let rawValue: UInt8

  /// Creates a set.
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// With an offline recovery code.
  package static let recovery = OfflineMethods(rawValue: 1)
  /// Without a code, from the place of a recent sign-in.
  package static let remembered = OfflineMethods(rawValue: 2)
  /// Without a code, as a member of the break-glass group.
  package static let breakGlass = OfflineMethods(rawValue: 4)

  /// All methods.
  package static let all: OfflineMethods = [.recovery, .remembered, .breakGlass]
}
