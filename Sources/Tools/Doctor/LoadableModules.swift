import MFAPAMStack

/// The PAM modules that libpam can load on a host. Each module is examined once.
package final class LoadableModules {
  private let host: any ExaminedHost
  /// What is known about modules: the reason why one cannot be loaded, or nil.
  private var problems: [[UInt8]: String?] = [:]

  /// Creates the value. No module has been examined yet.
  package init(on host: any ExaminedHost) { self.host = host }

  /// Returns the reason why libpam cannot load a line's module, or nil if it can.
  func problem(_ entry: StackEntry) -> String? {
    guard case .module(let name, _, _) = entry.kind else { return nil }
    if let known = problems[name] { return known }
    let problem =
      ModuleKind(entry) == .code
      ? host.loadProblem(name) : host.hasModule(name) ? nil : "the file does not exist"
    problems.updateValue(problem, forKey: name)
    return problem
  }

  /// Returns the modules of a stack that libpam cannot load, as its lines name them.
  func unloadable(in stack: ServiceStack) -> Set<[UInt8]> {
    var names: Set<[UInt8]> = []
    for entry in stack.entries where problem(entry) != nil {
      if case .module(let name, _, _) = entry.kind { names.insert(name) }
    }
    return names
  }
}
