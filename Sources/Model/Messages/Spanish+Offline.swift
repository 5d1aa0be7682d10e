extension OfflineMessage {
  private static var unreachable: MessageText {
    "No se puede contactar con los servidores del segundo factor"
  }

  var spanish: MessageText {
    switch self {
    case .explanation: "\(Self.unreachable). Escribe un código de recuperación sin conexión."
    case .prompt: "Código de recuperación sin conexión: "
    case .notACode:
      "Eso no es un código de recuperación sin conexión. Tiene dieciséis letras y dígitos."
    case .wrongCode: "El código de recuperación sin conexión es incorrecto o ya se ha usado."
    case .accepted(let left):
      """
      Código de recuperación sin conexión aceptado. Códigos que te quedan para este grupo de \
      servidores: \(left).
      """
    case .breakGlass:
      """
      \(Self.unreachable). Puedes entrar como miembro del grupo de emergencia. Este inicio de \
      sesión queda registrado.
      """
    case .tryAgain: "\(Self.unreachable). Inténtalo de nuevo dentro de unos segundos."
    case .undecidable:
      """
      \(Self.unreachable), y este servidor no puede decidir sin ellos. Contacta con tu \
      administrador.
      """
    case .notPermitted:
      """
      \(Self.unreachable), y no tienes permiso para iniciar sesión aquí sin ellos. Contacta con tu \
      administrador.
      """
    case .tooLongAgo:
      """
      \(Self.unreachable), y tu último inicio de sesión aquí fue hace demasiado tiempo. Contacta \
      con tu administrador.
      """
    case .noCodes:
      """
      \(Self.unreachable), y no tienes ningún código de recuperación sin conexión para este \
      servidor. Contacta con tu administrador.
      """
    case .throttled(let seconds):
      """
      Demasiados códigos incorrectos. Inténtalo de nuevo dentro de \
      \(WrittenDuration(seconds: seconds).spanish).
      """
    case .locked:
      """
      Demasiados códigos incorrectos. Inicia sesión de nuevo cuando se pueda contactar con los \
      servidores del segundo factor.
      """
    }
  }
}
