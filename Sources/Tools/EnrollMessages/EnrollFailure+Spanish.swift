import MFAMessages

extension EnrollFailure {
  /// The text in Spanish.
  package var spanish: FailureText {
    switch self {
    case .noTerminal:
      FailureText(
        "No hay ningún terminal en el que preguntar.",
        hint: """
          Usa ssh -t, o indica con --stdin que un programa escribe las respuestas en la entrada \
          estándar. Una contraseña escrita sin terminal sería visible.
          """)
    case .otherAccount(let name):
      FailureText(
        "Solo root puede usar mfa-enroll para otra cuenta (\(name)).",
        hint: "Para tu propia cuenta, ejecútalo sin --user.")
    case .unknownAccount(let name):
      FailureText(
        "La cuenta \(name) no existe en este servidor.", hint: "Comprueba el nombre tras --user.")
    case .accountNotNamed(let user):
      FailureText(
        "mfa-enroll se ha iniciado con sudo, y no hay a quién preguntar para qué cuenta.",
        hint: "Usa --user \(user) o --user root.")
    case .accountNotTaken(let name):
      FailureText(
        "Este proceso no se puede ejecutar como \(name).",
        hint: "Inicia sesión como \(name) y ejecuta mfa-enroll.")
    case .processNotProtected:
      FailureText(
        "Este proceso no se puede proteger de tus otros programas.",
        hint: "Ejecuta mfa-enroll donde prctl(2) esté permitido.")
    case .usage(let problem):
      FailureText(
        "No se ha entendido el comando: \(problem)",
        hint: "Consulta la ayuda: mfa-enroll --help")
    case .unknownCommand(let name, let meant?):
      FailureText(
        "No existe el comando «\(name)».", hint: "¿Querías decir mfa-enroll \(meant)?")
    case .unknownCommand(let name, nil):
      FailureText(
        "No existe el comando «\(name)».",
        hint: "Consulta todos los comandos: mfa-enroll --help")
    case .noCode:
      FailureText(
        "No se ha escrito ningún código. No se ha cambiado nada.", hint: "Empieza de nuevo.")
    case .nothingAdded:
      FailureText(EnrollMessage.nothingAdded.spanish, hint: "Empieza de nuevo: mfa-enroll")
    case .nothingRemoved:
      FailureText(
        "No se ha eliminado nada.",
        hint: "Para eliminar el dispositivo, responde «s» o usa --yes.")
    case .noSuchDevice(let name):
      FailureText(
        "No tienes ningún dispositivo «\(name)».",
        hint: "Consulta tus dispositivos: mfa-enroll list")
    case .ambiguousID(let id):
      FailureText(
        "Más de un ID empieza por «\(id)».", hint: "Escribe más caracteres, o usa el nombre.")
    case .noDevice:
      FailureText("No tienes ningún dispositivo todavía.", hint: "Añade uno: mfa-enroll")
    case .severalDevices:
      FailureText(
        "Tienes varios dispositivos.",
        hint: "Indica cuál. Consulta tus dispositivos: mfa-enroll list")
    case .recoveryCodesNotSaved(let path):
      FailureText(
        "Los códigos de recuperación son válidos, pero no se han podido guardar en \(path).",
        hint: """
          Cópialos de la pantalla, o libera espacio y vuelve a ejecutar mfa-enroll recovery-codes \
          --new.
          """)
    case .recoveryCodesNotPrinted:
      FailureText(
        "Los códigos de recuperación son válidos, pero no se han podido imprimir.",
        hint: "Cópialos de la pantalla, o vuelve a ejecutar mfa-enroll recovery-codes --new.")
    case .noPrinter:
      FailureText(
        "Este servidor no tiene ningún programa para imprimir (lpr o lp).",
        hint: "Guarda los códigos con --save ARCHIVO, o cópialos de la pantalla.")
    case .noOfflineCodes:
      FailureText(
        "Aquí no se aceptan códigos de recuperación sin conexión para ti.",
        hint: """
          Pide a tu administrador el nombre de un grupo de servidores e indícalo: mfa-enroll offline-codes --hosts GRUPO
          """)
    case .noHomeFolder:
      FailureText(
        "HOME no indica tu carpeta personal.", hint: "Indica el archivo que quieres importar.")
    case .fileNotOpened(let path, let reason):
      FailureText(
        "No se puede abrir \(path) (\(reason)).", hint: "Indica el archivo que quieres importar.")
    case .notAFile(let path):
      FailureText("\(path) no es un archivo.", hint: "Indica el archivo que quieres importar.")
    case .writableByOthers(let path):
      FailureText(
        "Otros usuarios pueden haber modificado \(path).",
        hint: "Añade un dispositivo con una clave nueva: mfa-enroll")
    case .fileNotRead(let path):
      FailureText("No se puede leer \(path).", hint: "Indica el archivo que quieres importar.")
    case .importRefused(let reason):
      FailureText(
        "No se puede importar el archivo: \(reason).",
        hint: "No se ha cambiado nada. Añade un dispositivo con una clave nueva: mfa-enroll")
    case .fileNotPrivate(let path):
      FailureText(
        "Otros usuarios podrían leer \(path).",
        hint: """
          Indica un archivo en un disco con propietarios y permisos, por ejemplo en tu carpeta \
          personal.
          """)
    case .fileExists(let path):
      FailureText("\(path) ya existe.", hint: "Indica otro archivo, o elimina este.")
    case .folderMissing(let path):
      FailureText("La carpeta de \(path) no existe.", hint: "Créala, o indica otro archivo.")
    case .noPermission(let path):
      FailureText(
        "No tienes permiso para crear \(path).",
        hint: "Indica un archivo en una carpeta tuya.")
    case .fileNotCreated(let path, let reason):
      FailureText("No se puede crear \(path) (\(reason)).", hint: "Indica otro archivo.")
    case .fileNotWritten(let path, let reason):
      FailureText(
        "No se puede escribir en \(path) (\(reason)). No se ha añadido ningún dispositivo.",
        hint: "Libera espacio ahí, o indica otro archivo.")
    case .noPicture(let obstacle):
      FailureText(obstacle.spanish, hint: "Sin --qr, la clave se muestra como texto.")
    }
  }
}
