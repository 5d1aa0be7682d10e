/// One thing that the doctor looks for.
///
/// MUST 1: what it cannot find out is a finding too, never silence. (`Finding.unchecked`, and
/// `ExaminationTests.unreadable`)
protocol Examination {
  /// What is found; none where all is well.
  static func findings(on chart: Chart) -> [Finding]
}
