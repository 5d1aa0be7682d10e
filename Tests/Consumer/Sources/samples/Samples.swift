import Helper
import MultiFactor
import MultiFactorQR
import Policy
import System

/// The samples of the page "Coming from Identity Platform", with the placeholders that they use.
struct Samples {
  let currentUser: MultiFactor
  let displayName = "TOTP"
  let selectedIndex = 0

  init() {
    //= The user object 1
    self.currentUser = currentUser
  }

  func ask(_ question: String) async -> String {
    guard let answer = SecretBytes.ask(question, echo: true) else { return "" }
    return answer.string
  }

  func enroll() async throws {
    //= Enrol a factor 1
    //= Enrol a factor 2
    do {
      //= Enrol a factor 3
    } catch {
      print("not opened:", error)
    }
    let url = totpSecret.generateQRCodeURL(
      withAccountName: try await currentUser.userName, issuer: "Your App Name")
    try drawPictures(of: url)
    let verificationCode = await ask("Verification code: ")
    //= Enrol a factor 4
  }

  func enrollPhone() async throws {
    let mfaSession = try await currentUser.multiFactor.session()
    let phoneNumber = await ask("Phone number: ")
    //= Enrol a phone 1
    let verificationCode = await ask("Verification code: ")
    //= Enrol a phone 2
  }

  func drawPictures(of url: borrowing SecretBytes) throws {
    let symbol = try QRSymbol(url)
    _ = TerminalRenderer(ink: .blackOnWhite).draw(symbol).print(terminator: "")
    print("SVG:", QRImage.svg(symbol).count > 1000, "PNG:", try QRImage.png(symbol).count > 100)
  }

  func signIn() async throws {
    //= Sign in with a factor 1
  }

  func finish(_ error: MultiFactorError) async throws {
    //= Sign in with a factor 2
    print("factors:", enrolledFactors)
    //= Sign in with a factor 3
  }

  func signInWithPhone() async throws {
    do throws(MultiFactorError) {
      _ = try await currentUser.multiFactor.signIn()
    } catch {
      try await finishWithPhone(error)
    }
  }

  func finishWithPhone(_ error: MultiFactorError) async throws {
    //= Sign in with a factor 2
    print("factors:", enrolledFactors)
    //= Sign in with a factor 4
    print("signed in with:", authResult.factor?.displayName ?? "a recovery code")
  }

  func unenroll() async throws {
    //= Manage factors 1
    let multiFactorInfo = try await currentUser.multiFactor.enrolledFactors[selectedIndex]
    //= Manage factors 2
  }
}

@main
struct Program {
  static func main() async throws {
    print(nameOfHelper, nameOfPolicy, nameOfSystem)
    let samples = Samples()
    switch CommandLine.arguments.dropFirst().first {
    case "enroll": try await samples.enroll()
    case "sign-in": try await samples.signIn()
    case "enroll-phone": try await samples.enrollPhone()
    case "sign-in-phone": try await samples.signInWithPhone()
    case "unenroll": try await samples.unenroll()
    case "documents": await Documents(currentUser: samples.currentUser).enroll()
    case "documents-sign-in": await Documents(currentUser: samples.currentUser).signIn()
    case "older-documents":
      let older = OlderDocuments(user: samples.currentUser)
      await older.enroll()
      await older.signIn()
      await older.enrollApp()
      try await older.unenroll()
    default:
      print(
        "usage: samples enroll | sign-in | enroll-phone | sign-in-phone | unenroll | documents | "
          + "documents-sign-in | older-documents")
    }
    await samples.currentUser.close()
  }
}
