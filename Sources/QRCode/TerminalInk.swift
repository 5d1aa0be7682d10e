/// What a terminal draws modules with.
public enum TerminalInk: Equatable, Sendable, CaseIterable {
  /// Black on white, set explicitly, whatever colours the terminal uses otherwise.
  case blackOnWhite
  /// No colours: the terminal's own, which are light on dark.
  case terminalLightOnDark
  /// No colours: the terminal's own, which are dark on light.
  case terminalDarkOnLight
}
