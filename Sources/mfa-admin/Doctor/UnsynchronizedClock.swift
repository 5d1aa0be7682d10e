import System

/// A clock that nothing keeps in time: codes are those of a moment.
enum UnsynchronizedClock: Examination {
  static func findings(on chart: Chart) -> [Finding] {
    let place = "adjtimex(2)"
    do throws(SystemError) {
      guard try !chart.host.clockIsSynchronized() else { return [] }
    } catch {
      return [.unchecked("whether the clock is kept in time", at: place, error.text)]
    }
    return [
      Finding(
        severity: .warning, code: "clock-not-synchronized", place: place,
        message:
          "the kernel knows of nothing that keeps the clock in time: once it is off by more than "
          + "adjacent_intervals allow, every code is wrong",
        hint:
          "timedatectl set-ntp true, or see that chrony has \"rtcsync\"; where the host of a virtual "
          + "machine keeps its time, this may be as it should")
    ]
  }
}
