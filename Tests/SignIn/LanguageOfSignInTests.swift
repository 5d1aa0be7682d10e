import MFAWire
import MFAStore
import MFAModel
import MFAMessages
import MFASignIn
import MFASignInTestSupport
import MFABase
import Testing

@Suite("The language of messages at a sign-in")
struct LanguageOfSignInTests {
  let host = ScriptedHost()

  init() throws { host.configuration = "[project]\nlanguage = es\n" }

  private func enroll(_ language: Language?) throws {
    try host.enroll("Pixel")
    if let language { host.memory.record?.setLanguage(language) }
  }

  private func request(terminal: String? = nil) -> SignInRequest {
    SignInRequest(terminal: terminal)
  }

  private func signIn(_ application: ScriptedApplication, terminal: String? = nil) {
    _ = SignInRun(request(terminal: terminal), host: host, application: application).authenticate()
  }

  @Test("before the first factor is proven, every user sees the language of the host")
  func hostsLanguage() throws {
    for language in [nil] + Language.allCases {
      try enroll(language)
      let application = ScriptedApplication([.text("000000")])
      signIn(application)
      #expect(application.prompts == ["Código de un solo uso: "])
      #expect(application.told == ["Código incorrecto."])
      host.memory.record = nil
    }
  }

  @Test(
    "once sshd has verified a key, a user sees the language of the enrolment",
    arguments: [
      (nil, "Código de un solo uso: "), (.english, "Verification code: "),
      (.french, "Code à usage unique\u{a0}: "), (.japanese, "確認コード: "),
    ] as [(Language?, String)])
  func afterKey(language: Language?, prompt: String) throws {
    try enroll(language)
    let application = ScriptedApplication([.text("000000")])
    application.methods = "publickey ssh-ed25519 AAAA"
    signIn(application)
    #expect(application.prompts == [prompt])
  }

  @Test("the user's own program shows the language of the enrolment")
  func ownProgram() throws {
    try enroll(.french)
    host.identity = ProcessIdentity(
      user: try #require(host.account).uid, actsAsRoot: true, isConfined: false)
    host.isCalledByRoot = false
    let application = ScriptedApplication([.text("000000")])
    signIn(application)
    #expect(application.told == ["Code incorrect."])
  }

  @Test("the Linux console shows English in place of a language that it cannot show")
  func console() throws {
    try enroll(.traditionalChinese)
    for (terminal, prompt) in [
      ("tty1", "Verification code: "), ("/dev/tty63", "Verification code: "), ("pts/1", "驗證碼："),
      ("tty", "驗證碼："), ("ttyS0", "驗證碼："), ("ssh", "驗證碼："),
    ] {
      let application = ScriptedApplication([.text("000000")])
      application.methods = "publickey ssh-ed25519 AAAA"
      signIn(application, terminal: terminal)
      #expect(application.prompts == [prompt], "\(terminal)")
      host.memory.attempts = AttemptState(record: try #require(host.memory.record).id)
    }
  }

  @Test("the Linux console shows English in place of the host's language, also to unknown users")
  func consoleOfHost() throws {
    host.configuration = "[project]\nlanguage = ja\n"
    try enroll(.japanese)
    for isKnown in [true, false] {
      if !isKnown { host.account = nil }
      let application = ScriptedApplication([.text("000000")])
      signIn(application, terminal: "tty1")
      #expect(application.prompts == ["Verification code: "])
      #expect(application.told == ["Wrong code."])
    }
  }

  @Test("`after_password` says that the password has been proven, unless the answer contains it")
  func afterPassword() throws {
    try enroll(.french)
    for (arguments, prompt) in [
      (["after_password"], "Code à usage unique\u{a0}: "), ([], "Código de un solo uso: "),
      (["after_password", "forward_pass"], "Contraseña seguida del código de un solo uso: "),
    ] {
      let request = SignInRequest(service: "login", arguments: arguments)
      let application = ScriptedApplication([.text("000000")])
      _ = SignInRun(request, host: host, application: application).authenticate()
      #expect(application.prompts == [prompt])
    }
  }

  @Test("`prompt` is the question for a code in every language, and the option overrides it")
  func ownPrompt() throws {
    host.configuration = "[project]\nlanguage = es\n[tenant vpn]\nservices = login\nprompt = OTP:\n"
    try enroll(.french)
    for (service, arguments, prompt) in [
      ("login", ["after_password"], "OTP: "), ("login", [], "OTP: "),
      ("login", ["after_password", "prompt=Token: "], "Token: "),
      // The question asks for the password, too.
      ("login", ["forward_pass"], "Contraseña seguida del código de un solo uso: "),
      ("sudo", ["after_password"], "Code à usage unique\u{a0}: "),
    ] {
      let request = SignInRequest(service: service, arguments: arguments)
      let application = ScriptedApplication([.text("000000")])
      _ = SignInRun(request, host: host, application: application).authenticate()
      #expect(application.prompts == [prompt], "\(service) \(arguments)")
    }
    host.account = nil
    let application = ScriptedApplication([.text("000000")])
    let request = SignInRequest(service: "login")
    _ = SignInRun(request, host: host, application: application).authenticate()
    #expect(application.prompts == ["OTP: "])
  }

  @Test("a program of a session whose locale is not UTF-8 shows English")
  func locale() throws {
    try enroll(.french)
    for (service, isUTF8, prompt) in [
      ("sudo", false, "Verification code: "), ("sudo", true, "Code à usage unique\u{a0}: "),
      ("sshd", false, "Code à usage unique\u{a0}: "),
    ] {
      host.usesUTF8 = isUTF8
      let request = SignInRequest(service: service, arguments: ["after_password"])
      let application = ScriptedApplication([.text("000000")])
      _ = SignInRun(request, host: host, application: application).authenticate()
      #expect(application.prompts == [prompt])
    }
  }

  @Test("unknown users see the language of the host")
  func unknownUser() {
    host.account = nil
    let application = ScriptedApplication([.text("000000")])
    host.configuration = "[project]\nlanguage = ja\n"
    signIn(application)
    #expect(application.prompts == ["確認コード: "])
    #expect(application.told == ["確認コードが正しくありません。"])
  }
}
