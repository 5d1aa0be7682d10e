import MFAAdmin

/// Finds services that `mfa-admin enable` enabled and that have lost its lines since, for example
/// because an upgrade replaced the file.
enum LostLines: Examination {
  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    switch snapshot.host.recordedServices() {
    case .failure(let failure):
      return [
        .unchecked(
          "whether enabled services still ask for a code", at: VisibleText.escaping(failure.place),
          failure.reason)
      ]
    case .success(let services):
      return services.flatMap { service in
        service.files.compactMap { finding(service, $0, snapshot) }
      }
    }
  }

  private static func finding(
    _ service: RecordedService, _ file: RecordedService.File, _ snapshot: HostSnapshot
  ) -> Finding? {
    let path = VisibleText.escaping(file.path)
    let name = VisibleText.escaping(service.name)
    let what: String
    var place = path
    switch file.state {
    case .complete: return nil
    case .unreadable(let reason):
      return .unchecked("whether \(name) still asks for a code", at: path, reason)
    case .gone: what = "the file is gone"
    case .withoutLines: what = "the file no longer contains them"
    case .edited(let line):
      place = "\(path):\(line)"
      what = "this line, between the marks, was edited"
    }
    let way = wayWithoutCode(service, snapshot)
    return Finding(
      severity: way == nil ? .warning : .error, code: "lines-lost", services: [service.name],
      place: place,
      message: "the lines of mfa-admin enable are no longer complete: \(what)"
        + (way ?? "; other lines still ask for a code"),
      hint: "enable it again: mfa-admin enable \(name); if that is intended, remove the record: "
        + "mfa-admin disable \(name)")
  }

  /// Returns how users sign in without a code, or nil if other lines of the service still ask for one.
  private static func wayWithoutCode(
    _ service: RecordedService, _ snapshot: HostSnapshot
  ) -> String? {
    guard let found = snapshot.servicesWithModule.first(where: { $0.name == service.name }),
      found.asksForCode
    else { return "; users sign in without a code" }
    guard found.isNamed("sshd"), let way = snapshot.sshd.generalWayWithoutPAM else { return nil }
    return "; users sign in without a code, because sshd does not ask PAM: \(way)"
  }
}
