import MFABase
import MFAModel
import Testing

@Suite("Remembered codes")
struct RememberedCodesTests {
  private func place(_ number: UInt8, _ kind: SignInOrigin.Kind = .address) -> SignInOriginDigest {
    SignInOriginDigest(kind, UInt64(number) * 0x0101_0101_0101_0101)
  }

  struct Row: Sendable {
    let number: Int
    let time: Int64
    let age: Int64
    let now: Int64
    let isFound: Bool
  }

  @Test(
    "a remembered code is valid up to its maximum age, and not if its time is in the future",
    arguments: [
      Row(number: 1, time: 100, age: 10, now: 100, isFound: true),
      Row(number: 2, time: 100, age: 10, now: 110, isFound: true),
      Row(number: 3, time: 100, age: 10, now: 111, isFound: false),
      Row(number: 4, time: 100, age: 10, now: 99, isFound: false),
      Row(number: 5, time: .min, age: .max, now: .max, isFound: false),
      Row(number: 6, time: .max, age: .max, now: .min, isFound: false),
      Row(number: 7, time: 0, age: 0, now: 0, isFound: true),
    ])
  func age(_ row: Row) {
    var codes = RememberedSignIns()
    codes.add(place(1), at: row.time)
    let found = codes.time(of: place(1), notOlderThan: row.age, at: row.now)
    #expect((found != nil) == row.isFound, "row \(row.number)")
    #expect(codes.time(of: place(2), notOlderThan: row.age, at: row.now) == nil)
    #expect(
      codes.time(of: place(1, .session), notOlderThan: row.age, at: row.now) == nil,
      "a different kind is a different place")
  }

  @Test("the latest code from a place replaces the previous one")
  func latest() {
    var codes = RememberedSignIns()
    codes.add(place(1), at: 100)
    codes.add(place(1), at: 200)
    #expect(codes.entries.map { $0.time } == [200])
  }

  @Test(
    "if a kind has too many places, its oldest one is removed",
    arguments: [SignInOrigin.Kind.address, .session])
  func bounded(_ kind: SignInOrigin.Kind) {
    let other: SignInOrigin.Kind = kind == .address ? .session : .address
    var codes = RememberedSignIns()
    codes.add(place(1, other), at: 1)
    let most = RememberedSignIns.maximumCount(of: kind)
    // The oldest code is not the first one.
    codes.add(place(200, kind), at: 50)
    for number in 1...UInt8(most) { codes.add(place(number, kind), at: 100 - Int64(number)) }
    let kept = codes.entries.filter { $0.place.kind == kind }
    #expect(kept.count == most)
    #expect(kept.allSatisfy { $0.time != 50 || most > 50 })
    #expect(codes.entries.contains { $0.place.kind == other })
  }

  @Test("the largest possible state fits its slot, and reads back equal")
  func fullest() throws {
    var state = AttemptState(
      record: try #require(FactorID(bytes: [UInt8](repeating: 9, count: FactorID.length))),
      unreported: AttemptState.Unreported(
        failures: .max, lastFailure: .max,
        source: Source([UInt8](repeating: 0x61, count: Source.maximumLength)), lastShownNotice: .max
      ))
    for number in 0..<UInt8(FactorRecord.maximumFactors) {
      let id = try #require(
        FactorID(bytes: [UInt8](repeating: number, count: FactorID.length)))
      state = state.adding(id, confirmedAt: .max)
    }
    for kind in [SignInOrigin.Kind.address, .session] {
      for number in 1...UInt8(RememberedSignIns.maximumCount(of: kind)) {
        state = state.remembering(place(number, kind), at: .max - Int64(number))
      }
    }
    let encoded = state.encoded(sequence: .max)
    #expect(encoded.count == AttemptState.encodedLength)
    #expect(AttemptState.decode(encoded.span)?.state == state)
  }

  @Test(
    "changes that clear remembered codes, and changes that keep them",
    arguments: [
      (1, "clearing", true), (2, "a removed factor", true), (3, "a new record", true),
      (4, "an added factor", false), (5, "unlocking", false), (6, "showing notices", false),
      (7, "a resynchronised clock", false),
    ])
  func forgotten(row: Int, change: String, isForgotten: Bool) throws {
    let record = try #require(FactorID(bytes: [UInt8](repeating: 9, count: FactorID.length)))
    let user = try #require(UserName(Array("alice".utf8)))
    let present = FactorRecord(user: user, uid: 1, id: record)
    let state = AttemptState(record: record).remembering(place(1), at: 100)
    let next =
      switch row {
      case 1: state.forgetting()
      case 2: state.keeping(present)
      case 3: state.beginning(present)
      case 4: state.adding(record, confirmedAt: 1)
      case 5: state.unlocked()
      case 6: state.told(upTo: 7)
      default: state.resynchronized(record, at: 7)
      }
    #expect(next.remembered.entries.isEmpty == isForgotten, "row \(row): \(change)")
  }

  @Test("every byte of the remembered codes is significant, and an invalid count is refused")
  func damaged() throws {
    let record = try #require(FactorID(bytes: [UInt8](repeating: 9, count: FactorID.length)))
    let plain = AttemptState(record: record)
    let state = plain.remembering(place(1), at: 100).remembering(place(2), at: 200)
    let encoded = state.encoded(sequence: 1)
    let empty = plain.encoded(sequence: 1)
    let count = try #require(encoded.indices.first { encoded[$0] != empty[$0] })
    #expect(encoded[count] == 2)
    for value: UInt8 in [3, 10, 255] {
      var changed = encoded
      changed[count] = value
      #expect(AttemptState.decode(changed.span) == nil, "a count of \(value)")
    }
    var changed = encoded
    changed[count + 1] = 3
    #expect(AttemptState.decode(changed.span) == nil, "an unknown kind")
    // The same place appears twice.
    changed = encoded
    for index in 0..<SignInOriginDigest.length {
      changed[count + 19 + index] = changed[count + 2 + index]
    }
    #expect(AttemptState.decode(changed.span) == nil, "a repeated place")
  }
}
