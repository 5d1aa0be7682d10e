import MultiFactor

/// Lines of Identity Platform's documents, with their names and in their order. Only `currentUser` is
/// a different object, and what the page "Coming from Identity Platform" names under "Remaining
/// differences" is written as that page says.
struct Documents {
  let currentUser: MultiFactor

  func enroll() async {
    guard let mfaSession = try? await currentUser.multiFactor.session() else { return }
    guard let totpSecret = try? await TOTPMultiFactorGenerator.generateSecret(with: mfaSession)
    else { return }
    let otpAuthUri = totpSecret.generateQRCodeURL(
      withAccountName: currentUser.email ?? "default account",
      issuer: "Your App Name")
    print("URL:", otpAuthUri.string)
    do {
      try await totpSecret.openInOTPApp(withQRCodeURL: otpAuthUri)
    } catch {
      print("not opened:", error)
    }
    let verificationCode = ask("Verification code: ")
    let multiFactorAssertion = TOTPMultiFactorGenerator.assertionForEnrollment(
      with: totpSecret,
      oneTimePassword: verificationCode
    )
    do {
      try await currentUser.multiFactor.enroll(
        with: multiFactorAssertion, displayName: "TOTP")
    } catch {
      print("not enrolled:", error)
    }
  }

  func signIn() async {
    do {
      _ = try await currentUser.multiFactor.signIn()
    } catch let error as AuthErrorCode where error.code == .secondFactorRequired {
      let mfaKey = AuthErrorUserInfoMultiFactorResolverKey
      guard let resolver = error.userInfo[mfaKey] as? MultiFactorResolver else { return }
      let enrolledFactors = resolver.hints.map(\.displayName)
      print("factors:", enrolledFactors)
      await resolve(resolver)
    } catch {
      print(error)
    }
  }

  func resolve(_ resolver: MultiFactorResolver) async {
    let i = 0
    guard resolver.hints[i].factorID == TOTPMultiFactorID else { return }
    let assertion = TOTPMultiFactorGenerator.assertionForSignIn(
      withEnrollmentID: resolver.hints[i].uid,
      oneTimePassword: ask("Code: ")
    )
    do {
      let authResult = try await resolver.resolveSignIn(with: assertion)
      print("signed in with:", authResult.factor?.displayName ?? "")
      await unenroll()
    } catch {
      print(error)
    }
  }

  func unenroll() async {
    do {
      let enrolledFactors = try await currentUser.multiFactor.enrolledFactors
      guard let multiFactorInfo = enrolledFactors.first(where: { $0.factorID == TOTPMultiFactorID })
      else { return }
      // The documents begin a new session after a recent sign-in has expired.
      _ = try await currentUser.multiFactor.unenroll(withFactorUID: multiFactorInfo.uid)
    } catch let error as AuthErrorCode where error.code == .userTokenExpired {
      print("the session has ended")
    } catch let error as AuthErrorCode where error.code == .requiresRecentLogin {
      print("a session is required")
    } catch {
      print(error)
    }
  }

  private func ask(_ question: String) -> String {
    guard let answer = SecretBytes.ask(question, echo: true) else { return "" }
    return answer.string
  }
}
