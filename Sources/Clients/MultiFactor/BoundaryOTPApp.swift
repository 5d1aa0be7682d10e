import MFACDBus
public import MFASecrets

extension TOTPSecret {
  /// Gives the URL of a secret to the authenticator app of this desktop.
  ///
  /// The URL goes over the session bus to the desktop portal (`org.freedesktop.portal.OpenURI`), which
  /// opens it in the user's handler for `otpauth:` and asks the user if there are several. The URL is in
  /// no argument list of this program, because every user can read those. Portals start an app that
  /// D-Bus cannot activate with the URL in its arguments. Needs libsystemd at run time.
  ///
  /// - Parameter url: the URL from `generateQRCodeURL`.
  /// - Throws: `otpAppUnavailable` with the reason, for example if the user is not at a desktop, if no
  ///   app is installed for such URLs, or if the user has not chosen one within two minutes. The program
  ///   then shows the QR code or the key.
  public func openInOTPApp(
    withQRCodeURL url: borrowing SecretBytes
  ) async throws(MultiFactorError) {
    guard let request = OpeningRequest(url) else { throw .otpAppUnavailable(.unsupportedURL) }
    let failure = await request.send()
    if let failure { throw .otpAppUnavailable(failure) }
  }

  /// Gives the URL of a secret to the authenticator app of this desktop, as the other function does. See
  /// `SecretBytes.init(_:)` for what a string leaves in memory.
  ///
  /// - Parameter url: the URL from `generateQRCodeURL`.
  /// - Throws: `otpAppUnavailable`.
  public func openInOTPApp(withQRCodeURL url: String) async throws(MultiFactorError) {
    try await openInOTPApp(withQRCodeURL: SecretBytes(url))
  }
}

/// A request to the portal to open one URL.
private final class OpeningRequest: Sendable {
  /// How long the user may take to choose an app.
  private static let seconds: UInt32 = 120

  /// The URL with a NUL at its end.
  private let url: SecretBytes
  private let worker = WorkerThread()

  /// Returns nil if the text is not an `otpauth:` URL in ASCII.
  init?(_ url: borrowing SecretBytes) {
    let scheme = Array("otpauth://".utf8)
    guard url.count > scheme.count,
      scheme.indices.allSatisfy({ url.span[$0] == scheme[$0] }),
      url.span.indices.allSatisfy({ (0x21..<0x7F).contains(url.span[$0]) })
    else { return nil }
    let end: [UInt8] = [0]
    self.url = SecretBytes(joining: url.span, end.span)
  }

  /// Sends the request and waits for the response on a thread of its own. Returns why it failed.
  func send() async -> OTPAppFailure? {
    await withCheckedContinuation { continuation in
      worker.add { continuation.resume(returning: self.failure()) }
    }
  }

  private func failure() -> OTPAppFailure? {
    let token = "mfa_" + String(UInt64.random(in: .min ... .max), radix: 16)
    let result = url.withSpan { url in
      // SAFETY: the call reads two strings, which end with a NUL and outlive it.
      unsafe url.withUnsafeBufferPointer { url in
        unsafe url.baseAddress.map { unsafe cdbus_open_uri($0, token, Self.seconds) }
      }
    }
    return switch Int(result ?? Int32(cdbus_no_handler)) {
    case cdbus_opened: nil
    case cdbus_no_library: .libraryMissing
    case cdbus_no_bus: .noSessionBus
    case cdbus_no_portal: .noPortal
    case cdbus_cancelled: .cancelled
    case cdbus_timed_out: .timedOut
    case _: .noHandler
    }
  }
}
