/// Finds lines with `after_password` that can be reached without a password.
enum UnprovenPassword: Examination {
  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    snapshot.servicesWithModule.compactMap { service in
      guard case .success(let options) = service.options, options.followsPassword,
        !followsPassword(service)
      else { return nil }
      return Finding(
        severity: .warning, code: "password-not-proven", services: [service.name],
        place: service.place,
        message:
          "after_password does not hold: a user can be asked for a code without the password, and "
          + "the language of the prompt then reveals who has enrolled",
        hint: "remove after_password, or move the line below the lines that ask for the password")
    }
  }

  private static func followsPassword(_ service: ServiceWithModule) -> Bool {
    !service.effect(for: Claimant([.other])).callsModule
  }
}
