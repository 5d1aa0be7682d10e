/// Records that cannot be used: whose they are cannot sign in.
enum UnusableRecords: Examination {
  static func findings(on chart: Chart) -> [Finding] {
    let reports: [UserReport]
    switch chart.stored {
    case .success(let found): reports = found
    case .failure(let error):
      return [.unchecked("what is stored for people", at: "/var/lib/mfa", error.message)]
    }
    let unusable = reports.filter { !$0.isUsable }
    guard let first = unusable.first, case .unusable(let trouble) = first.content else { return [] }
    return [
      Finding(
        severity: .error, code: "unusable-records", place: "/var/lib/mfa",
        message:
          "what is stored for \(Chart.list(unusable.map(\.visibleName))) cannot be used, and "
          + "they cannot sign in where they are asked: \(trouble.sentence)",
        hint: "mfa-admin list --unusable; mfa-admin show USER says what to do about each")
    ]
  }
}
