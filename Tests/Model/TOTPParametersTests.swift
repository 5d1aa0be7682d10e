import MFAModel
import Testing

@Suite struct TOTPParametersTests {
  @Test(arguments: [
    (UInt16(0), false), (1, false), (14, false), (15, true), (16, true), (30, true), (119, true),
    (120, true), (121, false), (.max, false),
  ])
  func periods(period: UInt16, isAccepted: Bool) {
    let parameters = TOTPParameters(algorithm: .sha256, codeLength: .eight, period: period)
    #expect(parameters?.period == (isAccepted ? period : nil))
  }

  @Test func standardParametersAreTheDefaults() {
    let expected = TOTPParameters(algorithm: .sha1, codeLength: .six, period: 30)
    #expect(TOTPParameters.standard == expected)
  }

  struct Step: Sendable {
    let number: Int
    let period: UInt16
    let time: Int64
    let step: Int64
  }

  @Test(arguments: [
    Step(number: 1, period: 30, time: 0, step: 0),
    Step(number: 2, period: 30, time: 29, step: 0),
    Step(number: 3, period: 30, time: 30, step: 1),
    Step(number: 4, period: 30, time: -1, step: -1),
    Step(number: 5, period: 30, time: -30, step: -1),
    Step(number: 6, period: 30, time: -31, step: -2),
    Step(number: 7, period: 15, time: 1_795_000_014, step: 119_666_667),
    Step(number: 8, period: 120, time: 239, step: 1),
    Step(number: 9, period: 15, time: .max, step: 614_891_469_123_651_720),
    Step(number: 10, period: 15, time: .min, step: -614_891_469_123_651_721),
    Step(number: 11, period: 120, time: .max, step: 76_861_433_640_456_465),
    Step(number: 12, period: 120, time: .min, step: -76_861_433_640_456_466),
  ])
  func steps(_ row: Step) throws {
    let parameters = try #require(
      TOTPParameters(algorithm: .sha1, codeLength: .six, period: row.period))
    #expect(parameters.step(at: row.time) == row.step, "row \(row.number)")
  }

  struct Window: Sendable {
    let number: Int
    let time: Int64
    let adjacentIntervals: UInt8
    let steps: ClosedRange<Int64>?
  }

  @Test(arguments: [
    Window(number: 1, time: 3_000, adjacentIntervals: 0, steps: 100...100),
    Window(number: 2, time: 3_000, adjacentIntervals: 5, steps: 95...105),
    Window(number: 3, time: 3_029, adjacentIntervals: 10, steps: 90...110),
    // At the epoch there are no earlier steps.
    Window(number: 4, time: 0, adjacentIntervals: 0, steps: 0...0),
    Window(number: 5, time: 0, adjacentIntervals: 5, steps: 0...5),
    Window(number: 6, time: 90, adjacentIntervals: 5, steps: 0...8),
    // Before the epoch, only the steps from the epoch on.
    Window(number: 7, time: -1, adjacentIntervals: 0, steps: nil),
    Window(number: 8, time: -1, adjacentIntervals: 1, steps: 0...0),
    Window(number: 9, time: -150, adjacentIntervals: 5, steps: 0...0),
    Window(number: 10, time: -151, adjacentIntervals: 5, steps: nil),
    Window(number: 11, time: .min, adjacentIntervals: 0, steps: nil),
    Window(number: 12, time: .min, adjacentIntervals: .max, steps: nil),
    Window(
      number: 13, time: .max, adjacentIntervals: 10,
      steps: 307_445_734_561_825_850...307_445_734_561_825_870),
    Window(number: 14, time: 0, adjacentIntervals: .max, steps: 0...255),
  ])
  func windows(_ row: Window) {
    let window = TOTPParameters.standard.window(
      at: row.time, adjacentIntervals: row.adjacentIntervals)
    #expect(window == row.steps, "row \(row.number)")
  }

  /// No time causes a trap, whatever the period and the number of intervals.
  @Test func extremeTimesDoNotTrap() throws {
    let times = [Int64.min, .min + 1, -1 << 32, -121, -1, 0, 1, 121, 1 << 32, .max - 1, .max]
    for period in TOTPParameters.periods {
      let parameters = try #require(
        TOTPParameters(algorithm: .sha1, codeLength: .six, period: period))
      for time in times {
        for adjacentIntervals in [0, 1, 5, 10, 255] as [UInt8] {
          let window = parameters.window(at: time, adjacentIntervals: adjacentIntervals)
          #expect((window?.lowerBound ?? 0) >= 0)
          #expect((window?.count ?? 0) <= 2 * Int(adjacentIntervals) + 1)
        }
      }
    }
  }
}
