import MFAPAMStack

/// Finds services where policy can require enrolment but the stack does not reliably reach the
/// module's `account` line.
enum MissingAccountLine: Examination {
  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    snapshot.servicesWithModule.compactMap { service in
      guard let configuration = snapshot.configuration(of: service),
        configuration.mayRequireEnrollment(at: service.name)
      else { return nil }
      let line = snapshot.accountLine(of: service)
      if case .certain = line { return nil }
      let files = service.arguments.filter { $0.starts(with: Array("config=".utf8)) }
      return StackFinding(
        service: service.name,
        fault: .accountLine(line, auth: service.position, configuration: files)
      ).finding
    }
  }
}
