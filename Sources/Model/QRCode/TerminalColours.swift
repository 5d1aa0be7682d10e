/// The colours in which modules are drawn on a terminal.
public enum TerminalColours: Equatable, Sendable, CaseIterable {
  /// Black on white, set explicitly, regardless of the terminal's own colours.
  case blackOnWhite
  /// The terminal's own colours, which are light on dark.
  case terminalLightOnDark
  /// The terminal's own colours, which are dark on light.
  case terminalDarkOnLight
}
