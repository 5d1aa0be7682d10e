import FoundationEssentials
import MFACDBus
public import MFABase

extension TOTPSecret {
  /// Gives the URL of a secret to the authenticator app of this desktop.
  ///
  /// The app is the user's default app for the scheme `otpauth`, or the first installed one. The URL
  /// goes to the app over the session bus (`org.freedesktop.Application`), which starts the app if
  /// necessary. The URL is never in an argument list, because every user can read those. An app that
  /// takes URLs only as arguments is therefore not started. The desktop portal is not used: it starts
  /// such apps. Needs libsystemd at run time.
  ///
  /// - Parameter url: the URL from `generateQRCodeURL`.
  /// - Throws: `otpAppUnavailable` with the reason, for example if the user is not at a desktop, or if
  ///   no app is installed for such URLs. The program then shows the QR code or the key.
  public func openInOTPApp(
    withQRCodeURL url: borrowing SecretBytes
  ) async throws(MultiFactorError) {
    try await openInOTPApp(withQRCodeURL: url, timeout: .seconds(30))
  }

  /// Gives the URL of a secret to the authenticator app of this desktop, as the other function does. See
  /// `SecretBytes.init(_:)` for what a string leaves in memory.
  ///
  /// - Parameter url: the URL from `generateQRCodeURL`.
  /// - Throws: `otpAppUnavailable`.
  public func openInOTPApp(withQRCodeURL url: String) async throws(MultiFactorError) {
    try await openInOTPApp(withQRCodeURL: SecretBytes(url))
  }

  /// Gives the URL to the app, which must reply within `timeout`.
  func openInOTPApp(
    withQRCodeURL url: borrowing SecretBytes, timeout: Duration
  ) async throws(MultiFactorError) {
    guard let request = OpeningRequest(url, timeout) else {
      throw .otpAppUnavailable(.unsupportedURL)
    }
    let failure = await request.send()
    if let failure { throw .otpAppUnavailable(failure) }
  }
}

/// A request to the user's app to open one URL.
private final class OpeningRequest: Sendable {
  /// The URL with a NUL at its end.
  private let url: SecretBytes
  private let timeout: Duration
  private let worker = WorkerThread()

  /// Returns nil if the text is not an `otpauth:` URL in ASCII.
  init?(_ url: borrowing SecretBytes, _ timeout: Duration) {
    let scheme = Array("otpauth://".utf8)
    guard url.count > scheme.count,
      scheme.indices.allSatisfy({ url.span[$0] == scheme[$0] }),
      url.span.indices.allSatisfy({ (0x21..<0x7F).contains(url.span[$0]) })
    else { return nil }
    let end: [UInt8] = [0]
    self.url = SecretBytes(joining: url.span, end.span)
    self.timeout = timeout
  }

  /// Sends the request and waits for the reply on a thread of its own. Returns why it failed.
  func send() async -> OTPAppFailure? {
    await withCheckedContinuation { continuation in
      worker.add { continuation.resume(returning: self.failure()) }
    }
  }

  private func failure() -> OTPAppFailure? {
    let environment = ProcessInfo.processInfo.environment
    guard let app = DesktopApp(for: "x-scheme-handler/otpauth", environment: environment) else {
      return .noHandler
    }
    guard app.isActivatable else { return .handlerNeedsArguments }
    let microseconds = UInt64(max(1, timeout / .microseconds(1)))
    let result = url.withSpan { url in
      // SAFETY: the call reads three strings, which end with a NUL and outlive it.
      unsafe url.withUnsafeBufferPointer { url in
        unsafe url.baseAddress.map {
          unsafe cdbus_open_uri(app.name, app.path, $0, microseconds)
        }
      }
    }
    return switch Int(result ?? Int32(cdbus_no_app)) {
    case cdbus_done: nil
    case cdbus_no_library: .libraryMissing
    case cdbus_no_bus: .noSessionBus
    case cdbus_timed_out: .timedOut
    case _: .handlerFailed
    }
  }
}
