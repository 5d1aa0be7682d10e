// The documents unwrap by force.
// swift-format-ignore-file: NeverForceUnwrap

import MultiFactor

/// Lines of Identity Platform's documents from before Swift had async functions, with their names and in their
/// order. Only `user` is a different object, the sign-in has no password, and the error is a Swift enumeration.
struct OlderDocuments {
  let user: MultiFactor?
  let displayName = "work"
  let selectedIndex = 0

  func enroll() async {
    let phoneNumber = ask("Phone number: ")
    await withCheckedContinuation { end in
      user?.multiFactor.getSessionWithCompletion({ (session, error) in
        PhoneAuthProvider.provider().verifyPhoneNumber(
          phoneNumber,
          uiDelegate: nil,
          multiFactorSession: session
        ) { (verificationId, error) in
          let phoneAuthCode = ask("Verification code: ")
          let credential = PhoneAuthProvider.provider().credential(
            withVerificationID: verificationId!,
            verificationCode: phoneAuthCode)
          let assertion = PhoneMultiFactorGenerator.assertion(with: credential)
          user?.multiFactor.enroll(with: assertion, displayName: displayName) { (error) in
            print("enrolled:", error == nil)
            end.resume()
          }
        }
      })
    }
  }

  func enrollApp() async {
    await withCheckedContinuation { end in
      user?.multiFactor.getSessionWithCompletion({ (session, error) in
        TOTPMultiFactorGenerator.generateSecret(with: session!) { (secret, error) in
          let url = secret!.generateQRCodeURL(withAccountName: "alice", issuer: "Example")
          print("URL:", url.string)
          secret!.openInOTPAppWithQRCodeURL(url)
          let assertion = TOTPMultiFactorGenerator.assertionForEnrollment(
            with: secret!, oneTimePassword: ask("Verification code: "))
          user?.multiFactor.enroll(
            with: assertion, displayName: "app",
            completion: { (error) in
              print("enrolled:", error == nil)
              end.resume()
            })
        }
      })
    }
  }

  func signIn() async {
    await withCheckedContinuation { end in
      user?.multiFactor.signIn { (result, error) in
        if error?.code == .secondFactorRequired {
          let resolver =
            error!.userInfo[AuthErrorUserInfoMultiFactorResolverKey] as! MultiFactorResolver
          let hint = resolver.hints[selectedIndex] as! PhoneMultiFactorInfo
          PhoneAuthProvider.provider().verifyPhoneNumber(
            with: hint,
            uiDelegate: nil,
            multiFactorSession: resolver.session
          ) { (verificationId, error) in
            let credential = PhoneAuthProvider.provider().credential(
              withVerificationID: verificationId!,
              verificationCode: ask("Verification code: "))
            let assertion = PhoneMultiFactorGenerator.assertion(with: credential)
            resolver.resolveSignIn(with: assertion) { (authResult, error) in
              print("signed in with:", authResult?.factor?.displayName ?? "nothing")
              end.resume()
            }
          }
        }
      }
    }
  }

  func unenroll() async throws {
    let factor = try await user!.multiFactor.enrolledFactors[selectedIndex]
    await withCheckedContinuation { end in
      user?.multiFactor.unenroll(
        with: factor,
        completion: { (error) in
          // The user was signed out, or a session is required.
          print("removed:", error == nil, error?.code == .invalidUserToken)
          end.resume()
        })
    }
  }

  private func ask(_ question: String) -> String {
    guard let answer = SecretBytes.ask(question, echo: true) else { return "" }
    return answer.string
  }
}
