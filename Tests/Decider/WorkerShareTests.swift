import MFABase
import Testing

@testable import MFADecider

/// MUST 1 of WorkerShare.swift: no user other than root occupies more processes than
/// `processesPerUser`.
@Suite("Processes of the resident service")
struct WorkerShareTests {
  /// The user of the service and of the helper.
  private static let service: UInt32 = 999

  /// Has the process in `slot` begin to serve a user. Returns whether it may.
  private static func begin(_ share: WorkerShare, _ slot: Int, for user: UInt32) -> Bool {
    share.started(in: slot)
    share.slot = slot
    return share.begin(for: user)
  }

  @Test("a user occupies a limited number of processes, which does not limit other users or root")
  func perUser() throws {
    let share = try #require(WorkerShare(ownUser: WorkerShareTests.service))
    for slot in 0..<WorkerShare.processesPerUser {
      #expect(Self.begin(share, slot, for: 1000))
    }
    #expect(!Self.begin(share, 100, for: 1000))
    #expect(!share.isDispensable(100))
    for slot in 50..<(50 + WorkerShare.processesPerUser) {
      #expect(Self.begin(share, slot, for: 1001))
    }
    for slot in 200..<(200 + 2 * WorkerShare.processesPerUser) {
      #expect(Self.begin(share, slot, for: 0))
    }
    // A refused process becomes free again, and so does one that has finished.
    share.slot = 100
    #expect(share.end())
    #expect(!Self.begin(share, 101, for: 1000))
    share.slot = 101
    #expect(share.end())
    share.slot = 0
    #expect(share.end())
    #expect(Self.begin(share, 102, for: 1000))
  }

  @Test("the last user ID, whose successor is 0, is limited too")
  func lastUser() throws {
    let share = try #require(WorkerShare(ownUser: WorkerShareTests.service))
    for slot in 0..<WorkerShare.processesPerUser {
      #expect(Self.begin(share, slot, for: .max - 1))
    }
    #expect(!Self.begin(share, 100, for: .max - 1))
  }

  @Test("a process that serves the helper counts for the helper's caller")
  func relayed() throws {
    let share = try #require(WorkerShare(ownUser: WorkerShareTests.service))
    for slot in 0..<(2 * WorkerShare.processesPerUser) {
      #expect(Self.begin(share, slot, for: Self.service))
      #expect(share.take(for: UInt32(2000 + slot)))
    }
    for slot in 0..<WorkerShare.processesPerUser {
      share.slot = slot
      #expect(share.take(for: 3000))
    }
    share.slot = 100
    #expect(!share.take(for: 3000))
  }

  @Test("helpers whose users are not known yet occupy a limited number of processes")
  func helpers() throws {
    let share = try #require(WorkerShare(ownUser: Self.service))
    for slot in 0..<WorkerShare.processesForHelpers {
      #expect(Self.begin(share, slot, for: Self.service))
    }
    #expect(!Self.begin(share, WorkerShare.processesForHelpers, for: Self.service))
    share.slot = 0
    #expect(share.take(for: 1000))
    #expect(Self.begin(share, WorkerShare.processesForHelpers, for: Self.service))
  }

  @Test("a process that ended while it served a user occupies nothing")
  func ended() throws {
    let share = try #require(WorkerShare(ownUser: WorkerShareTests.service))
    for slot in 0..<WorkerShare.processesPerUser {
      #expect(Self.begin(share, slot, for: 1000))
    }
    #expect(share.idleProcesses == 0)
    share.ended(in: 0)
    #expect(share.idleProcesses == 0)
    #expect(Self.begin(share, 1, for: 1000))
    share.started(in: 5)
    #expect(share.idleProcesses == 1)
    share.ended(in: 5)
    #expect(share.idleProcesses == 0)
  }

  @Test("of the processes that work for the same purpose, a number is limited")
  func claimants() throws {
    let share = try #require(WorkerShare(ownUser: Self.service))
    for slot in 0..<10 {
      #expect(Self.begin(share, slot, for: 0) && share.serve(1000, most: 10))
    }
    #expect(Self.begin(share, 200, for: 0) && !share.serve(1000, most: 10))
    #expect(share.serve(1001, most: 10))
    share.slot = 3
    #expect(share.end())
    #expect(Self.begin(share, 201, for: 0) && share.serve(1000, most: 10))
    share.ended(in: 4)
    #expect(Self.begin(share, 202, for: 0) && share.serve(1000, most: 10))
    #expect(Self.begin(share, 203, for: 0) && !share.serve(1000, most: 10))
  }

  @Test("the last process turns connections away")
  func full() throws {
    let share = try #require(WorkerShare(ownUser: Self.service))
    for slot in 0..<(WorkerShare.maximumProcesses - 1) {
      #expect(Self.begin(share, slot, for: 0), "\(slot)")
    }
    #expect(!Self.begin(share, WorkerShare.maximumProcesses - 1, for: 0))
    #expect(share.end())
    share.ended(in: 7)
    #expect(Self.begin(share, 7, for: 0))
  }

  @Test("the number of idle processes is limited, and none stays when the service stops")
  func idle() throws {
    let share = try #require(WorkerShare(ownUser: WorkerShareTests.service))
    for slot in 0..<WorkerShare.usualIdle { share.started(in: slot) }
    share.slot = 20
    #expect(!share.end())
    let database = try #require(WorkerShare(ownUser: Self.service, most: 40, mostIdle: 40))
    for slot in 0..<39 { database.started(in: slot) }
    database.slot = 39
    #expect(database.end())
    database.slot = 40
    #expect(!database.end())
    let other = try #require(WorkerShare(ownUser: WorkerShareTests.service))
    other.isStopping = true
    #expect(!other.end())
  }

  @Test("a process that begins as the last idle one wakes the supervisor")
  func wakes() async {
    await #expect(processExitsWith: .success) {
      let share = try #require(WorkerShare(ownUser: WorkerShareTests.service))
      let attention = try Attention()
      #expect(WorkerShareTests.begin(share, 0, for: 0))
      // Returns at once; otherwise this test would hang.
      #expect(try !attention.wait(for: [share.need], seconds: nil))
      #expect(share.idleProcesses == 0)
    }
  }
}
