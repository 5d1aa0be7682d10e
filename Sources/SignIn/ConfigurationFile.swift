public import Policy
import Secrets
public import System

/// The configuration file, judged and read.
///
/// MUST 1: a file that is missing, that somebody other than root could have written, or that does
/// not parse is an error, never the defaults. (`BadConfiguration`)
public enum ConfigurationFile {
  /// Why there is no configuration.
  public enum Failure: Error, Equatable, Sendable {
    /// `config=` names no absolute path.
    case notAPath
    case system(SystemError)
    case untrusted(Distrust)
    case invalid(ConfigurationError)
  }

  /// /etc/mfa/mfa.conf
  public static var standardPath: [UInt8] { ("/etc/mfa/mfa.conf" as StaticString).bytes }

  /// Reads the configuration at `path`.
  public static func read(_ path: [UInt8]) throws(Failure) -> Configuration {
    guard let trusted = TrustedPath(path) else { throw .notAPath }
    let text = try contents(of: trusted)
    do throws(ConfigurationError) {
      return try Configuration.parse(text.span)
    } catch {
      throw .invalid(error)
    }
  }

  private static func contents(of path: TrustedPath) throws(Failure) -> [UInt8] {
    let directory = try parent(of: path)
    let file = try opening { () throws(SystemError) in try directory.fileForReading(path.last) }
    let status = try opening { () throws(SystemError) in try file.status() }
    guard status.kind == .regular else { throw .untrusted(.notARegularFile) }
    guard status.owner == 0 else { throw .untrusted(.wrongOwner) }
    guard !status.isWritableByOthers else { throw .untrusted(.wrongPermissions) }
    // One byte more than may be: what is longer is refused by the parser, which says so.
    let length = min(Int(clamping: status.size), Configuration.maximumLength + 1)
    return try opening { () throws(SystemError) in try file.read(count: length) }
  }

  private static func parent(of path: TrustedPath) throws(Failure) -> Directory {
    do throws(TrustedPath.Refusal) {
      return try path.parent()
    } catch {
      switch error {
      case .system(let error): throw .system(error)
      case .untrusted(let distrust): throw .untrusted(distrust)
      }
    }
  }

  private static func opening<Result: ~Copyable>(
    _ body: () throws(SystemError) -> Result
  ) throws(Failure) -> Result {
    do throws(SystemError) {
      return try body()
    } catch {
      throw error.isSymbolicLink ? .untrusted(.symbolicLink) : .system(error)
    }
  }
}
