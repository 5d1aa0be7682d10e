import PAMStack

/// Lines of the module whose denial does not count.
enum WeakAuthLine: Examination {
  static func findings(on chart: Chart) -> [Finding] { chart.asked.compactMap { finding($0) } }

  /// What is found in the stack of one service.
  static func finding(_ service: AskedService) -> Finding? {
    if !service.control.deniesEveryFailure,
      !PAMModule.isDenied(from: service.index, behind: service.index, in: service.stack)
    {
      return Finding(
        severity: .error, code: "auth-toothless", services: [service.name], place: service.place,
        message: "a wrong code is no denial: the control of this line lets the stack succeed",
        hint: "write \"auth required pam_mfa.so\", with the arguments that it has")
    }
    guard let obstacle = service.stack.entries.first(where: { $0.mayForget }) else { return nil }
    return Finding(
      severity: .error, code: "auth-forgotten", services: [service.name],
      place: VisibleText.escaping(obstacle.position.text),
      message: "a wrong code may be no denial: this line may have what pam_mfa.so says "
        + "forgotten",
      hint: "take the action 'reset' out of this line")
  }
}
