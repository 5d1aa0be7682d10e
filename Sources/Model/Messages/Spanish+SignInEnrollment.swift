extension SignInEnrollmentMessage {
  var spanish: MessageText {
    switch self {
    case .introduction(let seconds):
      """
      Este servidor exige un código de una aplicación de autenticación. Ten el teléfono a mano. \
      Tienes \(Self.limit(seconds).spanish). Para cancelar, pulsa Intro en lugar de escribir un \
      código.
      """
    case .forms:
      """
      1  Código QR, para una ventana de fondo oscuro
      2  Código QR, para una ventana de fondo claro
      3  Clave para escribir en la aplicación
      """
    case .formPrompt: "Escribe 1, 2 o 3: "
    case .scan: "Escanea esto con una aplicación de autenticación."
    case .typeKey: "Escribe esta clave en la aplicación:"
    case .openURL: "O abre esta URL con la aplicación:"
    case .codeOrFormPrompt: "Código de la aplicación, o 3 para ver la clave: "
    case .codePrompt: "Código de la aplicación: "
    case .wrongCode: "Código incorrecto. Escribe el que muestra ahora la aplicación."
    case .namePrompt(let usual): "Nombre de este dispositivo [\(usual)]: "
    case .unsupportedName: "Un nombre debe tener de 1 a 64 caracteres visibles."
    case .done:
      """
      Se ha añadido tu dispositivo. En el próximo inicio de sesión, usa un código nuevo de la \
      aplicación.
      """
    case .recoveryCodes(let user, let host, let day):
      """
      Códigos de recuperación de \(user) en \(host), \(day). Usa uno cuando no tengas tu \
      dispositivo:
      """
    case .keepRecoveryCodes:
      """
      Cada uno se puede usar una vez. No se volverán a mostrar: anótalos y guárdalos lejos del \
      teléfono.
      """
    case .recoveryCodesPrompt: "Pulsa Intro cuando los tengas: "
    }
  }
}
