// Spanish. Users are addressed as "tú", as in the account pages of large providers.

extension SignInMessage {
  var spanish: MessageText {
    switch self {
    case .codePrompt: "Código de un solo uso: "
    case .breakGlassPrompt:
      "No se puede usar el almacén de segundos factores. Código de emergencia: "
    case .passwordAndCodePrompt: "Contraseña seguida del código de un solo uso: "
    case .codeOrNumberPrompt: "Código de un solo uso, o número de un dispositivo: "
    case .deviceList: "Tus dispositivos:"
    case .codeOfDevicePrompt(let name): "Código de un solo uso de «\(name)»: "
    case .codeOrSendPrompt(let number): "Código de un solo uso (s: enviar uno al \(number)): "
    case .codeOrSendChoicePrompt: "Código de un solo uso, o s1, s2, etc. para recibir uno: "
    case .codeSent(let number):
      "Se ha enviado un código al \(number). Es válido durante 10 minutos."
    case .codeNotSent:
      """
      No se ha podido enviar ningún código. Usa otro dispositivo o un código de recuperación, o \
      contacta con tu administrador.
      """
    case .codeNotSentYet(let seconds):
      """
      No se ha enviado ningún código. Podrás pedir uno dentro de \
      \(WrittenDuration(seconds: seconds).spanish).
      """
    case .phoneNotUsableYet(let seconds):
      """
      No se ha enviado ningún código. El número se añadió hace poco y podrá usarse dentro de \
      \(WrittenDuration(seconds: seconds).spanish).
      """
    case .wrongCode: "Código incorrecto."
    case .wrongCodeTryAgain: "Código incorrecto. Inténtalo de nuevo."
    case .usedCode: "Ese código ya se ha usado. Usa el siguiente."
    case .throttled(let seconds):
      """
      Demasiados códigos incorrectos. Inténtalo de nuevo dentro de \
      \(WrittenDuration(seconds: seconds).spanish).
      """
    case .locked:
      """
      Demasiados códigos incorrectos. Tus dispositivos están bloqueados. Pide a un administrador \
      que los desbloquee.
      """
    case .lockedUntilRecoveryCode:
      """
      Demasiados códigos incorrectos. Tus dispositivos están bloqueados. Inicia sesión con un \
      código de recuperación o pide a un administrador que los desbloquee.
      """
    case .notACode:
      "Eso no es un código. Escribe los dígitos que muestra tu aplicación de autenticación."
    case .noSuchDevice: "Ningún dispositivo tiene ese número."
    case .breakGlassAccepted:
      """
      Código de emergencia aceptado, porque no se puede usar el almacén de segundos factores. \
      Busca la causa: sudo mfa-admin doctor
      """
    case .unavailable:
      """
      No se puede iniciar sesión por un problema del servidor, no por tu código. Ponte en \
      contacto con tu administrador.
      """
    case .tooManyOpenSignIns:
      "Demasiados inicios de sesión tuyos esperan una respuesta. Termina uno primero."
    case .recoveryCodeAccepted(0, _):
      """
      Código de recuperación aceptado. Era el último. Crea códigos nuevos: \
      mfa-enroll recovery-codes --new
      """
    case .recoveryCodeAccepted(let left, false):
      "Código de recuperación aceptado. \(Self.spanishLeft(left))"
    case .recoveryCodeAccepted(let left, true):
      """
      Código de recuperación aceptado. \(Self.spanishLeft(left)) Crea códigos nuevos: \
      mfa-enroll recovery-codes --new
      """
    case .clockMayBeWrong:
      """
      Un código anterior era correcto, pero para otro momento. Puede que el reloj de tu teléfono \
      o el de este servidor no esté en hora.
      """
    case .bypassCodeAccepted(0):
      """
      Código de emergencia aceptado. No se puede volver a usar. Añade un dispositivo ahora: \
      mfa-enroll
      """
    case .bypassCodeAccepted(1):
      """
      Código de emergencia aceptado. Se puede usar una vez más. Añade un dispositivo: mfa-enroll
      """
    case .bypassCodeAccepted(let uses):
      """
      Código de emergencia aceptado. Se puede usar \(uses) veces más. Añade un dispositivo: \
      mfa-enroll
      """
    case .enrollmentOffered(let signIns, let lastDay):
      "Protege tu cuenta con una aplicación de autenticación: mfa-enroll"
        + Self.spanishLimit(signIns, lastDay)
    case .enrollmentNotPossible:
      """
      Este servidor exige un código de una aplicación de autenticación, y aún no has añadido \
      ninguna. Pide a un administrador un tíquet de registro y ejecuta mfa-enroll --ticket.
      """
    case .enrollmentNeedsQuestions:
      """
      Este servidor exige un código de una aplicación de autenticación, y aún no has añadido \
      ninguna. Inicia sesión donde se puedan hacer preguntas (con ssh: keyboard-interactive), o \
      pide a un administrador un tíquet de registro y ejecuta mfa-enroll --ticket.
      """
    case .enrollmentAbandoned:
      """
      No se ha añadido ningún dispositivo. Inicia sesión de nuevo con una aplicación de \
      autenticación a mano.
      """
    case .enrollmentWrongCodes:
      """
      Demasiados códigos incorrectos. No se ha añadido ningún dispositivo. Comprueba que la hora \
      de tu teléfono es correcta e inicia sesión de nuevo.
      """
    case .enrollmentTooLate:
      """
      Ha pasado demasiado tiempo. No se ha añadido ningún dispositivo. Inicia sesión de nuevo.
      """
    case .enrollmentTooLittleTime(let seconds):
      """
      El tiempo restante (\(WrittenDuration(seconds: seconds).spanish)) no basta para añadir un \
      dispositivo. No se ha añadido ninguno. Inicia sesión de nuevo, sin esperar.
      """
    case .enrolledMeanwhile:
      """
      Mientras tanto se ha añadido un dispositivo a tu cuenta. Inicia sesión de nuevo con su \
      código.
      """
    case .noticeConfirmation: "Escribe yes si has leído este mensaje: "
    case .howToReadNotices: "Estos avisos se muestran hasta que ejecutes mfa-enroll notices."
    case .noticesStay:
      "Estos avisos se muestran hasta que inicies sesión con un dispositivo que ya tenías."
    case .noticesUnconfirmed:
      "Estos avisos se muestran hasta que los confirmes con yes al iniciar sesión."
    }
  }

  private static func spanishLeft(_ count: Int64) -> MessageText {
    switch count {
    case 0: "No queda ninguno."
    case 1: "Queda 1."
    default: "Quedan \(count)."
    }
  }

  private static func spanishLimit(_ signIns: Int64?, _ lastDay: [UInt8]?) -> MessageText {
    let count: MessageText? =
      switch signIns {
      case nil: nil
      case 0: "a partir del próximo inicio de sesión"
      case 1: "después de 1 inicio de sesión más"
      case let left?: "después de \(left) inicios de sesión más"
      }
    switch (count, lastDay) {
    case (nil, nil): return ""
    case (let count?, nil): return "\nSerá obligatorio \(count)."
    case (nil, let day?): return "\nSerá obligatorio después del \(day) (UTC)."
    case (let count?, let day?):
      return "\nSerá obligatorio \(count) o después del \(day) (UTC), lo que ocurra antes."
    }
  }
}

extension NoticeMessage {
  var spanish: MessageText {
    switch self {
    case .failedCodes(1, let last):
      "Desde tu último inicio de sesión se ha rechazado 1 código\(last.spanish)."
    case .failedCodes(let count, let last) where last.isUnknown:
      "Desde tu último inicio de sesión se han rechazado \(count) códigos."
    case .failedCodes(let count, let last):
      """
      Desde tu último inicio de sesión se han rechazado \(count) códigos, el \
      último\(last.spanish).
      """
    case .change(let change, let origin): "\(change.spanish)\(origin.spanish)."
    }
  }
}

extension NoticeMessage.Change {
  fileprivate var spanish: MessageText {
    switch self {
    case .enrolled(let name): "Se ha añadido el dispositivo «\(name)»"
    case .imported(let name): "Se ha importado el dispositivo «\(name)» de otro programa"
    case .unenrolled(let name): "Se ha eliminado el dispositivo «\(name)»"
    case .recoveryCodeUsed: "Se ha usado un código de recuperación"
    case .recoveryCodesMade: "Se han creado códigos de recuperación nuevos"
    case .ticketMade(let reason): "Se ha creado un tíquet de registro\(Self.spanish(reason))"
    case .enrolledWithTicket(let name): "Se ha añadido el dispositivo «\(name)» con un tíquet"
    case .bypassCodeMade(let reason):
      "Se ha creado un código de emergencia\(Self.spanish(reason))"
    case .bypassCodeUsed(let reason): "Se ha usado un código de emergencia\(Self.spanish(reason))"
    case .resynchronized(let name): "Se ha corregido el reloj del dispositivo «\(name)»"
    case .revoked: "Un administrador ha eliminado todos tus dispositivos"
    case .unlockedByRecoveryCode:
      "Se ha usado un código de recuperación, que ha desbloqueado tus dispositivos"
    }
  }

  private static func spanish(_ reason: [UInt8]) -> MessageText {
    reason.isEmpty ? "" : " («\(reason)»)"
  }
}

extension NoticeOrigin {
  fileprivate var spanish: MessageText {
    (source.isEmpty ? "" : " desde \(source)") + (time.isEmpty ? "" : " el \(time)")
  }
}

extension HelperMessage {
  var spanish: MessageText {
    switch self {
    case .ticketPrompt: "Tíquet de registro: "
    case .enrolledDevicePrompt: "Código de un dispositivo que ya has añadido: "
    case .enrolledDeviceOrSendPrompt(let number):
      "Código de un dispositivo que ya has añadido (s: enviar uno al \(number)): "
    case .enrolledDeviceOrSendChoicePrompt:
      "Código de un dispositivo que ya has añadido, o s1, s2, etc. para recibir uno: "
    case .phoneIsRestricted:
      """
      Los códigos por SMS son menos seguros que los de una aplicación de autenticación: otra \
      persona puede apropiarse de tu número o leer tus mensajes. Si puedes, usa una aplicación de \
      autenticación.
      """
    case .phoneUsableLater(let seconds):
      """
      Para proteger tu cuenta, solo se enviarán códigos a este número nuevo \
      dentro de \(WrittenDuration(seconds: seconds).spanish). Hasta entonces, usa otro dispositivo \
      o un código de recuperación.
      """
    case .noNotices: "No tienes ningún aviso."
    case .authenticatorAppName: "Aplicación de autenticación"
    case .phoneName: "Teléfono"
    }
  }
}

extension MailMessage {
  var spanish: MessageText {
    switch self {
    case .subject(let user, let host): "Seguridad del inicio de sesión de \(user) en \(host)"
    case .introduction(let user, let host): "Cambios en la cuenta \(user) en \(host):"
    case .advice:
      """
      Si no has sido tú, avisa de inmediato a un administrador: es posible que otra persona pueda
      iniciar sesión con tu cuenta. El comando mfa-enroll list muestra tus dispositivos.
      """
    }
  }
}

extension FailureMessage {
  var spanish: FailureText {
    switch self {
    case .notPermitted:
      FailureText("Esta cuenta no puede hacer eso.", hint: "Consulta a un administrador.")
    case .requiresRecentLogin:
      FailureText(
        "Aún no has demostrado que esta cuenta es tuya.", hint: "Empieza de nuevo.")
    case .tooManyPasswords(let seconds):
      FailureText(
        "Demasiadas contraseñas incorrectas.",
        hint: "Inténtalo de nuevo dentro de \(WrittenDuration(seconds: seconds).spanish).")
    case .accountLocked:
      FailureText(
        "Esta cuenta está bloqueada tras demasiadas contraseñas incorrectas.",
        hint: "Inténtalo más tarde o pide a un administrador que la desbloquee.")
    case .accountExpired:
      FailureText("Esta cuenta ha caducado.", hint: "Consulta a un administrador.")
    case .passwordExpired:
      FailureText(
        "Tu contraseña ha caducado.", hint: "Cámbiala con passwd y empieza de nuevo.")
    case .noSignIns:
      FailureText(
        "Nadie puede iniciar sesión en este equipo por ahora.", hint: "Inténtalo más tarde.")
    case .accountNotAllowed:
      FailureText(
        "Esta cuenta no se puede usar aquí por ahora.", hint: "Consulta a un administrador.")
    case .wrongPassword:
      FailureText(
        "Contraseña incorrecta.",
        hint: "Inténtalo de nuevo con la contraseña con la que inicias sesión aquí.")
    case .sessionExpired:
      FailureText("Ha pasado demasiado tiempo.", hint: "Empieza de nuevo.")
    case .wrongCode:
      FailureText(
        "Código incorrecto.",
        hint: """
          Escribe el código que la aplicación muestra ahora. Si se rechaza otra vez, comprueba el \
          reloj de tu teléfono y el de este servidor.
          """)
    case .usedCode:
      FailureText(
        "Ese código ya se ha usado.", hint: "Espera a que la aplicación muestre el siguiente.")
    case .notACode:
      FailureText(
        "Eso no es un código.", hint: "Escribe los 6 a 8 dígitos que muestra la aplicación.")
    case .throttled(let seconds):
      FailureText(
        "Demasiados códigos incorrectos.",
        hint: "Inténtalo de nuevo dentro de \(WrittenDuration(seconds: seconds).spanish).")
    case .locked:
      FailureText(
        "Demasiados códigos incorrectos. Tus dispositivos están bloqueados.",
        hint: "Pide a un administrador que los desbloquee (mfa-admin unlock).")
    case .nameTaken:
      FailureText("Ya tienes un dispositivo con ese nombre.", hint: "Elige otro nombre.")
    case .tooManyDevices:
      FailureText(
        "Has añadido el número máximo de dispositivos.",
        hint: "Elimina uno que ya no uses: mfa-enroll unenroll")
    case .unsupportedName:
      FailureText(
        "Un dispositivo no puede tener ese nombre.", hint: "Usa de 1 a 64 caracteres visibles.")
    case .noSuchDevice:
      FailureText("No tienes ese dispositivo.", hint: "Consulta tus dispositivos: mfa-enroll list")
    case .unsupportedValue:
      FailureText(
        "Este servidor no admite uno de los valores elegidos.",
        hint: "Usa el algoritmo, el número de dígitos y el periodo habituales.")
    case .storeUnavailable:
      FailureText(
        """
        No se pueden leer ni guardar los datos de tus dispositivos por un problema del servidor.
        """,
        hint: """
          Ponte en contacto con tu administrador. El registro del sistema indica el motivo \
          (authpriv).
          """)
    case .configurationInvalid:
      FailureText(
        "La configuración de este servidor tiene un error.",
        hint: """
          Ponte en contacto con tu administrador. El registro del sistema indica el lugar \
          (authpriv).
          """)
    case .switchedOff:
      FailureText(
        "Este servidor no usa un segundo factor.", hint: "Inicias sesión sin código.")
    case .internalError:
      FailureText(
        "El programa auxiliar ha fallado. No se ha cambiado nada.",
        hint: """
          Ponte en contacto con tu administrador. El registro del sistema indica el motivo \
          (authpriv).
          """)
    case .lastDeviceRequired:
      FailureText(
        "Es tu único dispositivo, y este servidor exige uno.",
        hint: "Añade antes otro dispositivo: mfa-enroll")
    case .invalidTicket:
      FailureText(
        "El tíquet es incorrecto, ya se ha usado o ha caducado.",
        hint: "Revisa lo que has escrito o pide otro tíquet a un administrador.")
    case .shortKey:
      FailureText(
        "La clave es demasiado corta para este servidor.",
        hint: "Añade un dispositivo con una clave nueva: mfa-enroll")
    case .codesNotConsecutive:
      FailureText(
        "Los dos códigos no son consecutivos.",
        hint: """
          Escribe el código que muestra la aplicación, espera al siguiente y escríbelo también.
          """)
    case .codeRequired:
      FailureText(
        "Para esto hace falta un código de un dispositivo que ya hayas añadido.",
        hint: "Empieza de nuevo con un código o con un código de recuperación.")
    case .alreadyImported:
      FailureText(
        "Ya tienes un dispositivo con esa clave.",
        hint: "Consulta tus dispositivos: mfa-enroll list")
    case .tooManyChanges(let minutes):
      FailureText(
        "Has hecho demasiados cambios en una hora.",
        hint: "Inténtalo de nuevo dentro de \(WrittenDuration.minutes(minutes).spanish).")
    case .unsuitableProcess(let attribute):
      FailureText(
        "El programa auxiliar no admite un atributo de este proceso: \(attribute).",
        hint: "Ejecuta mfa-enroll sin nice, chrt ni ulimit. Consulta los límites: prlimit")
    case .tooManyHelpers:
      FailureText(
        "Demasiados programas tuyos usan el programa auxiliar al mismo tiempo.",
        hint: "Cierra algunos e inténtalo de nuevo.")
    case .helperUnavailable(let path, let reason):
      FailureText(
        "No se puede iniciar el programa auxiliar \(path) (\(reason)).",
        hint: """
          Ponte en contacto con tu administrador. Puede que haya que reinstalar el paquete.
          """)
    case .helperEnded:
      FailureText(
        "El programa auxiliar ha terminado de forma inesperada.",
        hint: """
          Ponte en contacto con tu administrador. El registro del sistema indica el motivo \
          (authpriv).
          """)
    case .protocolError:
      FailureText(
        "Este programa no puede comunicarse con el programa auxiliar.",
        hint: """
          Ponte en contacto con tu administrador. Puede que el paquete esté instalado a medias.
          """)
    case .operationInProgress:
      FailureText(
        "Otra operación no ha terminado.", hint: "Termínala o cancélala primero.")
    case .signedOut:
      FailureText("Has eliminado tu dispositivo más reciente.", hint: "Empieza de nuevo.")
    case .signInCodeRequired:
      FailureText(
        "Hace falta un código de uno de tus dispositivos.",
        hint: "Escribe el código que muestra la aplicación o un código de recuperación.")
    case .noAuthenticatorApp(let obstacle):
      FailureText(
        obstacle.spanish,
        hint: "Escanea el código QR con el teléfono o escribe la clave en la aplicación.")
    case .totpNotSupported:
      FailureText(
        "Este servidor no acepta códigos de aplicaciones de autenticación.",
        hint: "Añade un teléfono: mfa-enroll phone")
    case .phonesNotSupported:
      FailureText(
        "Este servidor no envía códigos a teléfonos.",
        hint: "Usa una aplicación de autenticación: mfa-enroll")
    case .numberWithoutPlus:
      FailureText(
        "El número de teléfono no empieza por el signo más.",
        hint: "Escribe primero + y el prefijo del país, por ejemplo +34612345678.")
    case .numberWithOtherCharacters:
      FailureText(
        "El número de teléfono tiene caracteres que no son dígitos.",
        hint: "Escribe solo + y dígitos, por ejemplo +34612345678.")
    case .numberOfNoCountry:
      FailureText(
        "El número de teléfono no empieza por el prefijo de ningún país.",
        hint: "Escribe primero + y el prefijo del país, por ejemplo +34612345678.")
    case .numberTooShort:
      FailureText(
        "El número de teléfono es demasiado corto.",
        hint: "Escribe el número completo con el prefijo del país, por ejemplo +34612345678.")
    case .numberTooLong:
      FailureText(
        "El número de teléfono es demasiado largo.",
        hint: """
          Un número tiene como máximo 15 dígitos con el prefijo del país, por ejemplo \
          +34612345678.
          """)
    case .phoneRegionNotAllowed:
      FailureText(
        "Este servidor no envía códigos a números de ese país.",
        hint: "Usa otro número o una aplicación de autenticación: mfa-enroll")
    case .tooManyMessages(let seconds):
      FailureText(
        "Se han enviado demasiados códigos.",
        hint: "Pide otro dentro de \(WrittenDuration(seconds: seconds).spanish).")
    case .messageNotSent:
      FailureText(
        "No se ha podido enviar el código por un problema del servidor.",
        hint: """
          Usa otro dispositivo o inténtalo más tarde. Si vuelve a ocurrir, ponte en contacto con \
          tu administrador.
          """)
    case .phoneAlreadyAdded:
      FailureText(
        "Ya has añadido este número de teléfono.",
        hint: "Consulta tus dispositivos: mfa-enroll list")
    case .phoneNotUsableYet(let seconds):
      FailureText(
        "Este número de teléfono se añadió hace poco.",
        hint: """
          Se le enviarán códigos dentro de \(WrittenDuration(seconds: seconds).spanish). Hasta \
          entonces, usa otro dispositivo.
          """)
    case .otherVerification:
      FailureText(
        "Este código no corresponde a la última petición.", hint: "Pide un código nuevo y usa ese.")
    }
  }
}

extension PhoneMessage {
  var spanish: MessageText {
    switch self {
    case .code(let issuer):
      " es tu código de un solo uso para \(issuer). No lo compartas con nadie."
    case .enrollmentCode(let issuer):
      """
       es el código que añade este teléfono a tu cuenta de \(issuer). Si no lo has pedido, no hagas \
      caso de este mensaje.
      """
    case .phoneAdded(let issuer):
      """
      Se ha añadido otro teléfono a tu cuenta de \(issuer). Si no has sido tú, avisa a un \
      administrador de inmediato.
      """
    case .phoneRemoved(let issuer):
      """
      Se ha eliminado este teléfono de tu cuenta de \(issuer). Si no has sido tú, avisa a un \
      administrador de inmediato.
      """
    }
  }
}

extension WrittenDuration {
  var spanish: MessageText {
    switch self {
    case .seconds(1): "1 segundo"
    case .seconds(let seconds): "\(seconds) segundos"
    case .minutes(1): "1 minuto"
    case .minutes(let minutes): "\(minutes) minutos"
    case .hours(let hours): "\(hours) horas"
    }
  }
}

extension AuthenticatorAppObstacle {
  fileprivate var spanish: MessageText {
    switch self {
    case .noApp: "Ninguna aplicación de este ordenador abre enlaces de configuración."
    case .appExposesKey:
      """
      La aplicación de este ordenador para enlaces \
      de configuración mostraría la clave a otros usuarios.
      """
    case .appFailed:
      "La aplicación de este ordenador para enlaces de configuración no ha aceptado el enlace."
    case .noDesktop: "Aquí no hay ningún escritorio que abra enlaces de configuración."
    case .noLink: "El texto no es un enlace de configuración."
    }
  }
}
