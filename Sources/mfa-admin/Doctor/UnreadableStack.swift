import PAMStack

/// Services of which it cannot be told whether they ask the module.
enum UnreadableStack: Examination {
  static func findings(on chart: Chart) -> [Finding] {
    chart.unreadable.map { service, refusal in
      StackFinding(service: service, fault: .unreadable(refusal)).finding
    }
  }
}
