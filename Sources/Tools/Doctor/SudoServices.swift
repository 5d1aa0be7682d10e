import MFAAdmin
import MFAPAMStack

/// The PAM services that sudo uses, and whether they ask for a code.
struct SudoServices {
  /// Returns the service, or nil if it does not call the module.
  let service: (String) -> Result<ServiceWithModule?, StackRefusal>
  private let file: (String) -> Result<StackFile?, StackRefusal>

  init(_ source: some StackSource) {
    service = { name in
      // libpam ignores the case of names.
      let name = Array(name.lowercased().utf8)
      do throws(StackRefusal) {
        return .success(
          ServiceWithModule(name: name, stack: try ServiceStack(.auth, of: name, from: source)))
      } catch {
        return .failure(error)
      }
    }
    file = { name in
      do throws(StackRefusal) {
        let own = try source.file(Array(name.lowercased().utf8))
        return .success(own == nil ? try source.file(Array("other".utf8)) : own)
      } catch {
        return .failure(error)
      }
    }
  }

  /// Returns the path of the file that libpam reads for a service.
  func path(_ name: String) -> String {
    guard case .success(let file?) = file(name) else {
      return VisibleText.escaping(Array("/etc/pam.d/\(name)".utf8))
    }
    return VisibleText.escaping(file.path)
  }

  /// The services that sudo uses unless its rules name others.
  static let names = ["sudo", "sudo-i"]

  /// Whether users expect that sudo asks for a code.
  var areAsked: Bool { Self.names.contains { withModule($0) != nil } }

  /// Returns the service, or nil if it does not call the module or cannot be read.
  func withModule(_ name: String) -> ServiceWithModule? {
    guard case .success(let found) = service(name) else { return nil }
    return found
  }
}
