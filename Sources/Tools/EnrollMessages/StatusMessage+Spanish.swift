import MFAMessages

extension StatusMessage {
  /// The text in Spanish.
  package var spanish: MessageText {
    switch self {
    case .devices: "Dispositivos"
    case .recoveryCodesLeft: "Códigos de recuperación restantes"
    case .failedAttempts: "Intentos fallidos"
    case .signIns: "Inicios de sesión"
    case .rememberedSignIns: "Inicios de sesión recordados"
    case .pendingNotices: "Avisos pendientes"
    case .device(let name, let date): "\(name), añadido el \(date)"
    case .noDevice: "ninguno"
    case .codesWithImported(let left, let imported):
      "\(left) (importados: \(imported))"
    case .open: "se aceptan códigos"
    case .noCodeAsked: "no se pide ningún código"
    case .deviceOffered:
      "no se pide ningún código mientras se te permita añadir un dispositivo más tarde"
    case .deviceRequired: "debes añadir un dispositivo en el próximo inicio de sesión"
    case .throttled(let end): "no se acepta ningún código hasta el \(end)"
    case .locked: "bloqueados hasta que un administrador los desbloquee"
    case .lockedUntilRecoveryCode:
      "bloqueados hasta que inicies sesión con un código de recuperación"
    }
  }
}
