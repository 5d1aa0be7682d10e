import MFAPAMStack

extension StackEntry {
  /// Whether the line calls pam_mfa.so.
  package var callsModule: Bool { asks(module: "pam_mfa.so") }

  /// Whether the line calls pam_mfa.so for sign-ins with a key only (`after_key`).
  package var callsModuleAfterKey: Bool {
    callsModule && ModuleKind.arguments(self).contains("after_key")
  }
}

extension ServiceStack {
  /// The index of the line that asks for the code: the first that calls pam_mfa.so for every sign-in,
  /// or else the first that calls it after a key. Nil if no line calls it.
  package var moduleIndex: Int? {
    entries.firstIndex { $0.callsModule && !$0.callsModuleAfterKey }
      ?? entries.firstIndex(where: \.callsModule)
  }
}
