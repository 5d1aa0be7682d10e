import MFAMessages

extension EnrollMessage {
  /// The text in Spanish.
  package var spanish: MessageText {
    switch self {
    case .account(let user, let host): "Cuenta: \(user) en \(host)"
    case .enrollmentOpening(1):
      "Ten a mano tu teléfono, con una aplicación de autenticación. Tienes 1 minuto."
    case .enrollmentOpening(let minutes):
      """
      Ten a mano tu teléfono, con una aplicación de autenticación. Tienes \(minutes) minutos.
      """
    case .accountChoice(let user, let root):
      "Has usado sudo. ¿Para qué cuenta, \(user) o \(root)? "
    case .accountChoiceAgain(let user, let root): "Escribe \(user) o \(root): "
    case .errorLabel: "error:"
    case .hintLabel: "sugerencia:"
    case .warningLabel: "advertencia:"
    case .nameLabel: "Nombre:"
    case .keyLabel: "Clave:"
    case .urlLabel: "URL:"
    case .scanOrShowKey:
      "Escanea con tu aplicación, o pulsa k para ver la clave."
    case .retryOrShowKey(let status): "\(status) Reinténtalo o pulsa k para ver la clave."
    case .showKey(let status): "\(status) Pulsa k para ver la clave."
    case .typeKeyOrOpenURL:
      "Escribe esta clave en tu aplicación de autenticación, o abre en ella la URL:"
    case .showPicture: "Pulsa k para ver el código QR."
    case .scanPicture:
      "Escanea el código QR con tu aplicación de autenticación, o escribe la clave en ella."
    case .scanPictureFile(let path):
      """
      Escanea el código QR de \(path) con tu aplicación de autenticación, o escribe la clave en \
      ella.
      """
    case .typeKey: "Escribe la clave en tu aplicación de autenticación."
    case .keyParameters(let algorithm, let digits, let seconds):
      "Si escribes la clave, elige \(algorithm), \(digits) dígitos y \(seconds) segundos."
    case .noPicture(.windowTooSmall(let columns, let lines)):
      """
      Ventana demasiado pequeña para un código QR: amplíala a \(columns)x\(lines), o escribe la \
      clave de arriba.
      """
    case .noPicture(.localeNotUTF8):
      """
      La configuración regional no usa UTF-8, así que no se puede mostrar un código QR. \
      Escribe la clave de arriba, o ejecuta: LC_ALL=C.UTF-8 mfa-enroll
      """
    case .noPicture(let obstacle): "\(obstacle.spanish) Escribe la clave de arriba."
    case .passwordPrompt: "Contraseña: "
    case .codePrompt: "Código de la aplicación: "
    case .phoneOpening(1): "Ten a mano tu teléfono. Tienes 1 minuto."
    case .phoneOpening(let minutes): "Ten a mano tu teléfono. Tienes \(minutes) minutos."
    case .phoneNumberPrompt: "Número de teléfono, por ejemplo +34612345678: "
    case .sentCodePrompt: "Código del mensaje (s: enviar otro): "
    case .codeSentToPhone: "Se ha enviado un código a tu teléfono. Es válido durante 10 minutos."
    case .wrongSentCode: "Código incorrecto. Inténtalo de nuevo."
    case .sentCodeExpired: "Este código ya no se acepta. Escribe s para recibir otro."
    case .nextCodeLater(1): "No se ha enviado ningún código. Podrás pedir otro dentro de 1 segundo."
    case .nextCodeLater(let seconds):
      "No se ha enviado ningún código. Podrás pedir otro dentro de \(seconds) segundos."
    case .namePrompt(let proposed): "Nombre de este dispositivo [\(proposed)]: "
    case .enrolled(let name):
      "Se ha añadido «\(name)». El código que has escrito no se puede volver a usar."
    case .nothingAdded: "No se ha añadido nada."
    case .tryNow(let command): "Listo. Pruébalo ahora, en otra ventana: \(command)"
    case .pictureHoldsKey(let path):
      "\(path) contiene tu clave. Elimina el archivo cuando lo hayas escaneado."
    case .pictureNotRemoved(let path): "No se ha podido eliminar \(path). Elimínalo."
    case .recoverySheetHeading(let user, let host, let date):
      "Códigos de recuperación de \(user) en \(host), creados el \(date)"
    case .recoverySheetAdvice(replacesOlder: true):
      """
      Cada código permite iniciar sesión una vez si no tienes tu dispositivo. Los códigos \
      anteriores ya no funcionan. Guarda esta hoja lejos de tu dispositivo.
      """
    case .recoverySheetAdvice(replacesOlder: false):
      """
      Cada código permite iniciar sesión una vez si no tienes tu dispositivo. Guarda esta hoja \
      lejos de tu dispositivo.
      """
    case .offlineSheetAdvice:
      """
      Cada código permite iniciar sesión una vez en cada servidor del grupo mientras no se pueda \
      contactar con los servidores del segundo factor. Los códigos anteriores para ellos ya no \
      funcionan. Inicia sesión una vez en un servidor con tu dispositivo antes de necesitar allí un \
      código. Guarda esta hoja lejos de tu dispositivo.
      """
    case .recoveryCodesShownOnce: "Estos códigos no se vuelven a mostrar."
    case .recoveryCodesSaved(let path): "Tus códigos de recuperación se han guardado en \(path)."
    case .recoveryCodesPrinted: "Tus códigos de recuperación se han enviado a la impresora."
    case .recoveryCodesNotMade: "No se ha creado ningún código de recuperación."
    case .recoveryCodesLeft(0): "No queda ningún código de recuperación."
    case .recoveryCodesLeft(1): "Queda 1 código de recuperación."
    case .recoveryCodesLeft(let count): "Quedan \(count) códigos de recuperación."
    case .makeRecoveryCodes: "Crea códigos nuevos: mfa-enroll recovery-codes --new"
    case .recoveryCodesImported(1): "Se ha importado 1 código de recuperación. Es corto."
    case .recoveryCodesImported(let count):
      "Se han importado \(count) códigos de recuperación. Son cortos."
    case .columnID: "ID"
    case .columnAdded: "AÑADIDO"
    case .columnCodes: "CÓDIGOS"
    case .columnName: "NOMBRE"
    case .codes(let algorithm, let digits, let seconds):
      "\(algorithm), \(digits) dígitos, \(seconds) s"
    case .noDevices(let user): "\(user) no tiene ningún dispositivo todavía."
    case .addDevice: "Añade uno: mfa-enroll"
    case .renamed(let old, let new): "«\(old)» se llama ahora «\(new)»."
    case .removeQuestion(let name): "¿Eliminar «\(name)»? [s/N] "
    case .removeOnly:
      "Es tu único dispositivo. Sin él, no tendrás códigos para iniciar sesión."
    case .removed(let name): "Se ha eliminado «\(name)»."
    case .newestRemoved:
      """
      Era tu dispositivo más reciente. Tu próximo inicio de sesión será sin sus códigos.
      """
    case .onlyRemoved(anotherIsExpected: false):
      "Era tu único dispositivo. En tu próximo inicio de sesión no se pedirá ningún código."
    case .onlyRemoved(anotherIsExpected: true):
      "Era tu único dispositivo. Este servidor espera que añadas otro."
    case .recoveryCodesVoid: "Tus códigos de recuperación ya no funcionan."
    case .otherSessionsContinue:
      "Tus otras sesiones en este servidor siguen abiertas. Ciérralas tú."
    case .otherSessionsEnded(1): "Se ha cerrado otra sesión en este servidor."
    case .otherSessionsEnded(let count): "Se han cerrado otras \(count) sesiones en este servidor."
    case .otherSessionsNotEnded(1): "Hay 1 sesión más que no se ha podido cerrar. Ciérrala tú."
    case .otherSessionsNotEnded(let count):
      "Hay \(count) sesiones más que no se han podido cerrar. Ciérralas tú."
    case .resyncOpening:
      "Si se te pide un código de otro dispositivo y no tienes ninguno, pulsa Intro."
    case .nextCodePrompt: "El código siguiente, cuando la aplicación lo muestre: "
    case .resynced(let name):
      """
      Se ha corregido el reloj de «\(name)». Los dos códigos no se pueden volver a usar.
      """
    case .testedCode: "Correcto. Ese código no se puede volver a usar."
    case .testedRecoveryCode:
      "Correcto. Es uno de tus códigos de recuperación. No se ha usado y sigue siendo válido."
    case .testedBypassCode:
      "Correcto. Es un código de emergencia. No se ha usado y sigue siendo válido."
    case .rememberedSignInsCleared(0): "No se recordaba ningún inicio de sesión."
    case .rememberedSignInsCleared(1):
      """
      Ya no se recuerda el inicio de sesión desde 1 lugar. En el próximo se pedirá un código.
      """
    case .rememberedSignInsCleared(let count):
      """
      Ya no se recuerdan los inicios de sesión desde \(count) lugares. En el próximo se pedirá un \
      código.
      """
    case .imported(let name):
      "Se ha añadido «\(name)», con la clave que tu aplicación ya tiene."
    case .importedFileHoldsKey(let path): "\(path) sigue conteniendo la clave. Elimina el archivo."
    case .importWarning(let warning): warning.spanish
    }
  }
}

extension PictureObstacle {
  var spanish: MessageText {
    switch self {
    case .notATerminal: "Un código QR solo se puede mostrar en un terminal."
    case .unknownTerminal: "Es posible que este terminal no pueda mostrar un código QR (TERM)."
    case .localeNotUTF8:
      """
      La configuración regional no usa UTF-8, así que no se puede mostrar un código QR. \
      Para verlo: LC_ALL=C.UTF-8 mfa-enroll
      """
    case .windowTooSmall(let columns, let lines):
      "La ventana es demasiado pequeña para un código QR: amplíala a \(columns)x\(lines)."
    case .urlTooLong: "La URL es demasiado larga para un código QR."
    case .outOfMemory: "No hay memoria suficiente para un código QR."
    case .libraryMissing(let name, let package):
      "Un código QR necesita la biblioteca \(name) (paquete de Debian \(package))."
    }
  }
}

extension ImportWarningMessage {
  var spanish: MessageText {
    switch self {
    case .weakKey(let bits):
      """
      La clave tiene \(bits) bits, menos de 128. Añade pronto un dispositivo con una clave nueva: \
      mfa-enroll
      """
    case .fewerCodesAccepted(let steps, let accepted):
      """
      El otro programa aceptaba códigos con un adelanto o retraso de hasta \(steps) intervalos. \
      Aquí el máximo es \(accepted). Comprueba la hora del dispositivo.
      """
    case .clockOffset(let steps):
      """
      El otro programa consideraba que el reloj del dispositivo estaba desfasado (adelanto en \
      intervalos: \(steps)), lo que pudo causar otra persona. Comprueba la hora. Si es correcta, \
      vuelve a añadir el dispositivo: mfa-enroll
      """
    case .clockMeasurementDropped:
      """
      Hace poco se recibieron códigos que correspondían a otra hora. Aquí no tienen efecto. \
      Comprueba la hora del dispositivo.
      """
    case .gracePeriodDropped:
      """
      El otro programa permitía iniciar sesión sin código después de un inicio reciente. Este no \
      lo permite.
      """
    case .rateLimitDropped:
      "El límite de inicios de sesión del otro programa se sustituye por el de este servidor."
    case .reuseWasAllowed:
      "El otro programa aceptaba el mismo código más de una vez. Este no lo acepta."
    case .lastCodeNotFound:
      """
      El último código no corresponde a su hora. Todos los códigos posibles cuentan como usados.
      """
    case .passwordDropped:
      "La contraseña del archivo no se importa. Usa la contraseña de tu cuenta."
    case .weakRecoveryCodes(1):
      "1 código de recuperación importado es corto (26 bits). Sustitúyelo."
    case .weakRecoveryCodes(let count):
      "\(count) códigos de recuperación importados son cortos (26 bits). Sustitúyelos."
    case .unreachableRecoveryCodes(let line, let count):
      """
      La línea \(line) no es una opción ni un código de recuperación, por lo que los códigos de \
      recuperación posteriores nunca funcionaron. No importados: \(count).
      """
    case .recoveryCodesDropped(let count):
      """
      Hay más códigos de recuperación de los que puede tener una cuenta. No importados: \(count).
      """
    }
  }
}
