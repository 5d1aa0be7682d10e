import MFABase
import MFAAttempt

/// The condition of the gateway and of its service.
package struct GatewayState: Equatable {
  /// Whether the service listens.
  package enum Service: Equatable {
    /// Nothing listens at the socket.
    case stopped
    /// The service of root listens.
    case listens
    /// A user other than root created the listener.
    case untrusted(owner: UInt32)
    /// The socket could not be used; the value says why.
    case unknown(String)

    /// The condition in one word, for programs.
    package var word: String {
      switch self {
      case .stopped: "stopped"
      case .listens: "listens"
      case .untrusted: "untrusted"
      case .unknown: "unknown"
      }
    }
  }

  /// Why the program is not run; nil if it is trusted.
  package let refusal: GatewayProgram.Refusal?
  /// Whether the service listens.
  package let service: Service

  /// Creates a value.
  package init(refusal: GatewayProgram.Refusal?, service: Service) {
    self.refusal = refusal
    self.service = service
  }

  /// Examines the gateway at `path` and the service of this host.
  package init(of path: [UInt8], socket: [UInt8] = InstalledPath.gatewaySocket.bytes) {
    var refusal: GatewayProgram.Refusal?
    do throws(GatewayProgram.Refusal) { _ = try GatewayProgram(path) } catch { refusal = error }
    self.init(refusal: refusal, service: Self.service(at: socket))
  }

  /// Connects to the socket and sends nothing.
  private static func service(at socket: [UInt8]) -> Service {
    do throws(SystemError) {
      let owner = try PacketConnection(to: socket).peer().user
      return owner == 0 ? .listens : .untrusted(owner: owner)
    } catch {
      return error.isNotFound || error.isRefused ? .stopped : .unknown(error.text)
    }
  }

  /// Returns the reason as part of a sentence.
  package static func reason(_ refusal: GatewayProgram.Refusal) -> String {
    switch refusal {
    case .notAPath: "it is not an absolute path"
    case .notFound: "there is no such file"
    case .notReadable: "it or a directory above it cannot be examined"
    case .symbolicLink: "a directory above it is a symbolic link"
    case .notARegularFile: "it is not a regular file"
    case .wrongOwner: "it does not belong to root"
    case .writableByOthers: "other users than root can write to it"
    case .notExecutable: "it is not executable"
    case .directoryOwner: "a directory above it does not belong to root"
    case .directoryWritableByOthers: "other users than root can write to a directory above it"
    }
  }
}
